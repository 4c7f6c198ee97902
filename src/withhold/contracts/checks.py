"""Constraints of parameters: declared once, beside the parameter, and checked before any data are read."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from withhold.contracts.errors import DataError, InvalidParameterError


@dataclass(frozen=True)
class Between:
    """A number in [`low`, `high`]; whole where the annotation says ``int``."""

    low: float = -math.inf
    high: float = math.inf

    def expected(self, value: Any, base: Any) -> str:
        """Return the condition that `value` breaks, in words; "" where it breaks none."""
        if isinstance(value, bool) or not isinstance(value, Integral if base is int else Real):
            return "a whole number" if base is int else "a number"
        if self.low <= float(value) <= self.high:
            return ""
        return f"at least {self.low:g}" if self.high == math.inf else f"between {self.low:g} and {self.high:g}"


@dataclass(frozen=True)
class Positive:
    """A finite number above 0; with `zero` also 0."""

    zero: bool = False

    def expected(self, value: Any, base: Any) -> str:
        """Return the condition that `value` breaks, in words; "" where it breaks none."""
        if isinstance(value, bool) or not isinstance(value, Real):
            return "a number"
        if 0 < float(value) < math.inf or (self.zero and value == 0):
            return ""
        return "a finite number, at least 0" if self.zero else "a finite number above 0"


@dataclass(frozen=True)
class OneOf:
    """One of a few values."""

    values: tuple[Any, ...]

    def expected(self, value: Any, base: Any) -> str:
        """Return the condition that `value` breaks, in words; "" where it breaks none."""
        try:
            known = value in self.values and not isinstance(value, bool)
        except (TypeError, ValueError):  # what does not compare is none of them
            known = False
        *most, last = map(repr, self.values)
        return "" if known else f"{', '.join(most)} or {last}"


@dataclass(frozen=True)
class Widths:
    """Widths of layers: a positive whole number, or several."""

    def expected(self, value: Any, base: Any) -> str:
        """Return the condition that `value` breaks, in words; "" where it breaks none."""
        widths = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
        fine = bool(widths) and not any(Between(1).expected(width, int) for width in widths)
        return "" if fine else "a whole number from 1 on, or several such as (64, 64)"


Constraint = Between | Positive | OneOf | Widths

# What parameters of methods usually are.
Size = Annotated[int, Between(1)]
Count = Annotated[int, Between(0)]
Weight = Annotated[float, Between(0.0)]
Share = Annotated[float, Between(0.0, 1.0)]
Rate = Annotated[float, Between(1e-12)]
Budget = Annotated[float, Positive()]
Precision = Annotated[str, OneOf(("32-true", "64-true", "bf16-mixed", "bf16-true"))]
PaperPreset = Annotated[str | None, OneOf((None, "paper"))]


def check_parameters(owner: Any) -> None:
    """Refuse a field of a dataclass whose value breaks the constraint in its annotation.

    A field annotated ``bool`` takes truth values alone: any text, "no" too, would count as True. ``| None`` beside a
    constraint allows None.

    Raises
    ------
    InvalidParameterError
        The name, what is expected, and what was got.

    Examples
    --------
    >>> @dataclass
    ... class Blur:
    ...     width: Weight = 0.5
    ...     rounds: Size | None = None
    >>> check_parameters(Blur())
    >>> check_parameters(Blur(rounds=0))
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: rounds must be at least 1 (got 0).
    """
    for name, (optional, base, constraint) in constraints(type(owner)).items():
        value = getattr(owner, name)
        if value is None and optional:
            continue
        if constraint is None:
            expected = "" if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool" else "True or False"
        else:
            expected = constraint.expected(value, base)
        if expected:
            raise refused(name, expected, value)


def refused(name: str, expected: str, value: Any) -> InvalidParameterError:
    """Return the error of a parameter that cannot have its value.

    Examples
    --------
    >>> print(refused("lam", "between 0 and 1", 2.0))
    lam must be between 0 and 1 (got 2.0).
    """
    return InvalidParameterError(f"{name} must be {expected} (got {value!r}).")


def check_budget(budget: Any, name: str = "budget", *, zero: bool = False) -> None:
    """Refuse what is no budget, in nats; `zero` is one only where it is computed instead of measured.

    Examples
    --------
    >>> check_budget(0.0, zero=True)
    >>> check_budget(0.0)
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: A budget of 0 cannot be verified. Give a small one, such as 0.01.
    """
    expected = Positive(zero).expected(budget, float)
    if expected and budget == 0:
        raise InvalidParameterError("A budget of 0 cannot be verified. Give a small one, such as 0.01.")
    if expected:
        raise refused(name, expected, budget)


def check_rows(name: str, got: int, n: int, whole: str = "X") -> None:
    """Refuse values that do not belong to the rows of `whole`, one by one.

    Examples
    --------
    >>> check_rows("y", 3, 5)
    Traceback (most recent call last):
    withhold.contracts.errors.DataError: y has 3 rows, but X has 5. Pass the same records in the same order.
    """
    if got != n:
        raise DataError(
            f"{name} has {got} row{'s' * (got != 1)}, but {whole} has {n}. Pass the same records in the same order."
        )


def unknown(what: str, name: Any, known: Iterable[str]) -> InvalidParameterError:
    """Return the error of a name that is none of the known ones.

    Examples
    --------
    >>> print(unknown("effort", "fast", ("quick", "standard", "thorough")))
    Unknown effort 'fast'. Choose quick, standard or thorough.
    """
    *most, last = known
    return InvalidParameterError(f"Unknown {what} {name!r}. Choose {', '.join(most)} or {last}.")


def constraints(owner: type) -> dict[str, tuple[bool, Any, Constraint | None]]:
    """Return, for each field of a dataclass that has one, if None is allowed, the type and the constraint."""
    hints = get_type_hints(owner, include_extras=True)
    read = {field.name: constraint_of(hints[field.name]) for field in fields(owner)}
    return {name: found for name, found in read.items() if found is not None}


def constraint_of(hint: Any) -> tuple[bool, Any, Constraint | None] | None:
    """Return if an annotation allows None, its type, and its constraint; None for an annotation that says neither.

    Examples
    --------
    >>> constraint_of(Share | None)
    (True, <class 'float'>, Between(low=0.0, high=1.0))
    """
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for member in members:
        if member is bool:
            return NoneType in members, bool, None
        if get_origin(member) is Annotated:
            base, *extras = get_args(member)
            for constraint in extras:
                if isinstance(constraint, Constraint):
                    return NoneType in members, base, constraint
    return None
