"""The class a record is released under: learned at fit, read again at transform, never guessed."""

import json
import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError, sentence
from withhold.data.attribute import Attribute
from withhold.data.frames import to_frame
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
    levels : tuple of str
    """

    method: str
    name: str = ""
    levels: tuple[str, ...] = ()

    @classmethod
    def learn(cls, label: Attribute | None, method: str) -> Self:
        """Take the classes of `label`, or refuse what no class can be made of.

        Examples
        --------
        >>> label = Attribute("y", "categorical", np.array([0] * 12 + [1]), np.full(13, np.nan), ("a", "b"))
        >>> Condition.learn(label, "CADP")
        Traceback (most recent call last):
        ...
        withhold.contracts.errors.DataError: Each class of 'y' must be of at least 10 records. Got 1 of 'b'. ...
        """
        if label is None:
            return cls(method)
        if label.kind != "categorical":
            why = "A value that few records share would give its record away."
            remedy = "Bin it, and pass the bins as text."
            raise InvalidParameterError(
                sentence(f"The 'y' of {method}", "of classes", f"numbers in {label.name!r}", why, remedy)
            )
        if not label.known.all():
            why = "A record is made again under its class."
            got = f"{int((~label.known).sum())} missing in {label.name!r}"
            raise DataError(
                sentence(f"The 'y' of {method}", "known for every record", got, why, "Name it a class too.")
            )
        counts = np.bincount(label.codes, minlength=label.n_classes)
        if counts.min() < FEWEST:
            why = "With fewer, what the class looks like is what its single records look like."
            got = f"{counts.min()} of {label.levels[int(counts.argmin())]!r}"
            subject = f"Each class of {label.name!r}"
            raise DataError(
                sentence(subject, f"of at least {FEWEST} records", got, why, "Join it with another, or leave it out.")
            )
        return cls(method, label.name, label.levels)

    def codes(self, X: Any, y: Any, n: int) -> np.ndarray:
        """Return the class numbers of `n` records, from `y` or from the column of `X` that has the attribute's name.

        Examples
        --------
        >>> Condition("CADP", "digit", ("0", "1")).codes(None, [1, 0, 1], 3).tolist()
        [1, 0, 1]
        >>> Condition("CADP", "digit", ("0", "1")).codes(None, [7], 1)
        Traceback (most recent call last):
        ...
        withhold.contracts.errors.DataError: The classes of 'digit' must be among those of the fit. Got '7'. ...
        """
        if not self.levels:
            return np.zeros(n, np.int64)
        column = self._column(X, y)
        if len(column) != n:
            why, got = "Rows are matched by position.", f"{len(column)} values"
            raise DataError(
                sentence(f"The 'y' of {self.method}", f"one class for each of {n} records", got, why, "Align.")
            )
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        known = {level: number for number, level in enumerate(self.levels)}
        values = [str(value) for value in encoded.dictionary.to_pylist()]
        unseen = [value for value in values if value not in known]
        if unseen:
            why = "The model of a class that it never saw is noise, and releasing it would be no release of the record."
            listed = ", ".join(self.levels[:8]) + (", ..." if len(self.levels) > 8 else "")
            raise DataError(
                sentence(
                    f"The classes of {self.name!r}",
                    "among those of the fit",
                    ", ".join(map(repr, unseen[:3])),
                    why,
                    f"The classes are {listed}: leave out the other records, or fit with them.",
                )
            )
        numbers = np.array([known[value] for value in values], np.int64)
        return np.asarray(numbers[encoded.indices.to_numpy()])

    def types(self) -> dict[str, pa.DataType]:
        """Return the type of the classes where their names show that they are text.

        Examples
        --------
        >>> Condition("CADP", "ward", ("12", "B3")).types(), Condition("CADP", "digit", ("0", "1")).types()
        ({'ward': DataType(string)}, {})
        """
        text = any(not _is_number(level) for level in self.levels) and not {*self.levels} <= {"True", "False"}
        return {self.name: pa.string()} if text else {}

    def _column(self, X: Any, y: Any) -> pa.ChunkedArray:
        if y is None and is_frame(X):
            table = to_frame(X, f"X of {self.method}").table
            if self.name in table.column_names:
                return table.column(self.name)
        if y is None:
            why = "A record is released under its class, which is not guessed."
            got, remedy = "None", f"Pass y, or a table with the column {self.name!r}."
            raise DataError(
                sentence(f"The 'y' of {self.method}.transform", "the class of each record", got, why, remedy)
            )
        if isinstance(y, str) and is_frame(X):
            return to_frame(X, f"X of {self.method}").table.column(y)
        return label_table(y, "y").column(0)

    def to_bytes(self) -> np.ndarray:
        """Return name and classes as bytes, for an artifact."""
        return np.frombuffer(json.dumps([self.name, self.levels]).encode(), np.uint8).copy()

    @classmethod
    def from_bytes(cls, data: np.ndarray, method: str) -> Self:
        """Rebuild from `to_bytes`."""
        name, levels = json.loads(data.tobytes().decode())
        return cls(method, name, tuple(levels))


def _is_number(level: str) -> bool:
    try:
        return level == level.strip() and math.isfinite(float(level))
    except ValueError:
        return False


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
