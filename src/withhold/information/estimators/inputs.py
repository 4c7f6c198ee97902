"""The two variables an estimator is given: what they are, checked once, for all estimators alike."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.errors import DataError, InvalidTypeError

# As for attributes of a table: integers with more values than this are neither clearly classes nor clearly numbers.
MAX_INTEGER_VALUES = 20


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable, of one or several columns, all of one kind.

    Attributes
    ----------
    numbers : float64 ndarray of shape (n, columns) or None
        Continuous values.
    codes : int64 ndarray of shape (n, columns) or None
        Classes of each column.
    """

    numbers: NDArray[np.float64] | None
    codes: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.numbers if self.numbers is not None else self._classes())

    @property
    def discrete(self) -> bool:
        """Whether the columns hold classes."""
        return self.codes is not None

    def _classes(self) -> NDArray[np.int64]:
        return self.codes if self.codes is not None else np.empty((0, 0), np.int64)

    def joint_codes(self) -> NDArray[np.int64]:
        """Return one class for each distinct row of classes, shape (n,)."""
        return np.unique(self._classes(), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def columns(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return all rows as numbers: standardised by the mean and spread of `rows`, or one column a class."""
        if self.numbers is not None:
            part = self.numbers[rows]
            spread = part.std(axis=0)
            scaled: NDArray[np.float64] = (self.numbers - part.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
            return scaled
        return np.concatenate([np.eye(int(column.max()) + 1)[column] for column in self._classes().T], axis=1)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two variables of the same records."""

    a: Variable
    b: Variable

    def __len__(self) -> int:
        return len(self.a)

    @property
    def kind(self) -> str:
        """Which it is: both "continuous", "mixed" or both "discrete"."""
        return ("continuous", "mixed", "discrete")[self.a.discrete + self.b.discrete]


def read_pair(a: Any, b: Any, least: int = 2) -> Pair:
    """Return the pair of arrays `a` and `b`.

    Floats are continuous; strings, booleans and integers of at most 20 values are classes.

    Parameters
    ----------
    a, b : array_like of shape (n,) or (n, columns)
    least : int
        Rows needed.

    Examples
    --------
    >>> pair = read_pair([0.5, 1.5, 2.5], ["x", "y", "x"])
    >>> pair.a.discrete, pair.b.discrete, pair.b.codes.ravel().tolist()
    (False, True, [0, 1, 0])
    """
    pair = Pair(_read(a, "a"), _read(b, "b"))
    if len(pair.a) != len(pair.b):
        raise DataError(f"a and b must be equally long (got {len(pair.a)} and {len(pair.b)} rows).")
    if len(pair) < least:
        raise DataError(f"a and b must have at least {least} rows (got {len(pair)}).")
    return pair


def _read(x: Any, name: str) -> Variable:
    array = np.asarray(x)
    if array.ndim not in (1, 2) or array.shape[-1] == 0:
        raise DataError(f"{name} must be of shape (n,) or (n, columns) (got {array.shape}).")
    table = array.reshape(len(array), -1)
    if table.dtype.kind == "f":
        if not np.isfinite(table).all():
            raise DataError(f"{name} must be finite (got NaN or infinity). Leave out those rows in both.")
        return Variable(table.astype(np.float64), None)
    if table.dtype.kind not in "biuUO":
        raise InvalidTypeError(f"{name} must hold numbers, strings or booleans (got {table.dtype}). Cast it.")
    if table.dtype.kind == "O" and any(value is None or value != value for value in table.flat):
        raise DataError(f"{name} must be complete (got None or NaN). Leave out those rows, or name the class.")
    columns = [np.unique(c.astype(str) if c.dtype.kind == "O" else c, return_inverse=True) for c in table.T]
    most = max(len(levels) for levels, _ in columns)
    if table.dtype.kind in "iu" and most > MAX_INTEGER_VALUES:
        raise DataError(
            f"{name} must be floats, or integers of at most {MAX_INTEGER_VALUES} values (got {most}). "
            "Cast numbers to float, and names to str."
        )
    return Variable(None, np.stack([codes.reshape(-1) for _, codes in columns], axis=1).astype(np.int64))
