r"""AIOI: filters that keep one attribute and hide another, in the records' own domain.

M. Bertran, N. Martinez, A. Papadaki, Q. Qiu, M. Rodrigues, G. Reeves, G. Sapiro, "Adversarially Learned
Representations for Information Obfuscation and Inference", ICML 2019 (bertran2019aioi).

Idea. A stochastic filter y = q(x, z) turns a record into another of the same domain. It is trained to lose little of
what the record tells about a utility attribute U while what it tells about a sensitive attribute S stays within k nats;
both are read by networks, which learn beside it. Existing algorithms go on working on what comes out.

=====================  ================================================================
paper                  here
=====================  ================================================================
X, U, S                records, `y`, `sensitive_features`
Y, q_theta, Z          the release, ``filter_``, its noise
p_phi(u|x)             the records' posterior: trained (preset, ``estimator="kl"``) or left out
p_psi(u|y)             the reader of utility, or `utility_model`
p_eta(s|y)             adversaries
k, lambda              `budget`, a multiplier (`lam` in the preset)
=====================  ================================================================

Equations. (1), (2) what is traded; (3) `penalised`; Algorithm 1: `true_label_leakage`, `information_loss`; (10):
`reversed_divergence`. Section 3.1 is `utility_model`.

Departures, and why; ``preset="paper"`` has none of them but Adam for plain descent, as the authors ran it.

1. A multiplier on a moving average of the leakage for the penalty (3) with constant lambda: that ends at
   I(S;Y) - k = G'(k) / (2 lambda) > 0, and on single batches it punishes their noise.
2. Several adversaries, each judging rows it did not learn from, make several steps for one of the filter and are wider:
   one of equal strength and one step reported .047 nat where the truth was .427.
3. Noise that the filter can neither switch off nor outgrow. The paper's enters a U-Net inside, where skips bypass it: a
   fixed attacker is then fooled and one trained anew is not. Images pass through a narrow code of bounded variance,
   which gets the noise; other records get it on the outputs. Adversaries read the code, of which the release is a
   function: small perceptrons then follow the filter, where convolutional ones on the pixels lagged behind (they read
   .21 nat, attackers trained anew .25, with noise that cost 6 points of digits). An autoencoder's loss keeps the
   decoder's images alike to records.
4. The divergence in (10) is the wrong way round for a leakage, so it is never reported; its gradient, which does not
   vanish, is followed while the adversaries are sure of S and read more than the budget.
5. What is reported is H(S) - CE of adversaries trained anew on the finished filter, on rows they did not learn from:
   a lower bound on I(S;Y) up to sampling error. A utility that could not be without more leakage raises it.
6. Log-probabilities are never clipped: below a clip the gradient is gone.
7. A table is drawn column by column from categorical channels, each given the columns before, or is released as a
   representation of unit variance with noise. Its utility posterior is that of boosted trees out of fold, whose scores
   of U and S the network is also given: the best release depends on a record through p(u|x) and p(s|x) alone.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from withhold.contracts.checks import Budget, Count, OneOf, PaperPreset, Precision, Size, Weight, Widths
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.ranges import Range
from withhold.methods.aioi.domains import learn_domain, restore_domain
from withhold.methods.aioi.game import FilterGame, Objectives
from withhold.methods.aioi.images import ImageDomain
from withhold.methods.aioi.sweeps import sweep
from withhold.methods.aioi.vectors import FilterDomain, settings_of
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.release import Draws
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.estimator.settings import agree
from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.restoring import restored


@dataclass(kw_only=True, eq=False, repr=False)
class AIOI(Sanitizer):
    """Filter records so that they keep telling `y` and stop telling the sensitive attribute, up to a budget.

    Parameters
    ----------
    budget : float, default=0.05
        k, the leakage in nats that is aimed at.
    filter : {"auto", "linear", "perceptron", "bottleneck", "unet", "channel", "encoder"}, default="auto"
        "auto": a bottleneck for images and windows of signals, a perceptron for vectors; for tables a channel, or an
        encoder where ``output="representation"``; the preset takes a U-Net for images.
    hidden : int or sequence of int, optional
        Widths of the filter's hidden layers; features of the finest level of images.
    noise : float, optional
        Standard deviation of the noise: on a bottleneck's code, whose own is at most 1 (default 0.35; 0.8 for fewer
        than 5,000 records); on the outputs of a U-Net, of the range of pixels (0.4); else in standard deviations of a
        column or of a table's representation (0.6): beside half of that adversaries lag behind the filter. A channel
        has none.
    noise_inputs : int, optional
        Normal values among a perceptron's inputs (4), or planes of them at the U-Net's coarsest level (4).
    dimensions : int, optional
        Numbers in a bottleneck's code (32), or in a table's representation (8; with `retention` at least 32).
    utility_model : torch.nn.Module or fitted classifier, optional
        A fixed model that must keep working: records in, logits of the classes of `y` out. Images come as
        (n, channels, height, width), whole numbers divided by the largest of their dtype, others as they are. For
        tables any classifier of the classes of `y` with `predict_proba`, which gets the feature columns as a pandas
        data frame; a network stands in for it, and ``distillation_divergence`` (nats) and ``distillation_agreement``
        say how well. Without a model a reader of utility is trained with the filter.
    naturalness : float, optional
        For images and vectors: weight of the mean squared change of the records, 0 by default. For a bottleneck one
        over their variance: what its decoder draws from a code would else suit `utility_model` and no eye.
    retention : float, default=0.0
        For tables: weight of keeping the columns, each in units of its entropy. 0.3 keeps about half of what they tell.
    estimator : {"label", "kl"}, default="label"
        How leakage and loss are read in training: by true labels, as printed; or softly, as in the authors' code. The
        soft form moves a record towards where adversaries are undecided, whatever its own S: hiding sex in Adult within
        .01 nat it lost .19 nat about income where CLUB on the same adversaries lost .06.
    lam : float, default=50.0
        The preset's constant lambda.
    rounds : int, optional
        Length of the game.
    preset : {None, "paper"}, default=None
        "paper": Algorithm 1 as printed.
    warm_start : bool, default=False
        Whether a further fit goes on from the filter of the one before.
    checkpoint : path, optional
        File that an interrupted fit goes on from, with the same result; removed at the end.
    precision : str, default="32-true"
    sensitive_features, drop, output, decode, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous,
    device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    diagnostics_ : dict
        ``leakage_lower_bound``: the largest of ``game_leakage`` (the game's adversaries, gone on alone),
        ``fresh_leakage`` (trained anew) and ``implied_leakage`` (what the kept utility cannot be without). Where the
        filter is a bottleneck, the first two read its code, which tells no less than the release.
        ``utility_information``: H(U) - CE of the reader of utility, also a lower bound, for classes. All in nats.
    curves_ : dict
        ``leakage``, ``loss`` and ``multiplier`` by round.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> S, U = rng.integers(2, size=(2, 400))
    >>> X = np.c_[S, U] + 0.3 * rng.normal(size=(400, 2))
    >>> method = AIOI(rounds=60, random_state=0, noise_seed=0).fit(X, U, sensitive_features=S)
    >>> method.transform(X).shape
    (400, 2)
    """

    accepts_images: ClassVar[bool] = True
    needs_y: ClassVar[bool] = True
    several_y: ClassVar[bool] = True
    codec_space: ClassVar[bool] = True
    unsaved: ClassVar[tuple[str, ...]] = ("noise_key", "checkpoint", "utility_model")

    budget: Budget = 0.05
    filter: str = "auto"
    hidden: Annotated[int | Sequence[int], Widths()] | None = None
    noise: Annotated[Weight, Range(0.1, 1.5)] | None = None
    noise_inputs: Count | None = None
    dimensions: Size | None = None
    utility_model: Any = None
    naturalness: Weight | None = None
    retention: Weight = 0.0
    estimator: Annotated[str, OneOf(("label", "kl"))] = "label"
    lam: Weight = 50.0
    rounds: Size | None = None
    preset: PaperPreset = None
    warm_start: bool = False
    checkpoint: str | Path | None = None
    precision: Precision = "32-true"

    def sweep(
        self, budgets: Sequence[float], X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None
    ) -> list[Self]:
        """Return one fitted filter for each budget, in the order given, each going on from the one before.

        With `checkpoint` and a fixed `random_state` a sweep that was interrupted goes on where it stood, with the same
        result; the files beside the checkpoint are removed at the end. Large budgets first are learned faster.
        """
        return sweep(self, budgets, X, y, sensitive_features=sensitive_features, groups=groups)

    def _fit_encoded(self, data: FitData) -> None:
        settings = settings_of(self.get_params(deep=False))
        self.domain_: FilterDomain = learn_domain(data, settings)
        game = FilterGame(
            data,
            self.domain_,
            Objectives(true_label_leakage, soft_leakage, reversed_divergence, information_loss, penalised),
            parameters={name: value for name, value in self.get_params(deep=False).items() if name not in self.unsaved},
            utility_model=self.utility_model,
            checkpoint=None if self.checkpoint is None else Path(self.checkpoint),
            keep=getattr(self, "_keep_result", False),
            before=getattr(self, "_played", None) if self.warm_start else None,
        )
        self.filter_, self._played = game.play(), game.played
        self.curves_ = game.curves
        self.diagnostics_ |= game.readings
        self._report(data)

    def _report(self, data: FitData) -> None:
        reading = self.diagnostics_["leakage_lower_bound"]
        if reading > self.budget:
            text = (
                f"Adversaries still found {reading:.3f} nat in the filtered records (budget {self.budget:g}). Use more "
                "rounds or more noise, or accept a larger budget."
            )
            self.findings_.append(Finding(code="budget_missed", severity="warning", text=text))
        wanted, told = tuple(data.utilities or ()), self.diagnostics_.get("utility_information")
        counted = all(item.kind == "categorical" for item in wanted)  # of a number there is no entropy to compare with
        whole = sum(item.entropy() for item in wanted) if counted else 0.0
        if told is not None and told < LOST * whole:
            text = (
                f"The game destroyed what it should keep: only {told:.3f} of {whole:.3f} nat of utility can be read "
                "from the filtered records. Use more rounds or records, less noise, or a larger budget."
            )
            self.findings_.append(Finding(code="utility_lost", severity="warning", text=text))
        right = self.diagnostics_.get("utility_model_accuracy")
        if right is not None and right < np.bincount(wanted[0].codes[wanted[0].known]).max() / wanted[0].known.sum():
            text = (
                f"The utility model is right about y in {right:.3f} of the records, less often than a guess at the "
                "commonest class. Check that it was fitted on this y."
            )
            self.findings_.append(Finding(code="model_contradicts_y", severity="warning", text=text))
        classes = [item for item in data.sensitive if item.kind == "categorical"]
        for item in classes:
            if self.budget > LARGE * item.entropy():
                share = self.budget / max(item.entropy(), 1e-9)
                text = (
                    f"The budget of {self.budget:g} nat is {share:.0%} of the {item.entropy():.3f} nat in "
                    f"'{item.name}', so single records may stay open, rare values first. Choose a smaller budget."
                )
                self.findings_.append(Finding(code="large_budget", severity="warning", text=text))
        rows = min((np.bincount(item.codes[item.known]).min() for item in classes), default=data.n)
        if data.n < SMALL or rows < ROWS_A_CLASS:
            text = (
                f"AIOI was fitted on {data.n} rows, {rows} of them with the rarest value to hide. Adversaries learn "
                f"little from fewer than {SMALL} rows, or {ROWS_A_CLASS} per value, so others may find what they "
                "missed, and an audit needs more rows to tell. Fit on more rows, or join rare values."
            )
            self.findings_.append(Finding(code="small_fit", severity="warning", text=text))

    def _encode(self, H: Any) -> np.ndarray:
        return self._filtered(H, np.zeros((len(H), self.filter_.noise_width), np.float32))

    def _draw(self, H: Any, draws: Draws) -> np.ndarray:
        return self._filtered(H, draws.normal("filter", self.filter_.noise_width), draws)

    @torch.no_grad()
    def _filtered(self, H: np.ndarray, noise: np.ndarray, draws: Draws | None = None) -> np.ndarray:
        rows = torch.split(torch.from_numpy(self.domain_.read(H)), CHUNK)
        parts = zip(rows, torch.split(torch.from_numpy(noise), CHUNK), strict=True)
        filtered = self.domain_.write(torch.cat([self.filter_(*part) for part in parts]).numpy(), draws)
        return np.asarray(filtered, dtype=H.dtype)

    def _random(self) -> bool:
        return self.filter_.noise_width > 0

    def _noise_scale(self) -> float | np.ndarray:
        return self.domain_.noise_scale()

    def _state(self) -> dict[str, np.ndarray]:
        weights = {f"filter.{name}": value.numpy() for name, value in self.filter_.state_dict().items()}
        return {f"domain.{name}": value for name, value in self.domain_.state().items()} | weights

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        own: dict[str, dict[str, np.ndarray]] = {"domain": {}, "filter": {}}
        for name, value in state.items():
            part, _, rest = name.partition(".")
            own[part][rest] = np.array(value)
        self.domain_ = restore_domain(own["domain"], settings_of(self.get_params(deep=False)), self.codec_)
        image = self.encoding_.image
        if isinstance(self.domain_, ImageDomain):
            agree("records of shape", None if image is None else image.shape, self.domain_.shape)
        self.filter_ = restored(self.domain_.filter, own["filter"])

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(
            claim="None: a game against adversaries proves nothing about other attackers; the audit measures them.",
            against="nobody",
            assumptions=("One draw of the noise per record: the key is kept, or no other release exists.",),
            reference="bertran2019aioi",
        )


CHUNK = 2_048  # rows a time: intermediate results of a U-Net stay in some hundred MB
LARGE = 0.5  # share of H(S) from which a budget is pointed out: a choice
LOST = 0.1  # share of H(U) below which a fit is pointed out, as is a fit on few rows: choices, not measurements
SMALL = 200  # rows below which a fit is pointed out: a choice, not a measurement
# On 210 faces of 15 persons to be hidden the game read .08 nat where one trained anew named more than half of the rest.
ROWS_A_CLASS = 20


def true_label_leakage(layout: AttributeLayout, outputs: Tensor, secrets: Tensor, marginal: Tensor) -> Tensor:
    """Return the mean of log p_eta(s|y) / P(s), as in Algorithm 1, summed over attributes; rows (..., n_attributes).

    On rows that the adversary did not learn from its expectation is at most I(S;Y).
    """
    known = (~secrets.isnan()).flatten(end_dim=-2).sum(dim=0).clamp(min=1)
    ratio = layout.log_density(outputs, secrets) - marginal
    return (ratio.flatten(end_dim=-2).sum(dim=0) / known).sum()


def soft_leakage(layout: AttributeLayout, outputs: Tensor, prior: Tensor) -> Tensor:
    """Return the mean of KL(p_eta(.|y) || P), as in the authors' code; a bound in neither direction."""
    return layout.divergence(outputs, prior.expand_as(outputs)).sum(dim=-1).mean()


def reversed_divergence(layout: AttributeLayout, outputs: Tensor, prior: Tensor) -> Tensor:
    """Return the mean of KL(P || p_eta(.|y)), as in equation (10): no leakage, but a gradient that does not vanish."""
    return layout.divergence(prior.expand_as(outputs), outputs).sum(dim=-1).mean()


def information_loss(layout: AttributeLayout, from_records: Tensor, from_release: Tensor, utility: Tensor) -> Tensor:
    """Return the mean of log p_phi(u|x) / p_psi(u|y), as in Algorithm 1: an estimate of I(U;X|Y)."""
    known = (~utility.isnan()).sum(dim=0).clamp(min=1)
    ratio = layout.log_density(from_records, utility) - layout.log_density(from_release, utility)
    return (ratio.sum(dim=0) / known).sum()


def penalised(loss: Tensor, leakage: Tensor, budget: float, lam: float) -> Tensor:
    """Return equation (3): loss + lambda max(leakage - k, 0)^2.

    Examples
    --------
    >>> penalised(torch.tensor(1.0), torch.tensor(0.75), 0.25, 8.0).item()
    3.0
    """
    return loss + lam * functional.relu(leakage - budget).square()
