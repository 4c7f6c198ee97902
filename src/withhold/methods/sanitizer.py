"""The contract of every method: scikit-learn's estimator, plus a sensitive attribute at fit and a release at transform.

A method implements five small things (`_fit_encoded`, `_encode`, `_noise_scale`, `_state`, `_restore`) and says
what it guarantees; reading tables, coding, keyed noise, decoding, output containers and saving are here, once.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
import sklearn
import torch
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import RandomState, root, stream
from withhold.data.columns.numeric import Scaling
from withhold.data.frames import from_arrow
from withhold.data.tally import Tally
from withhold.methods.decoder import CrossFittedDecoder, row_folds
from withhold.methods.diagnosis import diagnose, lost_in_table, repeated_records
from withhold.methods.drift import new_tally, release_counting, warn_of_drift
from withhold.methods.encoding import Encoding
from withhold.methods.fit_data import FitData
from withhold.methods.inputs import Features, is_frame, read_fit_inputs
from withhold.methods.packing import encoded_digest, seal, write_sanitizer
from withhold.methods.release_noise import NONE, add_noise, key_and_note
from withhold.methods.settings import check_settings
from withhold.privacy.noise_key import NoiseKey

DIAGNOSED_ROWS = 5_000  # enough for the spectrum of some hundred columns; keeps diagnosis under a second
CHUNK = 65_536  # rows encoded at a time: bounds memory at some ten MB for usual widths


class Sanitizer(TransformerMixin, BaseEstimator, ABC):
    """Base of every method; see `DeepMinMax` or `LEACE` for the parameters.

    Subclasses list all parameters in their own ``__init__`` (scikit-learn reads its signature) and hand the
    common ones to this one.

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

    codec_space: ClassVar[bool] = False
    """Whether Z lives in the encoded space, so that a table comes back through the codec and no decoder is needed."""
    numeric: ClassVar[Scaling] = "score"
    """How the codec scales numbers: "score" (normal scores) or "affine" (exact, linear)."""
    accepts_sparse: ClassVar[bool] = False
    unsaved: ClassVar[tuple[str, ...]] = ("noise_key",)
    """Parameters that never enter the artifact: secrets and modules."""

    def __init__(
        self,
        *,
        output: str = "auto",
        noise_key: NoiseKey | None = None,
        noise_seed: int | None = None,
        keep: Sequence[str] = (),
        sensitive_kinds: Mapping[str, str] | None = None,
        categorical: Sequence[str] = (),
        continuous: Sequence[str] = (),
        device: str = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.output = output
        self.noise_key = noise_key
        self.noise_seed = noise_seed
        self.keep = keep
        self.sensitive_kinds = sensitive_kinds
        self.categorical = categorical
        self.continuous = continuous
        self.device = device
        self.random_state = random_state

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

    def _decode(self, Z: np.ndarray, folds: np.ndarray | None = None, rows: np.ndarray | None = None) -> pa.Table:
        """Return the table of Z: through the codec where Z lives in its space, else by the fitted decoder."""
        if self.codec_ is None or (self.decoder_ is None and not self.codec_space):
            raise InvalidParameterError(
                sentence(
                    f"The 'output' parameter of {type(self).__name__}",
                    "set before fit",
                    repr(self.output),
                    "The way back to a table is learned at fit.",
                    "Fit again with output='table'.",
                )
            )
        if self.decoder_ is None:
            return self.codec_.decode(Z)
        sampled = getattr(self, "decode", "mode") == "sample"
        key = (self._key()[0], bytes.fromhex(self.digest_), rows) if sampled and rows is not None else None
        return self.decoder_.decode(Z, self.codec_, folds=folds, key=key)

    # What the user calls

    def fit(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None, **unsupported: Any
    ) -> Self:
        """Learn the transform.

        Parameters
        ----------
        X : DataFrame (pandas, polars, pyarrow), ndarray or tensor
            One record a row.
        y : str or array, optional
            The utility attribute, a column name or values; never a feature of the release.
        sensitive_features : str, list of str, array or DataFrame
            What must be hidden. Columns named here are dropped; they are not needed at transform.
        groups : str or array, optional
            Subject of each record; subjects stay together in every split.
        **unsupported
            `sample_weight` is refused with a reason.

        Returns
        -------
        self
        """
        self._fit(X, y, sensitive_features, groups, unsupported)
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
            The rows are unlike those of the fit: see `withhold.methods.drift.drift_of`.
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

        It differs from ``fit(X).transform(X)`` where a table is decoded by a trained decoder: here each row is
        decoded by a decoder that was fitted on other rows (other subjects, and no copy of the row), so that the
        table of the training rows cannot hold what a decoder memorised. New rows are decoded by all decoders.

        Parameters
        ----------
        X, y, sensitive_features, groups, **unsupported
            As in `fit`.

        Returns
        -------
        table or array
        """
        features, H, rows, folds = self._fit(X, y, sensitive_features, groups, unsupported)
        return self._deliver(features, self._release(H, rows), rows, folds)

    def represent(self, X: Any) -> np.ndarray:
        """Return the released representation Z of `X` as an array, whatever `output` says."""
        check_is_fitted(self)
        _, H, rows = self._read(X)
        return self._release(H, rows)

    def save(self, path: str | Path) -> None:
        """Write the fitted sanitiser to one file that holds no secret and runs no code when it is loaded.

        The noise key is not in it: keep it apart (``noise_key_.save``) and give it again to `withhold.load`.
        """
        check_is_fitted(self)
        write_sanitizer(self, path)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of the output."""
        check_is_fitted(self)
        if self._tabled():
            return np.asarray(self._table_names, dtype=object)
        if self.codec_space and self.codec_ is None:
            return np.asarray(
                [f"x{j}" for j in range(self._width)] if input_features is None else input_features, dtype=object
            )
        return np.asarray([f"{type(self).__name__.lower()}{j}" for j in range(self._width)], dtype=object)

    @property
    def output_(self) -> str:
        """What the parameter `output` came to: "table" or "representation"."""
        check_is_fitted(self)
        return "table" if self._tabled() else "representation"

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

    def _fit(
        self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any]
    ) -> tuple[Features, Any, np.ndarray | None, np.ndarray | None]:
        data, features = self._start(X, y, sensitive_features, groups, unsupported, first=True)
        self.diagnostics_: dict[str, float] = {}
        self.curves_: dict[str, list[float]] = {}
        self.findings_: list[Finding] = []
        self._fit_encoded(data)
        return self._finish(data, features)

    def _start(
        self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any], first: bool
    ) -> tuple[FitData, Features]:
        """Read and encode the training rows; `first` says whether the encoding is learned from them."""
        check_settings(self, unsupported)
        name = type(self).__name__
        inputs = read_fit_inputs(
            X,
            y,
            sensitive_features,
            groups,
            method=name,
            kinds=self.sensitive_kinds,
            coded=is_frame(X) or self.output == "table",
            accept_sparse=self.accepts_sparse,
        )
        # Until it is sealed again this is not fitted: an interrupted fit must not release with half of an earlier one.
        if hasattr(self, "digest_"):
            del self.digest_
        if first:
            self.seed_, self._fresh_key = root(self.random_state), NoiseKey.generate()
            asked = {"keep": self.keep, "categorical": self.categorical, "continuous": self.continuous}
            # A list may name the sensitive column too; it is no feature, so the codec does not know it.
            kinds = {
                role: [column for column in names if column not in inputs.removed] for role, names in asked.items()
            }
            self._use(Encoding.learn(inputs.features, method=name, numeric=self.numeric, kinds=kinds))
        features = inputs.features if first else self.encoding_.check(inputs.features)
        data = FitData(
            H=self.encoding_.encode(features, self.encoding_.seen),
            sensitive=inputs.sensitive,
            y=inputs.y,
            groups=inputs.groups,
            codec=self.codec_,
            table=features.table,
            rng_seed=self.seed_,
            device=self.device,
            precision=getattr(self, "precision", "32-true"),
        )
        return data, features

    def _use(self, encoding: Encoding) -> None:
        self.encoding_, self.codec_, self.n_features_in_ = encoding, encoding.codec, encoding.n_features
        if encoding.names is not None:
            self.feature_names_in_ = np.asarray(encoding.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _finish(self, data: FitData, features: Features) -> tuple[Features, Any, np.ndarray | None, np.ndarray | None]:
        """Seal what was learned: digest, diagnosis, decoders."""
        self.decoder_: CrossFittedDecoder | None = None
        self.digest_ = seal(self)
        self.training_ = {"rows": data.n, "digest": encoded_digest(data.H)}
        rows, folds = self._rows(features), None
        sample = np.sort(stream(self.seed_, "diagnosis").permutation(data.n)[:DIAGNOSED_ROWS])
        H = data.H[sample]
        Z = self._encode(H)
        self._width, self._table_names = int(Z.shape[1]), list[str]()
        measured, findings = diagnose(H.toarray() if sp.issparse(H) else H, Z, self._noise_scale())
        self.diagnostics_.update(measured)
        self.findings_ += [*([] if self.codec_ is None else self.codec_.findings), *findings]
        if rows is not None and self._noisy():
            measured, findings = repeated_records(rows)
            self.diagnostics_.update(measured)
            self.findings_ += findings
        if self.codec_ is not None and self._tabled():
            if not self.codec_space:
                unit = data.groups if data.groups is not None else self.encoding_.rows(features)
                folds = row_folds(unit, stream(self.seed_, "decoder folds"))
                released = self._release(data.H, rows)
                self.decoder_ = CrossFittedDecoder.fit(released, data, folds, stream(self.seed_, "decoder"))
            part = None if rows is None else rows[sample]
            plain = self._decode(Z, rows=part)
            self._table_names = plain.column_names
            if part is not None and self._noisy():
                self.findings_ += lost_in_table(plain, self._decode(self._release(H, part), rows=part))
        return features, data.H, rows, folds

    def _read(self, X: Any, tally: Tally | None = None) -> tuple[Features, Any, np.ndarray | None]:
        """Read new rows: features, encoded features and, where something random hangs on them, canonical bytes."""
        features = self.encoding_.read(X, self.accepts_sparse)
        return features, self.encoding_.encode(features, tally), self._rows(features)

    def _rows(self, features: Features) -> np.ndarray | None:
        return self.encoding_.rows(features) if self._draws() else None

    def _release(self, H: Any, rows: np.ndarray | None) -> np.ndarray:
        """Return Z with its noise, a chunk of rows at a time."""
        key, scale, noisy, parts = self._key()[0], self._noise_scale(), self._noisy(), []
        for start in range(0, H.shape[0], CHUNK):
            Z = self._encode(H[start : start + CHUNK])
            if noisy and rows is not None:
                Z = add_noise(Z, scale, key, bytes.fromhex(self.digest_), rows[start : start + CHUNK])
            parts.append(Z)
        if not parts:
            return np.empty((0, self._width), dtype=H.dtype if self.codec_space else np.float32)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _deliver(
        self, features: Features, Z: np.ndarray, rows: np.ndarray | None, folds: np.ndarray | None = None
    ) -> Any:
        """Return Z as what the user asked for, in the container the rows came in or the one set by `set_output`."""
        if not self._tabled():
            return torch.from_numpy(np.ascontiguousarray(Z)) if features.container == "torch" else Z
        asked = getattr(self, "_sklearn_output_config", {}).get("transform", sklearn.get_config()["transform_output"])
        container = asked if asked in ("pandas", "polars") else features.container
        return from_arrow(self._decode(Z, folds, rows), container, features.index if container == "pandas" else None)

    def _tabled(self) -> bool:
        return self.output == "table" or (self.output == "auto" and self.codec_ is not None)

    def _noisy(self) -> bool:
        return bool(np.any(np.asarray(self._noise_scale()) > 0))

    def _draws(self) -> bool:
        """Whether the key decides anything: noise, or which cell a decoder picks."""
        return self._noisy() or getattr(self, "decode", "mode") == "sample"

    def _key(self) -> tuple[NoiseKey, str]:
        return key_and_note(self.noise_key, self.noise_seed, self._fresh_key)
