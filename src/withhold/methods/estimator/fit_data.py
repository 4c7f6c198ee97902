"""What a method is given to learn from: encoded features, the sensitive attributes and nothing it need not see."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

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
        The utility attribute where there is exactly one; never a feature.
    utilities : Attributes or None
        All utility attributes; None where there is none. More than one only for methods that say `several_y`.
    groups : ndarray of int or None
        Subject of each row; subjects stay together in every split.
    codec : TableCodec or None
        How the table became `H`; None for an array.
    table : pyarrow.Table or None
        The features before encoding; None for an array and for images.
    shape : tuple of int or None
        Of one record with a shape, channels last: (height, width), (height, width, channels) or (time, channels); `H`
        holds it flat. None for tables and flat matrices.
    bounded : bool
        Whether `H` holds pixels on [0, 1], to which a release in the records' own form is clipped. Other signals come
        as they are: scale them.
    rng_seed : int
        Seed of everything random in training; derive streams with ``contracts.seeds.stream(rng_seed, name)``.
    device, precision : str
        As the user gave them, such as "auto" and "32-true".
    """

    H: Any
    sensitive: Attributes
    y: Attribute | None = None
    groups: np.ndarray | None = None
    codec: TableCodec | None = None
    table: pa.Table | None = None
    utilities: Attributes | None = None
    shape: tuple[int, ...] | None = None
    bounded: bool = False
    rng_seed: int = 0
    device: str = "auto"
    precision: str = "32-true"

    def __post_init__(self) -> None:
        """Let `y` and `utilities` agree, whichever was given."""
        if self.utilities is None and self.y is not None:
            object.__setattr__(self, "utilities", Attributes((self.y,)))
        elif self.y is None and self.utilities is not None and len(self.utilities) == 1:
            object.__setattr__(self, "y", self.utilities[0])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.H.shape[0])

    @property
    def digest(self) -> str:
        """SHA-256 of all that a training learns from: records, attributes, subjects and seed."""
        hashed = hashlib.sha256(str(self.rng_seed).encode())
        parts = [self.H.data, self.H.indices, self.H.indptr] if sp.issparse(self.H) else [self.H]
        for attribute in (*self.sensitive, None, *(self.utilities or ())):
            parts += [np.zeros(1)] if attribute is None else [attribute.codes, attribute.values]
        for part in (*parts, *([] if self.groups is None else [self.groups])):
            hashed.update(np.ascontiguousarray(part).data)
        return hashed.hexdigest()

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
