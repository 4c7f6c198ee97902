"""Ranges of settings: declared beside a parameter, for whoever searches good values of it."""

from dataclasses import dataclass, fields
from typing import Annotated, Any, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class Range:
    """Values of a setting that are worth trying, evenly by ratio; whole ones where the annotation says ``int``.

    Attributes
    ----------
    low, high : float
        The ends, above zero.
    purpose : bool
        Whether the setting matters only where the method learns from the utility attribute.
    """

    low: float
    high: float
    purpose: bool = False


def ranges(owner: type) -> dict[str, tuple[type, Range]]:
    """Return the type and the range of each field of a dataclass that has one.

    Examples
    --------
    >>> @dataclass
    ... class Blur:
    ...     width: Annotated[float, Range(0.1, 2.0)] = 0.5
    ...     steps: Annotated[int, Range(10, 1000)] | None = None
    ...     rounds: int = 3
    >>> {name: (base.__name__, found.high) for name, (base, found) in ranges(Blur).items()}
    {'width': ('float', 2.0), 'steps': ('int', 1000)}
    """
    hints = get_type_hints(owner, include_extras=True)
    found = ((field.name, _declared(hints[field.name])) for field in fields(owner))
    return {name: one for name, one in found if one is not None}


def _declared(hint: Any) -> tuple[type, Range] | None:
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        return next(((base, one) for one in extras if isinstance(one, Range)), None)
    members = (_declared(one) for one in get_args(hint))
    return next((one for one in members if one is not None), None)
