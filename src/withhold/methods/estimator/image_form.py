"""Images and windows of a signal as flat numbers, and back in their shape and type."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.contracts.images import image_array, image_column, image_names
from withhold.contracts.wording import advice, flags
from withhold.data.tally import Tally
from withhold.methods.estimator.release import canonical_rows

# What is watched for drift in place of every pixel.
WATCHED = ("brightness", "contrast")


@dataclass(frozen=True)
class ImageForm:
    """What one record looks like: a picture, or a window of a signal (time, channels).

    Attributes
    ----------
    method : str
        Whom to name in messages.
    name : str
        The column that holds the images.
    shape : tuple of int
        Of one record, channels last: (height, width), (height, width, channels) or (time, channels).
    dtype : numpy.dtype
        uint8, uint16, float32 or float64.
    bounded : bool
        Whether H lies in [0, 1]: whole pixels are divided by their maximum; floats are taken as they are, and are
        bounded where all of the fit lay in [0, 1].
    """

    method: str
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    bounded: bool

    @classmethod
    def learn(cls, table: pa.Table, method: str) -> Self:
        """Read the form off the records of the fit.

        Examples
        --------
        >>> table = pa.table({"image": image_column(np.full((2, 4, 3), 255, np.uint8))})
        >>> form = ImageForm.learn(table, "M")
        >>> form.shape, form.bounded, form.encode(table).max()
        ((4, 3), True, np.float32(1.0))
        """
        names = image_names(table)
        if table.num_columns != 1:
            others = [name for name in table.column_names if name != names[0]]
            raise DataError(
                f"{method} takes the images of {names[0]!r} only without columns beside them: X also has "
                f"{', '.join(map(repr, others[:5]))}. "
                + advice(
                    "Drop these, or name them as sensitive_features, y or groups.",
                    f"Add {flags('--drop', others[:5])}, or name them as --sensitive, --utility or --groups.",
                )
            )
        images = image_array(table.column(names[0]), f"X of {method}")
        whole = images.dtype.kind == "u"
        bounded = whole or bool(len(images) and images.min() >= 0 and images.max() <= 1)
        form = cls(method, names[0], tuple(images.shape[1:]), images.dtype, bounded)
        form.check(table)
        return form

    @property
    def width(self) -> int:
        """Numbers in one record."""
        return int(np.prod(self.shape))

    def check(self, table: pa.Table) -> pa.Table:
        """Return the column of images in the type of the fit, or say what is wrong with it."""
        names = image_names(table)
        name = self.name if self.name in names else names[0] if len(names) == 1 else None
        if name is None:
            raise DataError(
                f"X has no column {self.name!r} of images or windows. Pass an array of shape "
                f"(n, {', '.join(map(str, self.shape))})."
            )
        images = image_array(table.column(name), f"X of {self.method}")
        if tuple(images.shape[1:]) != self.shape:
            raise DataError(
                f"{self.method} was fitted on records of shape {self.shape}, but X has records of shape "
                f"{tuple(images.shape[1:])}. Resize them."
            )
        if images.dtype.kind != self.dtype.kind or (self.dtype.kind == "u" and images.dtype != self.dtype):
            raise InvalidTypeError(
                f"{self.method} was fitted on {self.dtype} values, but X holds {images.dtype}. Convert X as you "
                "converted the data of the fit."
            )
        if self.dtype.kind == "f" and not np.isfinite(images).all():
            raise DataError("X contains NaN or infinity. Fill those values, or leave out their records.")
        field = table.schema.field(name).with_name(self.name)
        if images.dtype == self.dtype:
            return pa.Table.from_arrays([table.column(name)], schema=pa.schema([field]))
        column = image_column(images.astype(self.dtype))
        return pa.Table.from_arrays([column], schema=pa.schema([field.with_type(column.type)]))

    def encode(self, table: pa.Table, tally: Tally | None = None) -> np.ndarray:
        """Return H, float32 of shape (n_samples, n_numbers), of a checked table; whole pixels on [0, 1]."""
        images = image_array(table.column(self.name))
        H = images.reshape(len(images), self.width).astype(np.float32)
        if self.dtype.kind == "u":
            H /= np.float32(np.iinfo(self.dtype).max)
        if tally is not None:
            tally.matrix(_watched(H))
        return H

    def decode(self, Z: np.ndarray, like: pa.Table) -> pa.Table:
        """Return Z as a table of images in the type of the fit: within their range, whole where pixels are whole.

        `like` is the table they were read from: a tensor with its channels first goes back so.
        """
        values = np.clip(Z, 0, 1) if self.bounded else Z
        if self.dtype.kind == "u":
            values = np.rint(values * np.iinfo(self.dtype).max)
        column = image_column(np.asarray(values).astype(self.dtype).reshape(len(Z), *self.shape))
        return pa.Table.from_arrays([column], schema=pa.schema([like.schema.field(self.name)]))

    def rows(self, table: pa.Table) -> np.ndarray:
        """Return the raw pixels of each record as bytes."""
        images = image_array(table.column(self.name))
        return canonical_rows(images.reshape(len(images), self.width))

    def tally(self, table: pa.Table) -> Tally:
        """Return an empty count of brightness and contrast whose ranges are those of the fit."""
        return Tally(dict(zip(WATCHED, Tally.of_matrix(_watched(self.encode(table))).columns.values(), strict=True)))

    def header(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"name": self.name, "shape": list(self.shape), "dtype": str(self.dtype), "bounded": self.bounded}

    @classmethod
    def from_header(cls, header: Mapping[str, Any], method: str) -> Self:
        """Rebuild from `header`."""
        shape = tuple(int(side) for side in header["shape"])
        dtype = np.dtype(header["dtype"])
        if len(shape) not in (2, 3) or min(shape) < 1 or dtype.kind not in "uf" or dtype.itemsize > 8:
            raise ValueError(f"records of shape {shape} and type {dtype}")
        return cls(method, str(header["name"]), shape, dtype, bool(header["bounded"]))


def _watched(H: np.ndarray) -> np.ndarray:
    return np.stack([H.mean(axis=1), H.std(axis=1)], axis=1)
