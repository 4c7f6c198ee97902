"""What a method is given to learn from: encoded features, the sensitive attributes and nothing it need not see."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.data.attributes import Attribute, Attributes
from withhold.data.codec import TableCodec


@dataclass(frozen=True)
class FitData:
    """The training rows in the form every method learns from.

    Attributes
    ----------
    H : ndarray of shape (n_samples, n_encoded)
        Encoded features: float32 for a table; the values themselves (float32 or float64) for an array. A SciPy
        sparse matrix for methods that accept one.
    sensitive : Attributes
        What must be hidden. ``attribute.known`` is False where a value is missing: mask these rows only in terms
        that need the attribute.
    y : Attribute or None
        The utility attribute; never a feature.
    groups : ndarray of int or None
        Subject of each row; subjects stay together in every split.
    codec : TableCodec or None
        How the table became `H`; None for an array.
    table : pyarrow.Table or None
        The features before encoding; None for an array.
    rng_seed : int
        Seed of everything random in training; derive streams with ``contracts.seeds.stream(rng_seed, name)``.
    device, precision : str
        As the user gave them, such as "auto" and "32-true".
    progress : object or None
        Where to report progress; None lets the training loop open its own bar.
    """

    H: Any
    sensitive: Attributes
    y: Attribute | None = None
    groups: np.ndarray | None = None
    codec: TableCodec | None = None
    table: pa.Table | None = None
    rng_seed: int = 0
    device: str = "auto"
    precision: str = "32-true"
    progress: Any = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.H.shape[0])

    @cached_property
    def cells(self) -> np.ndarray | None:
        """Discrete code of each column, int32 of shape (n_samples, n_columns); None for an array."""
        if self.codec is None or self.table is None:
            return None
        return np.asarray(self.codec.cells(self.table))

    @property
    def cell_counts(self) -> tuple[int, ...] | None:
        """Number of cells of each column of `cells`; None for an array."""
        return None if self.codec is None else tuple(int(count) for count in self.codec.cell_counts)
