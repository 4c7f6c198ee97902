"""The contract of methods that learn a representation for a task: a sanitiser that is also a classifier.

Such a method predicts from what it releases, noise included, so that what a user of the release can do is what is
measured; nothing is predicted from features that were not released.
"""

import json
import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import torch
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d
from torch import nn

from withhold.contracts.errors import ArtifactError, DataError, InvalidTypeError
from withhold.contracts.finding import Finding
from withhold.data.attributes import Attributes, read_attributes
from withhold.data.frames import Frame, to_frame
from withhold.data.labels import check_same_index, label_table, unknown_column
from withhold.io.artifact import content_digest
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import Scale
from withhold.methods.estimator.inputs import Features, is_frame
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.estimator.settings import agree
from withhold.nets.encoders import Encoder
from withhold.nets.restoring import restored

# Have names or types of their own, which a plain array would lose.
LABELLED = (pa.Array, pa.ChunkedArray, pa.Table, pd.DataFrame, torch.Tensor)


class RepresentationClassifier(ClassifierMixin, Sanitizer):
    """Base of methods that need `y`; a subclass adds `_logits`, and the parts of `Sanitizer`.

    `_state` and `_restore` here keep the classes; a subclass extends what they return and take.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Values of `y` in their order, as they were given.
    """

    needs_y: ClassVar[bool] = True
    accepts_images: ClassVar[bool] = True

    classes_: np.ndarray

    @abstractmethod
    def _logits(self, Z: np.ndarray) -> np.ndarray:
        """Return unnormalised log-probabilities of the classes, (n_samples, n_classes), for released rows `Z`."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each row, from its release.

        Returns
        -------
        ndarray of shape (n_samples,)
            In the type of the `y` of the fit.
        """
        chosen = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class given the release of each row.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self)
        Z = self.represent(X)
        return np.asarray(softmax(np.asarray(self._logits(Z), dtype=np.float64), axis=1))

    def _fit(
        self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any]
    ) -> tuple[Features, Any, np.ndarray | None, np.ndarray | None]:
        read, self.classes_ = read_labels(X, y, type(self).__name__)
        return super()._fit(X, read, sensitive_features, groups, unsupported)

    def _state(self) -> dict[str, np.ndarray]:
        return {"classes": _as_bytes(self.classes_)}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        self.classes_ = _from_bytes(state["classes"])


def read_labels(X: Any, y: Any, method: str) -> tuple[Attributes, np.ndarray]:
    """Read the labels of the task, always as classes.

    Parameters
    ----------
    X : as in `fit`
        Where `y` may name a column.
    method : str
        Whom to name in messages.

    Returns
    -------
    attributes : Attributes
        Of one attribute, categorical also where its values are numbers.
    classes : ndarray
        The values, in the order of the class codes.

    Raises
    ------
    DataError
        There is no `y`, more than one, a single class, or values that are no classes.

    Examples
    --------
    >>> attributes, classes = read_labels(np.zeros((3, 1)), np.array([5, 7, 5]), "IIDM")
    >>> attributes[0].codes.tolist(), classes.tolist()
    ([0, 1, 0], [5, 7])
    """
    if y is None:
        raise DataError(
            f"{method} requires y to be passed, but the target y is None. Pass the labels, or use a method without a "
            "task, such as DeepMinMax."
        )
    check_same_index(X, y, "y")
    frame = to_frame(X, f"X of {method}") if is_frame(X) else None
    if hasattr(y, "__array__") and not isinstance(y, LABELLED) and not hasattr(y, "to_frame") and not is_frame(y):
        y = _one_column(np.asarray(y), method)
    named = _named(y, frame)
    table = label_table(y, "y") if named is None or frame is None else frame.table.select(named)
    if table.num_columns != 1:
        raise DataError(f"{method} predicts one y (got {table.num_columns} columns). Pass one column, or combine them.")
    column = table.column(0)
    _refuse_numbers(column, method)
    if len(pc.unique(column.drop_null())) < 2:
        raise DataError(f"y has one class; {method} needs at least two. Check the labels.")
    kinds = {table.column_names[0]: "categorical"}
    read = read_attributes(named or table, frame=frame, kinds=kinds, role="y")
    values, codes = column.to_pylist(), read[0].codes
    return read, np.array([values[int(np.flatnonzero(codes == k)[0])] for k in range(read[0].n_classes)])


def _named(y: Any, frame: Frame | None) -> list[str] | None:
    """Return the columns of X that `y` names; None where it holds labels."""
    known = [] if frame is None else frame.table.column_names
    if isinstance(y, str):
        if y not in known:
            raise unknown_column(y, known, "y")
        return [y]
    listed = isinstance(y, list | tuple) and bool(y) and all(isinstance(item, str) and item in known for item in y)
    return list(y) if listed else None


def _one_column(y: np.ndarray, method: str) -> np.ndarray:
    try:
        return np.asarray(column_or_1d(y, warn=True))
    except ValueError as error:
        raise _no_labels(method, error) from error


def _refuse_numbers(column: pa.ChunkedArray, method: str) -> None:
    """Refuse quantities: floats that are no whole numbers, and infinities."""
    if not pa.types.is_floating(column.type):
        return
    values = column.to_numpy()
    try:
        if np.isinf(values).any():
            raise ValueError("Input y contains infinity or a value too large for dtype('float64')")
        check_classification_targets(values[~np.isnan(values)])
    except ValueError as error:
        raise _no_labels(method, error) from error


