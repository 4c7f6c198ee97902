"""Constraints of parameters: declared once, beside the parameter, and checked before any data are read."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from withhold.contracts.errors import InvalidParameterError


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


Constraint = Between | OneOf | Widths

# What parameters of methods usually are.
Size = Annotated[int, Between(1)]
Count = Annotated[int, Between(0)]
Weight = Annotated[float, Between(0.0)]
Share = Annotated[float, Between(0.0, 1.0)]
Rate = Annotated[float, Between(1e-12)]
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
            expected = "" if isinstance(value, bool | np.bool_) else "True or False"
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
