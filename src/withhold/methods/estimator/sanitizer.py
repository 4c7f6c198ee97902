"""The contract of every method: scikit-learn's estimator, plus a sensitive attribute at fit and a release at transform.

A method implements five small things (`_fit_encoded`, `_encode`, `_noise_scale`, `_state`, `_restore`) and says
what it guarantees; reading tables, coding, keyed noise, decoding, output containers and saving are here, once.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from withhold.contracts.checks import Between, OneOf, check_parameters
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import RandomState
from withhold.data.columns.numeric import Scaling
from withhold.data.tally import Tally
from withhold.methods.estimator.artifact import write_sanitizer
from withhold.methods.estimator.decoder import CrossFittedDecoder
from withhold.methods.estimator.diagnosis import few_records
from withhold.methods.estimator.drift import new_tally, release_counting, warn_of_drift
from withhold.methods.estimator.dropped import warn_of_dropped
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.fitting import Fitted, finish, start
from withhold.methods.estimator.inputs import Features
from withhold.methods.estimator.release import (
    NONE,
    Draws,
    add_noise,
    decoded,
    delivered,
    key_and_note,
    names_out,
    released,
)
from withhold.methods.estimator.settings import DECODES, OUTPUTS, check_shared
from withhold.privacy.noise_key import NoiseKey


@dataclass(kw_only=True, eq=False, repr=False)
class Sanitizer(TransformerMixin, BaseEstimator, ABC):
    """Base of every method; see `DeepMinMax` or `LEACE` for the parameters.

    Parameters are the fields of a keyword-only dataclass: a subclass is one too and adds its own, each with its
    constraint in the annotation. scikit-learn reads the constructor that comes of it.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        Columns that are features, for tables: not the sensitive, utility or group columns.
    n_features_in_ : int
    diagnostics_ : dict of str to float
        ``effective_rank``, ``noise_to_spread`` and what the method adds.
    curves_ : dict of str to list of float
        Training curves, where there is training.
    findings_ : list of Finding
    digest_ : str
        SHA-256 of the fitted state. It is part of the noise: another fit draws other noise.
    """

    command_name: ClassVar[str] = ""
    """What the method is called on the command line; "" for the class name in lower case."""
    needs_y: ClassVar[bool] = False
    """Whether `fit` needs the utility attribute."""
    needs_sensitive: ClassVar[bool] = True
    """Whether `fit` needs the sensitive attribute; where not, `data.sensitive` may be empty."""
    several_y: ClassVar[bool] = False
    """Whether several utility attributes are understood; they are in `data.utilities`."""
    accepts_images: ClassVar[bool] = False
    """Whether records may have a shape: images, windows of a signal. `data.H` holds them flat, `data.shape` says it."""
    codec_space: ClassVar[bool] = False
    """Whether Z lives in the encoded space, so that a table or images come back and no decoder is needed."""
    own_table: ClassVar[bool] = False
    """Whether the method has its own way from Z to a table: it overrides `_decode`, and no decoder is trained."""
    copies_apart: ClassVar[bool] = False
    """Whether copies of a record get draws of their own: by their order among the rows (`Draws.apart`), or unkeyed."""
    numeric: ClassVar[Scaling] = "score"
    """How the codec scales numbers: "score" (normal scores) or "affine" (exact, linear)."""
    accepts_sparse: ClassVar[bool] = False
    fresh_noise: ClassVar[bool] = False
    """Whether draws are never keyed: each release is new, costs its epsilon and is counted."""
    needs_class: ClassVar[bool] = False
    """Whether `transform` needs y for new records too, where `fit` was given it."""
    unsaved: ClassVar[tuple[str, ...]] = ("noise_key",)
    """Parameters that never enter the artifact: secrets and modules."""

    sensitive_features: str | Sequence[str] | None = None
    """Names of columns of X to hide, for a `fit` that is not given them, as in a Pipeline without metadata routing."""
    drop: Sequence[str] = ()
    """Columns that are no features, whatever they look like; they are not needed at transform."""
    output: Annotated[str, OneOf(OUTPUTS)] = "auto"
    decode: Annotated[str, OneOf(DECODES)] = "sample"
    noise_key: NoiseKey | None = None
    noise_seed: Annotated[int, Between()] | None = None
    keep: Sequence[str] = ()
    sensitive_kinds: Mapping[str, str] | None = None
    categorical: Sequence[str] = ()
    continuous: Sequence[str] = ()
    device: str = "auto"
    random_state: RandomState = None

    # What a method implements

    @abstractmethod
    def _fit_encoded(self, data: FitData) -> None:
        """Learn from the encoded rows; set `curves_`, extend `diagnostics_` and `findings_`."""

    @abstractmethod
    def _encode(self, H: Any) -> np.ndarray:
        """Return the deterministic part of Z, shape (n_samples, n_dimensions)."""

    @abstractmethod
    def _noise_scale(self) -> float | np.ndarray:
        """Return the standard deviation of the keyed noise added to Z (one, or one a column); 0 for none."""

    @abstractmethod
    def _state(self) -> dict[str, np.ndarray]:
        """Return all that was learned, as arrays."""

    @abstractmethod
    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        """Take back what `_state` returned; `header` is the artifact's."""

    @abstractmethod
    def guarantee(self) -> Guarantee:
        """Say what is promised, against whom, and whether it holds for the data of the fit."""

    def _draw(self, H: Any, draws: Draws) -> np.ndarray:
        """Return Z of some rows with all that is random in it; override where that is more than additive noise.

        Everything random must come from `draws`, so that a record comes out the same every time. Under label "release"
        stand the draws of the noise that is added to Z.
        """
        return add_noise(self._encode(H), self._noise_scale(), draws)

    def _random(self) -> bool:
        """Return whether anything in Z is drawn."""
        return bool(np.any(np.asarray(self._noise_scale()) > 0))

    def _try(self, H: Any) -> np.ndarray:
        """Return Z of empty records, going through all that was restored; override where `_encode` does not."""
        return self._encode(H)

    # What the user calls

    def check(self) -> None:
        """Refuse parameters that cannot be used; it needs no data, and `fit` and the command line begin with it.

        Raises
        ------
        InvalidParameterError
            The first one that cannot be used, and the values it may have.
        """
        check_parameters(self)
        check_shared(self)

    def fit(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None, **unsupported: Any
    ) -> Self:
        """Learn the transform.

        Parameters
        ----------
        X : DataFrame (pandas, polars, pyarrow), ndarray or tensor
            One record a row. For methods that accept images also arrays or tensors of three or four dimensions, and a
            table whose only feature is a column of images.
        y : str, list of str, array or DataFrame, optional
            The utility attribute, a column name or values; never a feature of the release.
        sensitive_features : str, list of str, array or DataFrame
            What must be hidden; by default what the constructor was given. Columns named here are dropped; they are
            not needed at transform.
        groups : str or array, optional
            Subject of each record; subjects stay together in every split.
        **unsupported
            `sample_weight` is refused with a reason.

        Returns
        -------
        self

        Warns
        -----
        DroppedColumnsWarning
            Columns look like identifiers or free text and are left out; `keep` and `drop` decide it.
        """
        self._fit(X, y, sensitive_features, groups, unsupported)
        warn_of_dropped(self, above=2)
        return self

    def transform(self, X: Any) -> Any:
        """Return the release of `X`, in the container `X` came in. The sensitive attribute is not needed.

        Parameters
        ----------
        X : as in `fit`
            Columns that are not features are ignored.

        Returns
        -------
        table or array
            As the parameter `output` says.

        Warns
        -----
        DriftWarning
            The rows are unlike those of the fit: see `withhold.methods.estimator.drift.drift_of`.
        """
        check_is_fitted(self)
        tally = new_tally(self)
        released = release_counting(self, X, tally)
        warn_of_drift(self, tally)
        return released

    def fit_transform(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None, **unsupported: Any
    ) -> Any:
        """Fit and return the release of the same rows.

        Where a table is decoded by a trained decoder, each row meets one that was fitted without it and its copies, so
        that the table cannot hold what a decoder memorised. ``fit(X).transform(X)`` gives the same, but for subjects:
        with `groups` each row here meets a decoder that was fitted without any row of its subject, which `transform`,
        where subjects are not known, cannot promise.

        Parameters
        ----------
        X, y, sensitive_features, groups, **unsupported
            As in `fit`.

        Returns
        -------
        table or array
        """
        features, H, rows, folds = self._fit(X, y, sensitive_features, groups, unsupported)
        warn_of_dropped(self, above=2)
        return self._deliver(features, self._release(H, rows), rows, folds)

    def represent(self, X: Any) -> np.ndarray:
        """Return the released representation Z of `X` as an array, whatever `output` says."""
        check_is_fitted(self)
        _, H, rows = self._read(X)
        return self._release(H, rows)

    def save(self, path: str | Path) -> None:
        """Write the fitted sanitiser to one file that holds no secret and runs no code when it is loaded.

        The noise key is not in it: keep it apart (``noise_key_.save``) and give it again to `withhold.load`. What it
        holds of single records is said under "What a sanitiser's file holds" in ``docs/reading-the-numbers.md``.
        """
        check_is_fitted(self)
        write_sanitizer(self, path)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of the output."""
        check_is_fitted(self)
        return names_out(self, input_features)

    @property
    def output_(self) -> str:
        """What the parameter `output` came to: "table", "images" or "representation"."""
        check_is_fitted(self)
        return self._form()

    @property
    def noise_key_(self) -> NoiseKey:
        """The secret that draws the noise: given, made at fit, or of `noise_seed`. Save it for later releases."""
        check_is_fitted(self)
        return self._key()[0]

    @property
    def noise_note_(self) -> str:
        """What a reader must be told about the noise of this release."""
        check_is_fitted(self)
        return self._key()[1] if self._draws() else NONE

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "digest_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.accepts_sparse
        # A network computes in single precision whatever comes in.
        tags.transformer_tags.preserves_dtype = ["float64", "float32"] if self.codec_space else []
        return tags

    # How it is done

    def _fit(self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any]) -> Fitted:
        data, features = self._start(X, y, sensitive_features, groups, unsupported, first=True)
        self.diagnostics_: dict[str, float] = {}
        self.curves_: dict[str, list[float]] = {}
        self.findings_: list[Finding] = few_records(data.n, data.sensitive)
        self._fit_encoded(data)
        return self._finish(data, features)

    def _start(
        self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any], first: bool
    ) -> tuple[FitData, Features]:
        return start(self, X, y, sensitive_features, groups, unsupported, first)

    def _use(self, encoding: Encoding) -> None:
        self.encoding_, self.codec_, self.n_features_in_ = encoding, encoding.codec, encoding.n_features
        self.decoder_: CrossFittedDecoder | None = None
        if encoding.names is not None:
            self.feature_names_in_ = np.asarray(encoding.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _finish(self, data: FitData, features: Features) -> Fitted:
        return finish(self, data, features)

    def _read(self, X: Any, tally: Tally | None = None) -> tuple[Features, Any, np.ndarray | None]:
        """Read new rows: features, encoded features and, where something hangs on them, canonical bytes."""
        features = self.encoding_.read(X, self.accepts_sparse)
        return features, self.encoding_.encode(features, tally), self._rows(features)

    def _rows(self, features: Features) -> np.ndarray | None:
        return self.encoding_.rows(features) if self._draws() or self.decoder_ is not None else None

    def _release(self, H: Any, rows: np.ndarray | None) -> np.ndarray:
        return released(self, H, rows)

    def _decode(self, Z: np.ndarray, folds: np.ndarray | None = None, rows: np.ndarray | None = None) -> pa.Table:
        return decoded(self, Z, folds, rows)

    def _deliver(
        self, features: Features, Z: np.ndarray, rows: np.ndarray | None, folds: np.ndarray | None = None
    ) -> Any:
        return delivered(self, features, Z, rows, folds)

    def _form(self) -> str:
        if self.output == "representation":
            return "representation"
        if self.encoding_.image is not None:
            return "images" if self.codec_space else "representation"
        return "table" if self.output == "table" or self.codec_ is not None else "representation"

    def _draws(self) -> bool:
        """Whether the key decides anything: what is random in Z, or which cell a decoder picks."""
        return self._random() or (self.decoder_ is not None and self.decoder_.draws)

    def _key(self) -> tuple[NoiseKey, str]:
        return key_and_note(self.noise_key, self.noise_seed, self._fresh_key)