def _no_labels(method: str, error: Exception) -> DataError:
    return DataError(
        f"{method} cannot read y as classes: {str(error).rstrip('.')}. Pass one label per row; bin a quantity first."
    )


def _as_bytes(classes: np.ndarray) -> np.ndarray:
    """Return labels as JSON in bytes, since an artifact holds numbers alone."""
    values = classes.tolist()
    if not all(isinstance(value, bool | int | float | str) for value in values):
        kinds = ", ".join(sorted({type(value).__name__ for value in values}))
        raise InvalidTypeError(f"Labels y of type {kinds} cannot be saved. Convert them to strings: y.astype(str).")
    return np.frombuffer(json.dumps(values).encode(), dtype=np.uint8).copy()


def _from_bytes(stored: np.ndarray) -> np.ndarray:
    return np.array(json.loads(np.asarray(stored, dtype=np.uint8).tobytes().decode()))


CHUNK = 4_096  # rows a time: intermediate results of a convolution stay in memory


class EncoderClassifier(RepresentationClassifier):
    """Base of methods whose fit leaves `encoder_`, `classifier_`, `scale_`, `shape_` and `noise_`.

    A subclass has the parameter `encoder`, the user's module or None, and says what untrained networks look like.
    """

    unsaved: ClassVar[tuple[str, ...]] = ("noise_key", "encoder")

    encoder: nn.Module | None
    architecture: str
    noise: float
    preset: str | None
    encoder_: Encoder
    classifier_: nn.Module
    scale_: Scale
    shape_: tuple[int, ...]
    noise_: float

    @abstractmethod
    def _new_encoder(self) -> Encoder:
        """Return an untrained encoder for records of `shape_`."""

    @abstractmethod
    def _new_classifier(self, dimensions: int) -> nn.Module:
        """Return an untrained classifier of `classes_` from a representation."""

    def _form_findings(self, data: FitData) -> list[Finding]:
        """Say so where records that look like windows of signals were read as images."""
        if self.architecture != "auto" or data.bounded or len(data.shape or ()) != 2:
            return []
        text = (
            f"Records of shape {data.shape} with values outside [0, 1] were read as grey images. Set "
            "architecture='windows' if they are windows of sensor signals, (time, channels), or 'images' if they are "
            "images."
        )
        return [Finding(code="read_as_images", severity="warning", text=text)]

    def _fingerprint(self, data: FitData, start: nn.Module) -> str:
        """Return what identifies a training for its checkpoint: data, settings and the weights it starts from."""
        given = {name: value for name, value in self.get_params().items() if name not in self.unsaved}
        weights = {name: value.detach().cpu().double().numpy() for name, value in start.state_dict().items()}
        return " ".join([data.digest, content_digest({}, weights), repr(sorted(given.items()))])

    @torch.no_grad()
    def _encode(self, H: Any) -> np.ndarray:
        parts = torch.split(torch.from_numpy(self.scale_(np.asarray(H))), CHUNK)
        return torch.cat([self.encoder_(part) for part in parts]).numpy()

    @torch.no_grad()
    def _logits(self, Z: np.ndarray) -> np.ndarray:
        return np.asarray(self.classifier_(torch.from_numpy(np.asarray(Z, dtype=np.float32))).numpy())

    def _try(self, H: Any) -> np.ndarray:
        Z = self._encode(H)
        self._logits(Z)
        return Z

    def _noise_scale(self) -> float:
        return self.noise_

    def _keep(self, encoder: nn.Module, classifier: nn.Module) -> None:
        """Take the trained networks over, to compute with from now on."""
        self.encoder_ = encoder.to("cpu", torch.float32).eval().requires_grad_(False)  # type: ignore[assignment]
        self.classifier_ = classifier.to("cpu", torch.float32).eval().requires_grad_(False)

    def _state(self) -> dict[str, np.ndarray]:
        weights = {f"encoder.{name}": value.numpy() for name, value in self.encoder_.state_dict().items()}
        weights |= {f"classifier.{name}": value.numpy() for name, value in self.classifier_.state_dict().items()}
        sizes = {"shape": np.array(self.shape_), "noise": np.array(self.noise_)}
        scale = {"centre": self.scale_.centre, "spread": self.scale_.spread}
        return {**super()._state(), **sizes, **scale, **weights, "own": np.array(int(self.encoder is not None))}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        super()._restore(state, header)
        if bool(state["own"]) != (self.encoder is not None):
            own = "Pass it: load(path, encoder=module)." if bool(state["own"]) else "Leave out the encoder."
            fitted = "your" if bool(state["own"]) else "its"
            raise ArtifactError(f"This {type(self).__name__} was fitted with {fitted} own encoder. {own}")
        self.scale_, self.noise_ = Scale(state["centre"], state["spread"]), float(state["noise"])
        self.shape_ = tuple(int(side) for side in state["shape"])
        agree("noise", 0.0 if self.preset == "paper" else float(self.noise), self.noise_)
        agree("a record of numbers", math.prod(self.shape_), self.encoding_.width)
        parts = [
            {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
            for prefix in ("encoder.", "classifier.")
        ]
        self.encoder_ = restored(self._new_encoder, parts[0], self.encoder)
        self.classifier_ = restored(lambda: self._new_classifier(self.encoder_.dimensions), parts[1])
