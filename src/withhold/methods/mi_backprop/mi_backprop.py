r"""MI backpropagation: a task learned while the information about an attribute is estimated and minimised.

R. Ragonesi, R. Volpi, J. Cavazza, V. Murino, "Learning Unbiased Representations via Mutual Information
Backpropagation", CVPR Workshops 2021 (ragonesi2021mi).

Idea. Data whose labels go with an attribute (digits with their colour) teach a classifier the attribute. A statistics
network that estimates the information between representation and attribute is trained before every step of the
encoder, which then moves against task loss + lambda information in one step.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, c                records, `y`, sensitive attributes S
z = g_theta(x)         released `Z` before its noise, ``encoder``
f_psi                  ``classifier``, a linear map (the paper's logit layer)
T_phi, L_ne            ``estimator`` "mine": `MineTerm`
lambda, K, T           `lam`, `steps`, `rounds`
alpha, eta             `rate`, `estimator_rate`
=====================  ================================================================

Equations. (2) and (5): `MineTerm`; (3), (4), (6) and Algorithm 1: `InformationGame`, lines 5 to 8 its player
"estimator", lines 9 to 12 its player "encoder". The rule for lambda of section 5.1: `MIBackprop.select`.

Departures, and why. 1 to 4 not with ``preset="paper"``.

1. The critic embeds z and c apart, and all pairs of a batch are product pairs, not one shuffle: at equal cost the
   estimate is steadier.
2. z is brought to mean 0 and variance 1, so that T sees inputs of one scale, and gets release noise, in training too:
   what was minimised is then what is released.
3. K = 10 steps on 2 fresh batches, as theta does not move meanwhile; the paper has 80, each on a batch of its own.
4. Far fewer rounds, at a tenfold rate: 300 to 1,500 where the authors' code runs 500 epochs.
5. The information's gradient is bounded by the task's, tensor by tensor. The paper points to belghazi2018mine for it;
   unbounded and from a cold start it exceeds the task's tens of times and z collapses to a constant.
6. One combined step, as Algorithm 1 says. The authors' code takes steps of two Adam optimisers, whose scaling undoes
   clipping and lambda: ``optimisers=2`` for comparison.
7. What is reported is not the estimate of the training batches, which exceeds the truth where T memorised:
   ``curves_["leakage"]`` is the estimator's value on held-out rows, ``held_out_leakage`` that of a fresh classifier.
8. A row without a value of an attribute, or without a label, leaves the terms that need it.
9. ``estimator``: "classifier" (H(C) - CE), "club" and "gaussian" beside "mine"; ``conditional=True`` minimises
   I(Z; C | Y), whose least value is 0 also where C tells Y, but which a feature of Y and C together can satisfy.
10. ``decorrelate=True`` draws batches by importance weights p(c) / p(c | y) under which C and Y are independent, which
    removes the reason to rely on C. It is not in the paper, and it does not make I(Z; C) zero: it only stops reliance
    under the reweighted law.

When a constant wins. Z = Y costs lambda I(Y; C) and Z = constant costs H(Y), so with lambda above H(Y) / I(Y; C) the
objective itself prefers knowing nothing. Fit computes both before it trains, and warns.

Guarantee. None: Donsker-Varadhan bounds the information from below, so making it small proves nothing.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import torch
from torch import nn

from withhold.contracts.checks import Between, OneOf, PaperPreset, Precision, Rate, Share, Size, Weight
from withhold.contracts.errors import CollapseWarning, InvalidParameterError
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.ranges import Range
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute, Attributes
from withhold.methods.estimator.classifier import EncoderClassifier
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import make_records, refuse_determining, scale_of
from withhold.methods.mi_backprop.decorrelation import Outlook, look_ahead
from withhold.methods.mi_backprop.game import Backpropagation, InformationGame, LabelledRows
from withhold.methods.mi_backprop.information_rows import (
    READ,
    held_out_information,
    maximum_information,
    secrets_of,
)
from withhold.methods.mi_backprop.information_terms import ESTIMATORS, information_term
from withhold.methods.mi_backprop.lambda_choice import LAMBDAS, select_lambda
from withhold.methods.mi_backprop.weighted_rows import WeightedRows
from withhold.nets.encoders import Encoder, encoder_for
from withhold.training.checkpoint import Checkpoint
from withhold.training.session import make_fabric, private_randomness

EPOCHS = 500  # of the authors' code
PAPER_STEPS = 80  # K of section 4, each on a batch of its own (line 5 of Algorithm 1 draws inside the inner loop)
ROUNDS = 300, 1500  # fewest and most by default


@dataclass(kw_only=True, eq=False, repr=False)
class MIBackprop(EncoderClassifier):
    """Learn a task while the information between representation and sensitive attributes is made small.

    Parameters
    ----------
    lam : float, default=1.0
        Weight of the information against the task; see `select`.
    estimator : {"mine", "classifier", "club", "gaussian"}, default="mine"
        What the information is estimated by: a statistics network; H(C) less the cross-entropy of a classifier; the
        contrast CLUB; the closed form for Gaussian variables, which sees linear dependence only.
    conditional : bool, default=False
        Minimise I(Z; C | Y), the information beyond what the label tells, instead of I(Z; C).
    decorrelate : bool, default=False
        Draw batches by importance weights under which attributes and label are independent. Not in the paper; it stops
        reliance on the attributes under the reweighted law and does not make I(Z; C) zero.
    steps : int, default=10
        Steps of the estimator for one of the encoder, K in the paper.
    pool : int, default=2
        Fresh batches that are encoded once for these steps.
    estimator_rate : float, default=0.001
    statistics : int, default=64
        Width of the two hidden layers of the estimator's network.
    ramp : float in [0, 1], default=0.0
        Share of the rounds over which `lam` grows from 0.
    clip : {"tensor", "global", None}, default="tensor"
        Bound of the information's gradient: that of the task, for each tensor or as a whole, or none.
    optimisers : {1, 2}, default=1
        1: one step against both, as Algorithm 1; 2: one after the other, as the authors' code, to compare with.
    noise : float, default=0.3
        Standard deviation of the release noise; Z has unit variance in every dimension before it.
    dimensions : int, default=64
        Width of Z; a module given as `encoder` has its own.
    architecture : {"auto", "perceptron", "images", "windows"}, default="auto"
        Network of the encoder. Windows of sensor signals, arrays (n, time, channels), must be named.
    encoder : torch.nn.Module, optional
        The user's own network. It is copied, and never saved: give it again to ``withhold.load``.
    hidden : int, default=128
        Width of the encoder's hidden layers.
    rounds : int, optional
        Steps of the encoder; by default 300 to 1,500, growing with the number of rows.
    batch : int, default=128
    rate : float, default=0.001
        Learning rate of encoder and classifier.
    preset : {None, "paper"}, default=None
        "paper": one network of three layers and one shuffle in MINE, K = 80, z as it comes and no noise, learning rates
        1e-4 without decay, 500 epochs.
    checkpoint : path, optional
        File that an interrupted fit goes on from, with the same result; removed at the end.
    precision : {"32-true", "64-true", "bf16-mixed", "bf16-true"}, default="32-true"
    sensitive_features, drop, output, decode, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous,
    device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    classes_ : ndarray
    diagnostics_ : dict
        In nats: ``held_out_leakage``, what a fresh classifier reads from Z on held-out rows (all rows where there are
        few), ``maximum_leakage`` H(C) where no attribute is continuous, ``label_information`` I(Y; C),
        ``held_out_task``. ``collapse_lambda`` H(Y) / I(Y; C), above which a constant is optimal;
        ``held_out_accuracy``; with `decorrelate`, ``effective_sample_size`` and ``decorrelated_share``, the share of
        the law of independent label and attributes that the weights stand for.
    curves_ : dict
        ``task`` and ``leakage``, the estimator's value on held-out rows, in nats; the norms ``task_gradient`` and
        ``information_gradient`` (after clipping).
    selection_ : list of Trial
        After `select`: one entry for each lambda.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> S, y = rng.integers(3, size=300), rng.integers(2, size=300)
    >>> X = np.c_[S + 0.3 * rng.normal(size=300), 2 * y + 0.3 * rng.normal(size=300)]
    >>> method = MIBackprop(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S)
    >>> method.transform(X).shape, method.predict(X).shape
    ((300, 64), (300,))
    """

    command_name: ClassVar[str] = "mi-backprop"
    unsaved: ClassVar[tuple[str, ...]] = ("noise_key", "encoder", "checkpoint")

    lam: Annotated[Weight, Range(0.3, 30.0)] = 1.0
    estimator: Annotated[str, OneOf(ESTIMATORS)] = "mine"
    conditional: bool = False
    decorrelate: bool = False
    steps: Size = 10
    pool: Size = 2
    estimator_rate: Rate = 1e-3
    statistics: Size = 64
    ramp: Share = 0.0
    clip: Annotated[str | None, OneOf(("tensor", "global", None))] = "tensor"
    optimisers: Annotated[int, OneOf((1, 2))] = 1
    noise: Annotated[Weight, Range(0.05, 1.5)] = 0.3
    dimensions: Annotated[Size, Range(8, 128)] = 64
    architecture: str = "auto"
    encoder: nn.Module | None = None
    hidden: Size = 128
    rounds: Size | None = None
    batch: Annotated[int, Between(2)] = 128
    rate: Rate = 1e-3
    preset: PaperPreset = None
    checkpoint: str | Path | None = None
    precision: Precision = "32-true"

    def select(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        groups: Any = None,
        lambdas: Sequence[float] = LAMBDAS,
        tolerance: float = 0.02,
    ) -> Self:
        """Fit once for each lambda and keep the largest that still fits and lowers the information.

        This is the paper's rule (section 5.1). It needs no data free of the bias: all that is read is read on held-out
        training rows.

        Parameters
        ----------
        X, y, sensitive_features, groups
            As in `fit`.
        lambdas : sequence of float
            The smallest is what the others are compared with; 0 is the task alone.
        tolerance : float, default=0.02
            Accuracy that hiding may cost, on held-out rows.

        Returns
        -------
        self
            Fitted with the lambda that was chosen, which is now the parameter `lam`; ``selection_`` lists all.
        """
        trials, chosen = select_lambda(self, X, y, sensitive_features, groups, lambdas, tolerance)
        checkpoint = self.checkpoint
        self.__dict__.update(vars(chosen))
        self.checkpoint, self.selection_ = checkpoint, trials
        return self

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(
            claim="None: the estimate bounds the information from below; the audit measures what attackers learn.",
            against="nobody",
            assumptions=("One draw of the noise per record: the key is kept, or no other release exists.",),
            reference="ragonesi2021mi",
        )

    def _fit_encoded(self, data: FitData) -> None:
        recipe, labels = self._recipe(data.n), data.utilities[0] if data.utilities else None
        if labels is None:
            raise InvalidParameterError(f"{type(self).__name__} needs y, the labels to predict. Pass y.")
        paper, fabric = self.preset == "paper", make_fabric(data.device, data.precision)
        dtype = torch.float64 if data.precision == "64-true" else torch.float32
        self.scale_, self.shape_ = scale_of(data), data.shape or (int(data.H.shape[1]),)
        for item in data.sensitive:
            if data.groups is not None and item.kind == "categorical":
                refuse_determining(item.codes, data.groups, item.n_classes, type(self).__name__)
        records = make_records(data, self.scale_(data.H), 1, fabric.device, dtype)
        ahead = look_ahead(labels, data.sensitive, data.rng_seed, decorrelate=self.decorrelate)
        self._warn(ahead)
        self.findings_ += self._form_findings(data)
        learned, held = np.flatnonzero(records.folds >= 0), np.flatnonzero(records.folds < 0)
        rows = LabelledRows(
            records.H,
            torch.from_numpy(labels.codes).to(fabric.device),
            WeightedRows(learned, fabric.device, ahead.weights),
            WeightedRows(held, fabric.device),
        )
        seed = int(stream(data.rng_seed, "training").integers(1 << 62))
        secrets = secrets_of(records, labels, self.conditional)
        with private_randomness(fabric.device, seed):
            encoder, width = self._new_encoder(), int(self.statistics)
            classifier = self._new_classifier(encoder.dimensions)
            widths, critic = ((width,) * 3, "joint") if paper else ((width,) * 2, "separable")
            term = information_term(self.estimator, secrets, encoder.dimensions, widths, critic)
            game = InformationGame(rows, recipe, encoder, classifier, term, fabric)
        game.play(
            seed + 1,
            checkpoint=Checkpoint.of(self.checkpoint, self._fingerprint(data, game.encoder)),
            label="Training MIBackprop",
        )
        self.noise_, self.curves_ = recipe.noise, game.curves
        with private_randomness(fabric.device, seed + 2):
            self.diagnostics_ |= game.readings()
            read = held if len(held) >= HELD_OUT else np.arange(data.n)
            read = np.sort(stream(data.rng_seed, "reading").permutation(read)[:READ])
            Z = game.released(torch.from_numpy(read).to(fabric.device)).cpu().numpy()
        self._keep(game.encoder, game.head)
        maximum = maximum_information(data.sensitive)
        if math.isfinite(maximum):
            self.diagnostics_["maximum_leakage"] = maximum
        self._report(Z, data.sensitive.take(read), labels, data.rng_seed)

    def _recipe(self, n: int) -> Backpropagation:
        """Return what the parameters of the method come to for `n` rows."""
        batch = int(min(self.batch, max(2, n // 2)))
        shared = Backpropagation(
            lam=float(self.lam),
            batch=batch,
            pool=int(self.pool),
            ramp=float(self.ramp),
            clip=self.clip,
            optimisers=int(self.optimisers),
        )
        if self.preset == "paper":
            rounds = self.rounds or EPOCHS * -(-n // batch)
            return replace(shared, rounds=rounds, steps=PAPER_STEPS, pool=PAPER_STEPS, rate=1e-4, estimator_rate=1e-4)
        return replace(
            shared,
            rounds=self.rounds or int(np.clip(ROUNDS[0] + n / 40, *ROUNDS)),
            steps=int(self.steps),
            rate=float(self.rate),
            estimator_rate=float(self.estimator_rate),
            noise=float(self.noise),
        )

    def _new_encoder(self) -> Encoder:
        return encoder_for(
            self.shape_,
            int(self.dimensions),
            architecture=self.architecture,
            hidden=(int(self.hidden), int(self.hidden)),
            module=self.encoder,
            standardise=self.preset != "paper",
        )

    def _new_classifier(self, dimensions: int) -> nn.Module:
        return nn.Linear(dimensions, len(self.classes_))

    def _warn(self, ahead: Outlook) -> None:
        self.diagnostics_ |= ahead.diagnostics
        self.findings_ += ahead.findings
        limit = ahead.collapse_lambda
        if self.lam < limit or self.conditional or self.decorrelate:
            return
        text = (
            f"With lam={self.lam:g}, above H(Y) / I(Y; C) = {limit:.2f} (I(Y; C) = {ahead.told:.3f} nat), knowing "
            "nothing is optimal: telling the label costs more than it gains. Use a smaller lam, conditional=True, or "
            "decorrelate=True."
        )
        self.findings_.append(Finding(code="collapse_expected", severity="warning", text=text))
        warnings.warn(text, CollapseWarning, stacklevel=6)

    def _report(self, Z: np.ndarray, sensitive: Attributes, labels: Attribute, seed: int) -> None:
        found = held_out_information(Z, sensitive, seed)
        if found is not None:
            error = 0.5 * ((found.high or found.value) - (found.low or found.value))
            self.diagnostics_ |= {"held_out_leakage": found.value, "held_out_leakage_error": error}
        known = labels.codes[labels.known]
        largest = float(np.bincount(known).max() / len(known))
        if self.diagnostics_["held_out_accuracy"] < largest + LOST:
            text = (
                f"MIBackprop predicts held-out rows no better than a guess at their largest class ({largest:.3f} "
                "right). Use a smaller lam, a ramp, more rounds, or more records."
            )
            self.findings_.append(Finding(code="task_lost", severity="warning", text=text))


HELD_OUT = 300  # held-out rows below which all rows are read: a classifier learns nothing from fewer
LOST = 0.01  # accuracy above the largest class below which the task counts as lost
