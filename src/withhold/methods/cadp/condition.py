"""The class a record is released under: learned at fit, read again at transform, never guessed."""

import json
import math
from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np
import pyarrow as pa

from withhold.contracts.checks import check_rows
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.data.attribute import Attribute
from withhold.data.labels import label_table
from withhold.methods.estimator.inputs import is_frame

FEWEST = 10  # records of a class: with fewer a conditional model says what single records look like


@dataclass(frozen=True)
class Condition:
    """The classes of one attribute; without any, records are released without a class.

    Attributes
    ----------
    method : str
        Whom to name in messages.
    name : str
        Of the attribute.
    usual : int
        Number of the most frequent one.
    """

    method: str
    name: str = ""
    levels: tuple[str, ...] = ()
    usual: int = 0

    @classmethod
    def learn(cls, label: Attribute | None, method: str) -> Self:
        """Take the classes of `label`, or refuse what no class can be made of.

        Examples
        --------
        >>> label = Attribute("y", "categorical", np.array([0] * 12 + [1]), np.full(13, np.nan), ("a", "b"))
        >>> Condition.learn(label, "CADP")
        Traceback (most recent call last):
        ...
        withhold.contracts.errors.DataError: CADP needs at least 10 records per class (got 1 of 'b' in 'y'). Join ...
        """
        if label is None:
            return cls(method)
        if label.kind != "categorical":
            raise InvalidParameterError(f"{method} needs a categorical y; {label.name!r} is numeric. Bin it first.")
        if not label.known.all():
            missing = int((~label.known).sum())
            raise DataError(
                f"{method} needs the class of every record; {missing} of {label.name!r} are missing. Give them a class "
                "of their own."
            )
        counts = np.bincount(label.codes, minlength=label.n_classes)
        if counts.min() < FEWEST:
            raise DataError(
                f"{method} needs at least {FEWEST} records per class (got {counts.min()} of "
                f"{label.levels[int(counts.argmin())]!r} in {label.name!r}). Join that class with another, or leave it "
                "out."
            )
        return cls(method, label.name, label.levels, int(counts.argmax()))

    def codes(self, X: Any, y: Any, n: int) -> np.ndarray:
        """Return the class numbers of `n` records, from `y` or from the column of `X` that has the attribute's name.

        A class that is missing, or was not in the fit, is read as the most frequent one: a refusal would tell of it.

        Examples
        --------
        >>> Condition("CADP", "digit", ("0", "1")).codes(None, [1, 0, 1], 3).tolist()
        [1, 0, 1]
        >>> Condition("CADP", "digit", ("0", "1"), usual=1).codes(None, [0, 7, None, 0.0], 4).tolist()
        [0, 1, 1, 0]
        """
        if not self.levels:
            return np.zeros(n, np.int64)
        values = self._values(X, y)
        check_rows("y", len(values), n)
        return np.array([self.usual if code is None else code for code in self._found(values)], np.int64)

    def unknown(self, y: Any) -> int:
        """Return how many records have no class of the fit.

        Examples
        --------
        >>> Condition("CADP", "digit", ("0", "1")).unknown(pa.chunked_array([[0, 7, None, 1]]))
        2
        """
        return sum(code is None for code in self._found(self._values(None, y))) if self.levels else 0

    def _found(self, values: list[Any]) -> list[int | None]:
        known = {level: number for number, level in enumerate(self.levels)}
        numbers = {value: known.get(str(value), known.get(_whole(value))) for value in dict.fromkeys(values)}
        return [numbers[value] for value in values]

    def types(self) -> dict[str, pa.DataType]:
        """Return the type of the classes where their names show that they are text.

        Examples
        --------
        >>> Condition("CADP", "ward", ("12", "B3")).types(), Condition("CADP", "digit", ("0", "1")).types()
        ({'ward': DataType(string)}, {})
        """
        text = any(not _is_number(level) for level in self.levels) and not {*self.levels} <= {"True", "False"}
        return {self.name: pa.string()} if text else {}

    def _values(self, X: Any, y: Any) -> list[Any]:
        name = self.name if y is None else y
        if is_frame(X) and isinstance(name, str) and name in nw.from_native(X, eager_only=True).columns:
            y = nw.from_native(X, eager_only=True)[name].to_native()
        elif y is None:
            raise DataError(
                f"{self.method} needs the class of each record. Pass y, or a table with the column {self.name!r}."
            )
        try:
            return list(label_table(y, "y").column(0).to_pylist())
        except DataError:  # of several types, or categories that Arrow has not
            return [value if isinstance(value, str) else str(value) for value in y]

    def to_bytes(self) -> np.ndarray:
        """Return name, classes and the usual one as bytes, for an artifact."""
        return np.frombuffer(json.dumps([self.name, self.levels, self.usual]).encode(), np.uint8).copy()

    @classmethod
    def from_bytes(cls, data: np.ndarray, method: str) -> Self:
        """Rebuild from `to_bytes`."""
        name, levels, *usual = json.loads(data.tobytes().decode())  # files of before do not say which is usual
        return cls(method, name, tuple(levels), usual[0] if usual and usual[0] in range(len(levels)) else 0)


def _is_number(level: str) -> bool:
    try:
        return level == level.strip() and math.isfinite(float(level))
    except ValueError:
        return False


def _whole(value: Any) -> str:
    """Return a number without decimals as text: a column of whole numbers with gaps comes as floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else ""


class Labelled:
    """Records with their classes in one argument."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y = X, y


def with_codes(H: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return encoded records with their class as a last column, exact in single precision.

    Examples
    --------
    >>> with_codes(np.zeros((2, 1), np.float32), np.array([3, 0])).tolist()
    [[0.0, 3.0], [0.0, 0.0]]
    """
    return np.column_stack([H, codes.astype(H.dtype)])
