r"""DeepMinMax: less information about the attribute, more about the rest.

R. Han, W. Wang, Y. Long, J. Peng, "Deep Representation Debiasing via Mutual Information Minimization and
Maximization (Student Abstract)", AAAI 2022 (han2022deepminmax).

Idea. A network h maps a representation to one that shares little information with the attribute, as read by CLUB, a
contrast between the attribute's likelihood for its own record and for others. A constant would do that, so a second
network m must recover the representation from the new one together with the attribute: only what the attribute
itself tells may be lost. At transform time h needs the features alone.

=====================  ================================================================
paper                  here
=====================  ================================================================
X, B                   records, sensitive attributes S
Z, f                   `H`, the encoded table or the matrix passed by the user
Z tilde, h_theta       released `Z`, ``encoder``
q                      ``adversary`` (cross-fitted members)
m_phi                  ``retainer``
L_d, L_r, lambda       `club_of_attributes`; `variational_retention`; `lam`
=====================  ================================================================

Equations. (1) `information.estimators.club.club_of_attributes`; (2) is the identity behind (3),
`training.releasing.variational_retention`: other methods use both. The full objective min lambda L_d + (1 - lambda) L_r
is used with ``budget=None``.

Departures, and why. The first four also apply to ``preset="paper"``, where (3) stays a sum.

1. "CLUB >= I" in (1) holds only if q is closer to p(b|z) on joint than on product pairs; a learned q gives values far
   above, far below or negative. So CLUB is only a direction: it enters as relu(CLUB), is skipped while the adversaries
   know no more than the marginal, and what is reported is H(B) - CE on rows the adversary has not learned from.
2. q takes 8 steps on fresh batches for one of h: minimising CLUB while q lags rewards fooling q.
3. (3) is averaged over columns, in units of their entropy (tables) or variance (matrices): a sum grows with the width
   and drowns (1). Its densities have fixed variance: with a free one the objective has no lower bound.
4. A missing attribute leaves the terms that need it; several categorical attributes are hidden jointly (up to 50
   cells), otherwise each alone; continuous ones as normal scores with a Gaussian q.
5. Release noise on outputs of fixed scale. Without it a deterministic h hides the attribute from q in fine detail
   that a fresh attacker reads: game .018 nat, attacker .067.
6. Several q, each judging the rows that it did not learn from, with dropout, weight decay and a calibration fitted on
   those rows; otherwise the reading is what they memorised, or is hidden by their over-confidence. They also learn to
   recover the record from Z and read the attribute from what they recover: without this a decoded table told .042 nat
   where Z itself seemed to tell .020.
7. A budget in nats with a multiplier instead of a fixed lambda, whose right value differs from data to data. After
   the game the adversaries go on alone, and their reading then is the one compared with the budget.
8. `y` adds a network that predicts the utility attribute from Z; its loss joins (3). It is taught what records tell of
   `y`, by models that did not learn from them, since labels would be learned by heart.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch

from withhold.contracts.checks import Budget, PaperPreset, Precision, Share, Size, Weight
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.ranges import Range
from withhold.contracts.seeds import stream
from withhold.information.estimators.club import club_of_attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import Scale, cell_weights, make_records
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.estimator.settings import agree
from withhold.methods.estimator.utility_posterior import utility_posterior
from withhold.nets.perceptron import Perceptron
from withhold.nets.restoring import restored
from withhold.training.budget import BudgetMultiplier
from withhold.training.checkpoint import Checkpoint
from withhold.training.debiasing import Debiasing
from withhold.training.recipe import Recipe
from withhold.training.releasing import NoisyEncoder, variational_retention
from withhold.training.session import make_fabric, private_randomness


@dataclass(kw_only=True, eq=False, repr=False)
class DeepMinMax(Sanitizer):
    """Hide attributes from any reader, as far as a game against adversaries can, and keep the rest.

    Parameters
    ----------
    budget : float or None, default=0.025
        Leakage in nats that the game may leave, as read by its own cross-fitted adversaries. None: trade by `lam`.
        The default is a twentieth of the entropy of a binary attribute; attackers of a table of 32,000 records then
        tell it in 6 of 10 cases.
    lam : float in [0, 1], default=0.5
        Weight of hiding against keeping, used when `budget` is None.
    dimensions : int, optional
        Width of Z; by default the width of the features, at most 32 or a quarter of it.
    noise : float, default=0.6
        Standard deviation of the release noise; Z has unit variance in every dimension before it.
    hidden : int, default=192
        Width of hidden layers.
    rounds : int, optional
        Length of the game; by default 300 to 900, growing with the number of rows.
    utility_weight : float, default=1.0
        Weight of predicting `y` against keeping everything, when `y` is given.
    preset : {None, "paper"}, default=None
        "paper": h of three layers and m of two, as wide as the features, lambda = `lam`, batches of 128, learning
        rate .005, 200 epochs, no noise, one adversary.
    checkpoint : path, optional
        File that an interrupted fit goes on from, with the same result; removed at the end.
    precision : str, default="32-true"
    sensitive_features, drop, output, decode, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous,
    device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    diagnostics_ : dict
        ``game_leakage``: the game's own reading, H(B) - CE in nats, a lower bound; ``budget_multiplier``, ``rounds``.
    curves_ : dict
        ``leakage``, ``loss`` and ``multiplier`` by round.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> S = rng.integers(2, size=400)
    >>> X = np.c_[S + 0.3 * rng.normal(size=400), rng.normal(size=(400, 3))]
    >>> method = DeepMinMax(rounds=60, random_state=0, noise_seed=0).fit(X, sensitive_features=S)
    >>> method.transform(X).shape
    (400, 4)
    """

    unsaved = ("noise_key", "checkpoint")

    budget: Budget | None = 0.025
    lam: Share = 0.5
    dimensions: Annotated[Size, Range(4, 64)] | None = None
    noise: Annotated[Weight, Range(0.1, 2.0)] = 0.6
    hidden: Size = 192
    rounds: Size | None = None
    utility_weight: Annotated[Weight, Range(0.3, 30.0, purpose=True)] = 1.0
    preset: PaperPreset = None
    checkpoint: str | Path | None = None
    precision: Precision = "32-true"

    def _fit_encoded(self, data: FitData) -> None:
        recipe, paper = self._recipe(data.n, data.H.shape[1], data.codec is not None), self.preset == "paper"
        fabric = make_fabric(data.device, data.precision)
        dtype = torch.float64 if data.precision == "64-true" else torch.float32
        self.scale_ = Scale.of(data.H, bounded=data.codec is not None)
        H = self.scale_(data.H)
        records = make_records(data, H, recipe.folds, fabric.device, dtype)
        if data.utilities and not paper:
            told = torch.from_numpy(utility_posterior(data, H))
            records = replace(records, posterior=told.to(records.H))
        weights = None if data.cells is None else cell_weights(data.cells, data.cell_counts or ())
        counts = data.cell_counts or ()
        price = BudgetMultiplier(BUDGET if self.budget is None else self.budget)
        trade = self.lam if paper or self.budget is None else None
        seed = int(stream(data.rng_seed, "training").integers(1 << 62))
        with private_randomness(fabric.device, seed):
            side = NoisyEncoder(
                records,
                recipe,
                lambda outputs, kept: variational_retention(outputs, kept, counts, weights, total=paper),
            )
            game = Debiasing(
                records,
                recipe,
                fabric,
                debias=lambda outputs, secrets: club_of_attributes(records.layout, outputs, secrets),
                side=side,
                trade=trade,
                price=price,
            )
        settings = {name: value for name, value in self.get_params().items() if name not in self.unsaved}
        fingerprint = f"{data.digest} {sorted(settings.items())!r}"
        reading = game.play(
            seed + 1,
            select=not paper,
            checkpoint=Checkpoint.of(self.checkpoint, fingerprint),
            label="Training DeepMinMax",
        )
        self.encoder_ = side.encoder.to("cpu", torch.float32)
        self.noise_ = recipe.noise
        self.widths_ = (data.H.shape[1], *recipe.encoder, recipe.dimensions)
        self._report(game, reading, trade is None, data.n)

    def _recipe(self, n: int, width: int, coded: bool = False) -> Recipe:
        if self.preset == "paper":
            return Recipe(
                dimensions=width,
                encoder=(width, width),
                decoder=(width,),
                noise=0.0,
                rounds=self.rounds or 200 * -(-n // 128),
                batch=128,
                rate=5e-3,
                adversary=width,
                adversary_rate=5e-3,
                dropout=0.0,
                decay=0.0,
                folds=1,
                standardise=False,
                decays=False,
                side_weight=0.0,
            )
        return Recipe(
            dimensions=self.dimensions or min(width, max(32, width // 4), 256),
            encoder=(self.hidden, self.hidden),
            decoder=(self.hidden,),
            noise=float(self.noise),
            rounds=self.rounds or int(np.clip(300 + n / 33, 300, 900)),
            batch=min(512, n),
            rate=TABLE_RATE if coded else MATRIX_RATE,
            adversary=int(np.clip(n // ROWS_A_UNIT, 32, self.hidden)),
            dropout=0.3 if n >= FEW_ROWS else 0.5,
            adversary_batch=min(128, max(16, n // 4)),
            utility_weight=float(self.utility_weight),
        )

    def _report(self, game: Debiasing, reading: float, constrained: bool, n: int) -> None:
        self.curves_ = game.curves
        if n < SMALL:
            text = (
                f"DeepMinMax was fitted on {n} rows. Its adversaries learn little from fewer than {SMALL}, so others "
                "may find what they missed, and an audit needs more rows to tell. Fit on more rows."
            )
            self.findings_.append(Finding(code="small_fit", severity="warning", text=text))
        self.diagnostics_ |= {
            "game_leakage": reading,
            "rounds": float(game.rounds),
            "rounds_without_adversary": float(game.blind),
        }
        if constrained:
            self.diagnostics_["budget_multiplier"] = game.price.value
        if game.blind > BLIND * game.rounds or reading <= 0:
            when = "During most of the training" if game.blind > BLIND * game.rounds else "At the end of the training"
            text = (
                f"{when} the adversaries could not detect the sensitive attribute, so little was hidden. Either there "
                "is nothing to hide, or they are too weak; the audit decides."
            )
            self.findings_.append(Finding(code="adversary_blind", severity="warning", text=text))
        if constrained and self.budget is not None and reading > self.budget:
            text = (
                f"The training ended at {reading:.3f} nat (budget {self.budget:g}). Use more rounds or more noise, or "
                "accept a larger budget."
            )
            self.findings_.append(Finding(code="budget_missed", severity="warning", text=text))

    @torch.no_grad()
    def _encode(self, H: Any) -> np.ndarray:
        parts = torch.split(torch.from_numpy(self.scale_(np.asarray(H))), CHUNK)
        return torch.cat([self.encoder_(part) for part in parts]).numpy()

    def _noise_scale(self) -> float:
        return self.noise_

    def _state(self) -> dict[str, np.ndarray]:
        weights = {f"encoder.{name}": value.numpy() for name, value in self.encoder_.state_dict().items()}
        shape = {"widths": np.array(self.widths_), "noise": np.array(self.noise_)}
        return {"centre": self.scale_.centre, "spread": self.scale_.spread, **shape, **weights}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        self.scale_, self.noise_ = Scale(state["centre"], state["spread"]), float(state["noise"])
        self.widths_ = tuple(int(width) for width in state["widths"])
        agree("noise", 0.0 if self.preset == "paper" else float(self.noise), self.noise_)
        if self.preset != "paper":
            agree("hidden", (int(self.hidden),) * 2, self.widths_[1:-1])
        if self.preset != "paper" and self.dimensions is not None:
            agree("dimensions", int(self.dimensions), self.widths_[-1])
        own = {name.removeprefix("encoder."): value for name, value in state.items() if name.startswith("encoder.")}
        standardise = "norm.running_mean" in own
        self.encoder_ = restored(lambda: Perceptron(self.widths_, standardise=standardise), own)

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(
            claim="None: a game against adversaries proves nothing about other attackers; the audit measures them.",
            against="nobody",
            assumptions=("One draw of the noise per record: the key is kept, or no other release exists.",),
            reference="han2022deepminmax",
        )


BUDGET = 0.025  # nats; also the scale of the reading when the game trades by lambda
# Adam's rates of h and m. A mean of squares is flatter than a mean of cross-entropies; on an embedding the higher
# rate kept .02 more accuracy of the digit at the same leakage.
TABLE_RATE, MATRIX_RATE = 1e-3, 2e-3
# An adversary with more units than its rows can teach memorises, reads nothing on others, hides nothing: on COMPAS
# (5,000 rows, race) 192 units left .053 nat of .069 where 48 with more dropout left .030 at the same retention.
ROWS_A_UNIT, FEW_ROWS = 100, 10_000
SMALL = 200  # rows below which a fit is pointed out: a choice, not a measurement
BLIND = 0.5  # share of rounds without a useful adversary that is worth a finding
CHUNK = 8_192  # rows a time: intermediate results stay in the cache
