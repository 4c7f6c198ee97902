"""A fixed utility model: what it says of records, and a network that stands in for it where it has no gradient.

The user's model is never changed. It is asked about tables in the form that the user's own table had, so a scikit-learn
pipeline with its own encoder works as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from withhold.contracts.errors import DataError, InvalidParameterError, InvalidTypeError
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute
from withhold.data.codec import TableCodec
from withhold.data.frames import from_arrow
from withhold.methods.aioi.posterior import Distilled, distil
from withhold.methods.estimator.fit_data import FitData

TRIED = 16  # records that show whether a module returns logits
ROUNDING = 1e-3  # of a sum of probabilities, at the precision of half floats
LEAST = 1e-6  # probability: a forest that says 0 is not certain, and a loss without limit teaches nothing
ASKED = 60_000  # rows the model is asked about beyond the records
HIDDEN = (128, 128)


@dataclass(frozen=True)
class UtilityModel:
    """The user's model over tables of one codec.

    Parameters
    ----------
    model : torch.nn.Module or classifier
        A module takes encoded records (``codec.encode``) and returns logits; anything else needs `predict_proba` and
        gets the feature columns as a pandas data frame.
    """

    model: Any
    codec: TableCodec

    @torch.no_grad()
    def log_shares(self, table: pa.Table, classes: int | None = None) -> np.ndarray:
        """Return log p(u | x) of each record, (n, n_classes); a module must have `classes` outputs where given."""
        if isinstance(self.model, nn.Module):
            model, rows = self.model.eval(), torch.from_numpy(self.codec.encode(table))
            check_logits(model, rows[:TRIED], classes)
            return np.asarray(torch.log_softmax(model(rows), dim=1).numpy(), dtype=np.float64)
        if not hasattr(self.model, "predict_proba"):
            kind = type(self.model).__name__
            raise InvalidTypeError(
                f"utility_model must be a torch module or a fitted classifier with predict_proba (got a {kind}). Wrap "
                "it, or pass y alone."
            )
        frame = from_arrow(table, "pandas")
        names = getattr(self.model, "feature_names_in_", None)
        if names is not None:
            absent = [str(name) for name in names if name not in frame.columns]
            if absent:
                raise DataError(
                    f"utility_model reads {', '.join(map(repr, absent))}, which the release will not contain. Fit the "
                    "model without them, or name dropped columns in keep."
                )
            frame = frame[list(names)]
        shares = np.asarray(self.model.predict_proba(frame), dtype=np.float64)
        shares = np.maximum(shares, LEAST)
        return np.asarray(np.log(shares / shares.sum(axis=1, keepdims=True)))

    def agreement(self, log_shares: np.ndarray, y: Attribute) -> dict[str, float]:
        """Return how often the model's likeliest class is that of `y`, for a classifier that names its classes.

        Raises
        ------
        DataError
            Its classes are not those of `y`: it was made for something else.
        """
        classes = getattr(self.model, "classes_", None)
        if classes is None or y.kind != "categorical":
            return {}
        own, asked = [_level(value) for value in np.asarray(classes).ravel()], list(map(_level, y.levels))
        if sorted(own) != sorted(asked):
            raise DataError(
                f"utility_model predicts {', '.join(map(repr, own[:8]))}, but the classes of y are "
                f"{', '.join(map(repr, y.levels[:8]))}. Pass y as the model was fitted on it."
            )
        code = np.array([asked.index(name) for name in own])
        return {"utility_model_accuracy": float((code[log_shares.argmax(axis=1)] == y.codes)[y.known].mean())}

    def stand_in(self, data: FitData, one_hot: Any) -> Distilled:
        """Return a network over one-hot cells that was fitted to what the model says.

        It learns from the records and from mixtures of two, each column taken from one of them: a release holds
        combinations that no record has, and there too the network must say what the model would.

        Parameters
        ----------
        data : FitData
            Of a table.
        one_hot : callable
            Cells (n, columns) to the network's input.
        """
        rng, cells = stream(data.rng_seed, "distillation"), np.asarray(data.cells)
        extra = rng.integers(data.n, size=(2, min(ASKED, max(2_000, data.n))))
        taken = rng.random((extra.shape[1], cells.shape[1])) < rng.random((extra.shape[1], 1))
        asked = np.concatenate([cells, np.where(taken, cells[extra[0]], cells[extra[1]])])
        said = self.log_shares(self.codec.from_cells(asked, rng.random(asked.shape)))
        inputs = one_hot(torch.from_numpy(asked.astype(np.int64)))
        return distil(inputs, torch.from_numpy(said).to(inputs.dtype), HIDDEN, int(rng.integers(1 << 62)))


@torch.no_grad()
def check_logits(model: Callable[[Tensor], Any], rows: Tensor, classes: int | None = None) -> None:
    """Refuse a network that does not return one logit a class for the first `rows`.

    Raises
    ------
    InvalidParameterError
        It cannot read them, has other than `classes` outputs, or returns probabilities.

    Examples
    --------
    >>> check_logits(nn.Linear(3, 2), torch.zeros(4, 3), 2)
    >>> check_logits(nn.Softmax(dim=1), torch.zeros(4, 3))
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: utility_model must return logits, but it returns ...
    """
    asked = "one logit per class of y" if classes is None else f"{classes} logits per record, one per class of y"
    records = f"{len(rows)} records of shape {tuple(rows.shape[1:])}, {str(rows.dtype).removeprefix('torch.')}"
    try:
        outputs = model(rows)
    except (RuntimeError, TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"utility_model cannot read {records}: {' '.join(str(error).split())}. Wrap it in a module that brings "
            "records into the form and precision it expects."
        ) from error
    shape = tuple(outputs.shape) if isinstance(outputs, Tensor) else None
    if shape is None or len(shape) != 2 or shape[0] != len(rows) or shape[1] < 2 or shape[1] != (classes or shape[1]):
        got = f"a {type(outputs).__name__}" if shape is None else f"shape {shape} for {len(rows)} records"
        raise InvalidParameterError(
            f"utility_model must return {asked} (got {got}). Check its last layer, and that y has the classes it knows."
        )
    if not bool(outputs.isfinite().all()):
        raise InvalidParameterError(
            "utility_model returns NaN or infinity. Check its weights, and how it scales its inputs."
        )
    if bool(((outputs >= 0) & (outputs <= 1)).all()) and bool((outputs.sum(dim=1) - 1).abs().max() < ROUNDING):
        raise InvalidParameterError(
            "utility_model must return logits, but it returns probabilities. Take the softmax out of its last layer, "
            "or append a module that takes the logarithm."
        )


def _level(value: object) -> str:
    """Return a class as text; 1, 1.0, np.int64(1) and True are one class of two libraries."""
    text = str(value)
    try:
        return f"{float({'True': 1, 'False': 0}.get(text, text)):g}"
    except ValueError:
        return text
