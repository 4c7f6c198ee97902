"""One attribute of the records, sensitive or useful: class codes or numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.data.shares import plug_in_entropy

AttributeKind = Literal["categorical", "continuous"]

# The joint of several attributes is their product while it has at most this many cells (design, section 2).
MAX_JOINT_CELLS = 50


@dataclass(frozen=True, eq=False)
class Attribute:
    """One attribute of the records.

    Attributes
    ----------
    kind : {"categorical", "continuous"}
    codes : int64 ndarray of shape (n,)
        Class of each row, -1 where missing; all -1 for a continuous attribute.
    values : float64 ndarray of shape (n,)
        Value of each row, NaN where missing; all NaN for a categorical attribute.
    levels : tuple of str
        Names of the classes; empty for a continuous attribute.
    became : ndarray of bool, shape (n,), or None
        Rows whose text says that a value was missing ("nan"), which may also be a class; None where there are none.

    Examples
    --------
    >>> sex = Attribute("sex", "categorical", np.array([0, 1, -1, 0]), np.full(4, np.nan), ("f", "m"))
    >>> sex.n_classes, sex.known.tolist(), sex.take(np.array([1, 2])).codes.tolist()
    (2, [True, True, False, True], [1, -1])
    """

    name: str
    kind: AttributeKind
    codes: np.ndarray
    values: np.ndarray
    levels: tuple[str, ...] = ()
    became: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def known(self) -> np.ndarray:
        """Mask of the rows whose value is not missing."""
        return self.codes >= 0 if self.kind == "categorical" else ~np.isnan(self.values)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for a continuous attribute."""
        return len(self.levels)

    def entropy(self) -> float:
        """Plug-in entropy of the known rows in nats; only a categorical attribute has one."""
        if self.kind != "categorical":
            raise InvalidParameterError(
                f"{self.name!r} is continuous; only a categorical attribute has an entropy. Bin it first."
            )
        return plug_in_entropy(np.bincount(self.codes[self.known]))

    def take(self, rows: np.ndarray) -> "Attribute":
        """Return the attribute of `rows` (numbers or mask); the levels stay."""
        became = None if self.became is None else self.became[rows]
        return Attribute(self.name, self.kind, self.codes[rows], self.values[rows], self.levels, became)


@dataclass(frozen=True, eq=False)
class Attributes(Sequence[Attribute]):
    """Several attributes of the same records.

    Examples
    --------
    >>> sex = Attribute("sex", "categorical", np.array([0, 1, 0, 1]), np.full(4, np.nan), ("f", "m"))
    >>> old = Attribute("old", "categorical", np.array([0, 0, 1, 1]), np.full(4, np.nan), ("no", "yes"))
    >>> Attributes((sex, old)).joint().levels
    ('f × no', 'f × yes', 'm × no', 'm × yes')
    """

    items: tuple[Attribute, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: Any) -> Any:
        return self.items[i]

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.items)

    @property
    def names(self) -> tuple[str, ...]:
        """Names, in order."""
        return tuple(item.name for item in self.items)

    def take(self, rows: np.ndarray) -> "Attributes":
        """Return the attributes of `rows` (numbers or mask)."""
        return Attributes(tuple(item.take(rows) for item in self.items))

    def joint(self) -> Attribute | None:
        """Return the product attribute; None if one is continuous or the product has more than 50 cells.

        Only combinations that occur become classes; a row with any value missing is missing.
        """
        if not self.items or any(item.kind != "categorical" for item in self.items):
            return None
        if len(self.items) == 1:
            return self.items[0]
        sizes = [item.n_classes for item in self.items]
        if int(np.prod(sizes)) > MAX_JOINT_CELLS:
            return None
        known = np.all([item.known for item in self.items], axis=0)
        cells = np.ravel_multi_index([np.where(known, item.codes, 0) for item in self.items], sizes)
        present, compact = np.unique(cells[known], return_inverse=True)
        codes = np.full(len(known), -1, dtype=np.int64)
        codes[known] = compact
        parts = zip(*np.unravel_index(present, sizes), strict=True)
        levels = tuple(" × ".join(item.levels[i] for item, i in zip(self.items, part, strict=True)) for part in parts)
        return Attribute("joint", "categorical", codes, np.full(len(codes), np.nan), levels)


def check_shared(name: str, n_classes: int, n: int, learner: str = "a transform") -> None:
    """Refuse an attribute whose values records do not share: nothing is learned from classes of one record.

    Examples
    --------
    >>> check_shared("sex", 2, 100)
    >>> check_shared("patient", 90, 100)
    Traceback (most recent call last):
    withhold.contracts.errors.DataError: The sensitive attribute 'patient' must be one that several records share ...
    """
    if n_classes > max(2, n // 2):
        raise DataError(
            f"The sensitive attribute {name!r} must be one that several records share (got {n_classes} classes in {n} "
            f"rows): {learner} cannot hide an identifier. Leave it out, or merge its classes."
        )
