"""What every exact mechanism offers: a random map of records, its epsilon, its law on small grids, its terms.

The law is what the tests check: they find every mechanism in this room, list the outputs of a small instance for all
its inputs and compare the probabilities with what is promised.
"""

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.differential_privacy import DifferentialPrivacy
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.guarantee import Guarantee

Exact = int | float | str | Fraction
"""A number that is taken exactly; floats are read as the decimal that they print as."""

FITTED = "a model fitted on the record, unless that model's own training is covered"
NOT_COVERED = (
    "what is released beside it (a label, a condition, other columns, the order and the number of records)",
    "figures of an audit or a report that were computed from the records",
    "that the record is among those released",
    FITTED,
    "further releases of the same record, whose epsilons add up",
    "what others' records tell about the person, and the time the computation takes",
)
"""What no mechanism that randomises one record at a time speaks of."""


@dataclass(frozen=True)
class Enumeration:
    """A small instance of a mechanism with all its inputs, and outputs among which the largest log-ratio is reached.

    `complete` says whether these are all outputs there are.
    """

    mechanism: "Mechanism"
    inputs: NDArray[Any]
    outputs: NDArray[Any]
    complete: bool


class Mechanism(ABC):
    """A random map of records, each by itself, with an exact law."""

    epsilon: Fraction
    """What is promised; exact, so that releases add up exactly."""
    reference: str
    """Key in ``references.bib``."""

    @abstractmethod
    def randomise(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the releases of records, one a row, with fresh randomness of the operating system."""

    @abstractmethod
    def log_probabilities(self, value: NDArray[Any], outputs: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of each of `outputs` for the one record `value`, for checks on small grids."""

    @classmethod
    @abstractmethod
    def enumeration(cls) -> Enumeration:
        """Return a small instance on which the promise can be checked by listing."""

    @abstractmethod
    def covered(self) -> tuple[str, ...]:
        """Return what of a record the promise extends to."""

    def terms(self) -> DifferentialPrivacy:
        """Return the terms of the promise."""
        return DifferentialPrivacy(
            notion="pure",
            epsilon=at_least(self.epsilon),
            unit="record",
            covers=self.covered(),
            excludes=NOT_COVERED,
            float_safe=True,
        )

    def guarantee(self) -> Guarantee:
        """Return the promise as the record that travels in reports."""
        terms = self.terms()
        return Guarantee(
            claim=terms.sentence(),
            against="anyone, whatever they know and however they compute",
            assumptions=(
                "The operating system's random generator cannot be told from fair coins.",
                "Each record is released once; a ledger adds up what several releases cost.",
            ),
            reference=self.reference,
            maturity="proven",
            holds=True,
            privacy=terms,
        )


def exact(value: Exact, name: str, owner: str, *, zero: bool = False) -> Fraction:
    """Return a positive number exactly, or refuse it.

    Examples
    --------
    >>> exact(0.2, "epsilon", "PrivUnit")
    Fraction(1, 5)
    >>> exact(-1, "epsilon", "PrivUnit")
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: epsilon of PrivUnit must be a number above 0 and up to 1,000,000...
    """
    try:
        if isinstance(value, bool):
            raise ValueError
        text = isinstance(value, str | float | np.floating | np.integer)
        made = Fraction(_short(str(value))) if text else Fraction(value)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        made = Fraction(-1)
    if LEAST <= made <= MOST or (zero and made == 0):
        return made
    try:
        got = f"{value!s:.40}"
    except ValueError:  # more digits than Python spells out
        got = "one far beyond"
    raise InvalidParameterError(
        f"{name} of {owner} must be a number {'from 0' if zero else 'above 0 and'} up to {MOST:,} "
        f"(got {got}). Pass e.g. 1, 0.5 or '1/3'."
    )


# What lies beyond says nothing and promises nothing, and as an exact fraction it could fill the memory.
LEAST, MOST = Fraction(1, 10**300), 10**6
_LONGEST = 100


def _short(text: str) -> str:
    """Return a number's text unless spelling it out would take long, as 1e1000000000 does."""
    exponent = re.search(r"[eE]([+-]?[0-9_]+)\s*$", text)
    if len(text) > _LONGEST or (exponent and abs(int(exponent[1])) > LEAST.denominator.bit_length()):
        raise ValueError
    return text


def at_least(value: Fraction) -> float:
    """Return the nearest float that is not smaller.

    Examples
    --------
    >>> at_least(Fraction(1, 3)) >= Fraction(1, 3)
    True
    """
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def as_rows(values: Any, dimensions: int, owner: str) -> NDArray[np.float64]:
    """Return records as float64 rows of the mechanism's width, or refuse them."""
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim == 2 and rows.shape[1] == dimensions:
        return rows
    raise InvalidParameterError(f"The records given to {owner} must be of shape (n, {dimensions}) (got {rows.shape}).")
