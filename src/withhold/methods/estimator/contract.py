"""The contract of every method: its parameters, what its paper implements, and what a fitted one does with records.

A method implements five small things (`_fit_encoded`, `_encode`, `_noise_scale`, `_state`, `_restore`) and says
what it guarantees; reading tables, coding, keyed noise, decoding, output containers and saving are here, once.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
import sklearn
import torch
from sklearn.base import BaseEstimator, TransformerMixin

from withhold.contracts.checks import Between, OneOf, check_parameters
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import RandomState
from withhold.data.codec import TableCodec
from withhold.data.columns.numeric import Scaling
from withhold.data.frames import from_arrow
from withhold.data.tally import Tally
from withhold.methods.estimator.decoder import CrossFittedDecoder
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.fitted_release import FittedRelease, chunk_rows
from withhold.methods.estimator.inputs import Features
from withhold.methods.estimator.release import Draws, add_noise, key_and_note
from withhold.methods.estimator.settings import DECODES, OUTPUTS, check_shared
from withhold.privacy.noise_key import NoiseKey


@dataclass(kw_only=True, eq=False, repr=False)
class Method(TransformerMixin, BaseEstimator, ABC):
    """Parameters of every method, what its paper adds, and what a fitted one does with records.

    Parameters are the fields of a keyword-only dataclass: a subclass is one too and adds its own, each with its
    constraint in the annotation. scikit-learn reads the constructor that comes of it.

    Attributes
    ----------
    encoding_ : Encoding
        How records become numbers; it is there before a method learns.
    seed_ : int
        Of all that is random in the fit.
    release_ : FittedRelease
        What the fit settled; without it nothing is fitted.
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

    def check(self) -> None:
        """Refuse parameters that cannot be used; it needs no data, and `fit` and the command line begin with it.

        Raises
        ------
        InvalidParameterError
            The first one that cannot be used, and the values it may have.
        """
        check_parameters(self)
        check_shared(self)

    # What a fitted method does with records

    @property
    def codec_(self) -> TableCodec | None:
        """How a table becomes numbers and comes back; None for arrays and images."""
        return self.encoding_.codec

    @property
    def decoder_(self) -> CrossFittedDecoder | None:
        """The trained way from Z to a table, where there is one."""
        return self.release_.decoder

    @property
    def digest_(self) -> str:
        """SHA-256 of the fitted state. It is part of the noise: another fit draws other noise."""
        return self.release_.digest

    def _use(self, encoding: Encoding, seed: int) -> None:
        """Begin with how records become numbers, before anything is learned."""
        self.encoding_, self.n_features_in_ = encoding, encoding.n_features
        self.seed_, self._fresh_key = seed, NoiseKey.generate()
        if encoding.names is not None:
            self.feature_names_in_ = np.asarray(encoding.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _tell(self, diagnostics: dict[str, float], curves: dict[str, list[float]], findings: Sequence[Finding]) -> None:
        self.diagnostics_, self.curves_, self.findings_ = diagnostics, curves, list(findings)

    def _settle_on(self, release: FittedRelease) -> None:
        self.release_ = release

    def _read(self, X: Any, tally: Tally | None = None) -> tuple[Features, Any, np.ndarray | None]:
        """Read new rows: features, encoded features and, where something hangs on them, canonical bytes."""
        features = self.encoding_.read(X, self.accepts_sparse)
        return features, self.encoding_.encode(features, tally), self._rows(features)

    def _rows(self, features: Features) -> np.ndarray | None:
        return self.encoding_.rows(features) if self._draws() or self.decoder_ is not None else None

    def _release(self, H: Any, rows: np.ndarray | None) -> np.ndarray:
        """Return Z with all that is random in it, a chunk of rows at a time.

        Parameters
        ----------
        H : ndarray or sparse matrix of shape (n_samples, n_encoded)
        rows : ndarray of uint8 or None
            Canonical bytes of the records; None where nothing is drawn.
        """
        random, parts, step = self._random(), [], chunk_rows(int(H.shape[1]))
        for start in range(0, H.shape[0], step):
            part = H[start : start + step]
            if random and rows is not None:
                parts.append(self._draw(part, self._drawing(rows[start : start + step])))
            else:
                parts.append(self._encode(part))
        if not parts:
            return np.empty((0, self.release_.width), dtype=H.dtype if self.codec_space else np.float32)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _decode(self, Z: np.ndarray, folds: np.ndarray | None = None, rows: np.ndarray | None = None) -> pa.Table:
        """Return the table of Z: through the codec where Z lives in its space, else by the fitted decoder."""
        if self.codec_ is None or (self.decoder_ is None and not self.codec_space):
            raise InvalidParameterError(
                f"{type(self).__name__} was fitted with output={self.output!r} and cannot return a table. Fit again "
                "with output='table'."
            )
        if self.decoder_ is None:
            return self.codec_.decode(Z)
        return self.release_.read_table(Z, self._key()[0], folds, rows)

    def _deliver(
        self, features: Features, Z: np.ndarray, rows: np.ndarray | None, folds: np.ndarray | None = None
    ) -> Any:
        """Return Z as what the user asked for, in the container the rows came in or the one set by `set_output`."""
        if self._form() == "representation":
            return torch.from_numpy(np.ascontiguousarray(Z)) if features.container == "torch" else Z
        if self._form() == "images":
            return from_arrow(self.encoding_.pictured(Z, features), features.container, features.index)
        asked = getattr(self, "_sklearn_output_config", {}).get("transform", sklearn.get_config()["transform_output"])
        container = asked if asked in ("pandas", "polars") else features.container
        table = self._decode(Z, folds, rows)
        return from_arrow(table, container, features.index if container == "pandas" else None)

    def _form(self) -> str:
        if self.output == "representation":
            return "representation"
        if self.encoding_.image is not None:
            return "images" if self.codec_space else "representation"
        return "table" if self.output == "table" or self.codec_ is not None else "representation"

    def _draws(self) -> bool:
        """Whether the key decides anything: what is random in Z, or which cell a decoder picks."""
        return self._random() or (self.decoder_ is not None and self.decoder_.draws)

    def _drawing(self, rows: np.ndarray) -> Draws:
        """Return what is random in the release of records, given by their canonical bytes."""
        return self.release_.draws(self._key()[0], rows)

    def _key(self) -> tuple[NoiseKey, str]:
        return key_and_note(self.noise_key, self.noise_seed, self._fresh_key)
