r"""CADP: release records as a generator sees them, with a differential-privacy guarantee that is true.

M. Tölle, U. Köthe, F. André, B. Meder, S. Engelhardt, "Content-Aware Differential Privacy with Conditional Invertible
Neural Networks", 2022 (tolle2022cadp).

Idea. An invertible network f, trained on rows that are not released, maps a record to a standard normal latent given
its class. A private answer for that latent is decoded under the class: the noise changes what an image shows, not its
pixels, so the release still looks like a record.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, c(y)             a record, its class, the class as the flow's condition
f_theta, z             ``flow_``, its latent
s, epsilon             radius of the L1 ball, `epsilon`
Lap(s / epsilon)       `LatentNoise`
=====================  ================================================================

Equations. (1) `methods.cadp.training.train_flow`; (4) and Algorithm 1, ``preset="paper"``.

Departures, and why.

1. Two latents of L1 norm s are up to 2 s apart, so Lap(s / epsilon) has epsilon twice as large (enumerated in the
   tests of `privacy`). The paper's preset reports it; the default noise has scale 2 s / epsilon.
2. The published code divides a whole batch by its largest column sum instead of each record by its norm: its releases
   depend on other records and nothing is promised. That is not offered.
3. Theorem 1's proof compares distances of images with those of latents, which no flow preserves, and is not needed:
   what is computed from a private answer without the record is as private. The flow need not preserve volume either.
4. Noise is drawn exactly, on an integer grid or over a codebook, by the operating system's generator: floating-point
   Laplace noise has gaps that tell records apart.
5. ``mechanism="privunit"`` by default, on the `directions` in which the decoder is most active, weighted by how active,
   both found from the flow alone: at one epsilon it keeps far more of the direction of a latent than Laplace noise on
   all coordinates, which leaves a fresh sample of the class. Other coordinates are drawn from the prior.
6. The class is public, or answered at random (``label="randomised"``) with a part of epsilon; then the record is
   decoded under the answer.
7. A flow trained on the released records tells of them by itself; ``flow_training`` says whether it was.
8. `control` draws what the generator makes without any record, to stand beside every figure.
9. No value of a record decides whether its batch is released: it is brought within limits (`latent.any_record`).

Guarantee. Local differential privacy of each released record: see `guarantee`.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from withhold.contracts.checks import OneOf, PaperPreset, Precision, Size, Weight
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.guarantee import Guarantee
from withhold.data.tally import Tally
from withhold.methods.cadp.any_record import read_any
from withhold.methods.cadp.condition import Condition, Labelled, with_codes
from withhold.methods.cadp.counted_releases import CountedReleases
from withhold.methods.cadp.fitted_rows import ReleaseCount
from withhold.methods.cadp.latent_flow import LatentFlow
from withhold.methods.cadp.latent_noise import MECHANISMS, LatentNoise
from withhold.methods.cadp.settings import Settled
from withhold.methods.cadp.terms import FRESH_NOISE, findings_of, guarantee_of
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.fitting import Fitted
from withhold.methods.estimator.inputs import Features
from withhold.methods.estimator.release import SEEDED
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.estimator.settings import agree


@dataclass(kw_only=True, eq=False, repr=False)
class CADP(CountedReleases, Sanitizer):
    """Release records under local differential privacy, through an invertible network.

    Parameters
    ----------
    epsilon : int, float, str or Fraction, default=4
        Of each record's release, all in all; exact (a float is read as it prints).
    mechanism : {"privunit", "laplace"}, default="privunit"
        The private answer for the latent: a random direction near the true one, or noise on clipped values.
    directions : int or None, default=16
        Latent directions that the answer is about, the most active ones first; None for all.
    label : {"public", "randomised"}, default="public"
        Whether the class is handed over as it is, which the guarantee then does not cover, or answered at random.
    label_epsilon : number, optional
        Part of `epsilon` spent on a randomised class; half of it by default.
    flow_training : {"public", "same-data"}, default="public"
        What the rows of `fit` are. "public": not among the released records, so that the flow tells nothing of them.
        "same-data": they may be, and nothing is promised for those.
    coupling : {"gin", "glow"}, default="gin"
        Couplings that preserve volume, or not.
    hidden, channels : int, optional
        Width of dense and of convolutional layers; by the shape of the records.
    input_noise : float, optional
        Noise in training, in units of the encoded values: 0.1 for images, else 0.05.
    rounds : int, optional
        Batches of training; by default ten passes, at least 200.
    total : number, optional
        What all releases of one record may cost together; one beyond it is refused. They are counted in any case: in
        memory, which a saved file does not hold, so that a loaded sanitiser with a total releases nothing without a
        ledger (`charge_to`).
    preset : {None, "paper"}, default=None
        "paper": Algorithm 1 on all directions. Its guarantee is for twice the `epsilon` given.
    checkpoint : path, optional
        File that an interrupted training goes on from, with the same result; removed at the end.
    precision : str, default="32-true"
    noise_key : None
        Refused: noise of a key would be the same in every release, and a guarantee needs fresh draws.
    noise_seed : int, optional
        For tests: draws that can be repeated. Nothing is promised then.
    sensitive_features, drop, output, keep, sensitive_kinds, categorical, continuous, device,
    random_state
        As for every method; see `Noise`. `fit` takes the class as `y`; `sensitive_features` is optional.

    Attributes
    ----------
    epsilon_ : Fraction
        What one release of a record costs, exactly.
    flow_ : LatentFlow
    diagnostics_ : dict
        ``held_out_nats`` of the flow, a dimension; ``round_trip``; ``activity``: share of all change along the
        directions kept.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=600)
    >>> X = np.c_[3 * y + rng.normal(size=600), rng.normal(size=(600, 2))]
    >>> method = CADP(epsilon=8, directions=2, random_state=0).fit(X[:400], y[:400])
    >>> method.transform(X[400:], y[400:]).shape
    (200, 3)
    >>> print(method.guarantee().claim.split(":")[0])
    Whatever the record was, no release is more than 2,990 times as likely for it as for another
    """

    command_name: ClassVar[str] = "cadp"
    accepts_images: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False
    codec_space: ClassVar[bool] = True
    fresh_noise: ClassVar[bool] = True
    copies_apart: ClassVar[bool] = True
    needs_class: ClassVar[bool] = True
    unsaved = ("noise_key", "checkpoint")

    epsilon: float | str | Fraction = 4
    mechanism: Annotated[str, OneOf(MECHANISMS)] = "privunit"
    directions: Size | None = 16
    label: Annotated[str, OneOf(("public", "randomised"))] = "public"
    label_epsilon: float | str | Fraction | None = None
    flow_training: Annotated[str, OneOf(("public", "same-data"))] = "public"
    coupling: Annotated[str, OneOf(("gin", "glow"))] = "gin"
    hidden: Size | None = None
    channels: Size | None = None
    input_noise: Weight | None = None
    rounds: Size | None = None
    total: float | str | Fraction | None = None
    preset: PaperPreset = None
    checkpoint: str | Path | None = None
    precision: Precision = "32-true"

    def transform(self, X: Any, y: Any = None, *, identifiers: Any = None) -> Any:
        """Return the release of `X`: every call draws anew, and costs `epsilon_` for each record.

        Parameters
        ----------
        X : as in `fit`
        y : array, optional
            Class of each record; not needed where `X` is a table that has it under the name of the fit.
        identifiers : sequence, optional
            What names each record or its person in every release, for the count; by default the record itself.

        See Also
        --------
        release : For a randomised class; it also returns the classes that the records were released under.
        """
        return self.release(X, y, identifiers=identifiers)[0]

    def release(self, X: Any, y: Any = None, *, identifiers: Any = None) -> tuple[Any, np.ndarray | None]:
        """Return the release of `X` and the class each record was released under (None without classes).

        The true class must not be handed over beside records that were released under a randomised one.

        Raises
        ------
        BudgetExceededError
            Some record would cost more than `total`; nothing is drawn then.
        DataError
            With ``flow_training="public"``: they are rows of the fit. Two or a few that may have the values of some by
            chance are warned of. Of a loaded sanitiser this is not known, because nothing of the rows is saved.
        """
        check_is_fitted(self)
        features, H, rows = self._read(self.labelled(X, y))
        self._charge(rows, identifiers)
        Z, codes = self._drawn(H, rows)
        levels = np.asarray(self.condition_.levels, dtype=object)
        return self._deliver(features, Z, rows), levels[codes] if len(levels) else None

    def fit_transform(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None, **unsupported: Any
    ) -> Any:
        """Fit and release the same rows; refused where ``flow_training="public"`` says that these are not released."""
        if self.flow_training == "public" and self.noise_seed is None:
            raise InvalidParameterError(
                "With flow_training='public' the rows that train the flow are not protected, so fit_transform cannot "
                "release them. Fit on public rows and transform others, or set flow_training='same-data'."
            )
        return super().fit_transform(X, y, sensitive_features=sensitive_features, groups=groups, **unsupported)

    def control(self, classes: Any) -> Any:
        """Return the no-record control: releases that no record has a part in, in the form of arrays or pyarrow tables.

        A use that does as well with them has got nothing from the records.

        Parameters
        ----------
        classes : int or array
            How many, for a flow without classes; else the class of each.
        """
        check_is_fitted(self)
        n = int(classes) if np.ndim(classes) == 0 else len(classes)
        codes = self.condition_.codes(None, None if np.ndim(classes) == 0 else classes, n)
        records = self.flow_.decode(self.noise_.without_record(n), codes)
        return self._deliver(self.flow_.features_like(self.encoding_), records, None)

    def latents(self, X: Any, y: Any = None, *, kept: bool = False) -> np.ndarray:
        """Return the latents of `X`, or what of them a release is about, for the audit; they are not private."""
        check_is_fitted(self)
        _, H, _ = self._read(self.labelled(X, y))
        z = self.flow_.encode(H[:, :-1], H[:, -1].astype(np.int64))
        return z @ self.noise_.basis if kept else z

    def labelled(self, X: Any, y: Any) -> Any:
        """Return records and classes in one, for what passes `X` on to `_read`."""
        return X if y is None else Labelled(X, y)

    def log_likelihood(self, X: Any, y: Any = None) -> np.ndarray:
        """Return the log-likelihood of `X` under the flow in nats, but for a constant, for the audit."""
        check_is_fitted(self)
        _, H, _ = self._read(self.labelled(X, y))
        return self.flow_.log_likelihood(H[:, :-1], H[:, -1].astype(np.int64))

    def with_mechanism(self, **settings: Any) -> Self:
        """Return a fitted copy with other settings, such as `epsilon`: one flow, and one count of releases."""
        check_is_fitted(self)
        other = copy.copy(self)
        other.set_params(**settings)
        other.settled_ = Settled.of(other)
        other._settle()
        if isinstance(other.count_, ReleaseCount):
            other.count_ = other.count_.under(other.settled_.total)
        kept = [finding for finding in self.findings_ if finding not in findings_of(self.settled_, self.condition_)]
        other.findings_ = [*kept, *findings_of(other.settled_, other.condition_)]
        return other

    def guarantee(self) -> Guarantee:
        """Return what is promised of each released record, in a paragraph that can be quoted."""
        return guarantee_of(self.settled_, self.condition_, self.noise_seed is not None)

    @property
    def epsilon_(self) -> Fraction:
        """What one release of a record costs, exactly."""
        check_is_fitted(self)
        return self.settled_.epsilon

    @property
    def noise_note_(self) -> str:
        """What a reader must be told about the noise of this release."""
        check_is_fitted(self)
        return FRESH_NOISE if self.noise_seed is None else SEEDED

    def check(self) -> None:
        """Refuse parameters that cannot be used, alone or beside each other."""
        super().check()
        Settled.of(self)

    def _start(
        self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any], first: bool
    ) -> tuple[FitData, Features]:
        data, features = super()._start(X, y, sensitive_features, groups, unsupported, first)
        self.settled_ = Settled.of(self)
        self.condition_ = Condition.learn(data.y, type(self).__name__)
        codes = np.zeros(data.n, np.int64) if data.y is None else data.y.codes
        return replace(data, H=with_codes(data.H, codes)), features

    def _fit_encoded(self, data: FitData) -> None:
        self.flow_ = LatentFlow.train(self, data, len(self.condition_.levels))
        self._settle()
        self.curves_ = self.flow_.curves
        self.diagnostics_ |= self.flow_.diagnostics
        self.findings_ += findings_of(self.settled_, self.condition_)

    def _settle(self) -> None:
        """Make the mechanism for the directions asked for."""
        settled, classes = self.settled_, len(self.condition_.levels)
        basis, weights = self.flow_.basis(settled.directions), self.flow_.weights(settled.directions)
        epsilons = settled.latent_epsilon, settled.label_epsilon
        self.noise_ = LatentNoise(settled.mechanism, epsilons[0], basis, classes, epsilons[1], weights)

    def _read(self, X: Any, tally: Tally | None = None) -> tuple[Features, Any, np.ndarray | None]:
        X, y = (X.X, X.y) if isinstance(X, Labelled) else (X, None)
        features = read_any(self.encoding_, X, self.flow_.limits(getattr(self.encoding_.image, "bounded", False)))
        H, rows = self.encoding_.encode(features, tally), self._rows(features)
        codes = self.condition_.codes(X, y, len(H))
        return features, with_codes(H, codes), rows

    def _encode(self, H: Any) -> np.ndarray:
        """Return the records themselves: the flow's round trip, which is what a release is without noise."""
        return np.asarray(H[:, :-1])

    def _try(self, H: Any) -> np.ndarray:
        codes = np.zeros(len(H), np.int64)
        self.flow_.encode(H, codes)
        return self.flow_.decode(np.zeros(H.shape), codes)

    def _release(self, H: Any, rows: np.ndarray | None) -> np.ndarray:
        self._charge(rows)
        return self._drawn(H, rows)[0]

    def _finish(self, data: FitData, features: Features) -> Fitted:
        fitted = super()._finish(data, features)
        self._start_counting(fitted=self.encoding_.rows(features))
        return fitted

    def _drawn(self, H: Any, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return releases, and the classes they were decoded under."""
        codes = H[:, -1].astype(np.int64)
        z = self.flow_.encode(H[:, :-1], codes)
        if self.noise_seed is None or rows is None:
            shown, noised = self.noise_.classes(codes), self.noise_.released(z)
        else:
            draws = self._drawing(rows)
            shown, noised = self.noise_.rehearsed_classes(codes, draws), self.noise_.rehearsed(z, draws)
        return self.flow_.decode(noised, shown).astype(H.dtype), shown

    def _random(self) -> bool:
        return True

    def _noise_scale(self) -> float:
        return 0.0  # nothing is added to Z; what is drawn is drawn in the latent space

    def _state(self) -> dict[str, np.ndarray]:
        return {**self.flow_.state(), "condition": self.condition_.to_bytes()}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        self.settled_ = Settled.of(self)
        self._start_counting(loaded=True)
        self.condition_ = Condition.from_bytes(state["condition"], type(self).__name__)
        self.flow_ = LatentFlow.restore(state)
        agree("a record of numbers", self.flow_.flow.plan.dimensions, self.encoding_.width)
        agree("classes", self.flow_.flow.plan.classes, len(self.condition_.levels))
        self._settle()
