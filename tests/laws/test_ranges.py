"""Laws of declared ranges: what a search tries is something that the method takes, and the default is among it."""

from dataclasses import MISSING, dataclass, fields
from typing import Annotated

import pytest

import withhold.methods as room
from withhold.contracts.checks import Share, check_parameters
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.ranges import Range, ranges
from withhold.workflow.choice import command_name, method_class, parse, tunable
from withhold.workflow.choosing.candidates import FOR_COLUMNS, FOR_PURPOSE

METHODS = [getattr(room, name) for name in room.__all__ if name[0].isupper() and name != "Sanitizer"]
DECLARED = [(cls, name) for cls in METHODS for name in ranges(cls)]


def refuse_wrong_range(cls: type, name: str, check) -> None:
    """Raise where a declared range holds what a method does not take, or leaves out its default."""
    base, found = ranges(cls)[name]
    default = next(one.default for one in fields(cls) if one.name == name)
    assert 0 < found.low < found.high
    assert default is None or found.low <= default <= found.high
    assert default is not MISSING
    for value in (found.low, (found.low * found.high) ** 0.5, found.high):
        check(cls(**{name: base(value)}))


@pytest.mark.parametrize(("cls", "name"), DECLARED, ids=lambda one: getattr(one, "__name__", one))
def test_every_declared_range_is_valid_and_can_be_typed(cls: type, name: str) -> None:
    assert name in tunable(cls)
    refuse_wrong_range(cls, name, lambda made: made.check())
    base, found = ranges(cls)[name]
    typed = parse([f"{name}={base(found.high)!r}"], cls)[name]
    assert (typed, type(typed)) == (base(found.high), base)


def test_a_range_beyond_what_a_parameter_allows_breaks_the_law() -> None:
    @dataclass
    class Blur:
        share: Annotated[Share, Range(0.5, 2.0)] = 0.6
        width: Annotated[float, Range(0.5, 2.0)] = 3.0

    with pytest.raises(InvalidParameterError, match="share must be"):
        refuse_wrong_range(Blur, "share", check_parameters)
    with pytest.raises(AssertionError):
        refuse_wrong_range(Blur, "width", check_parameters)


@pytest.mark.parametrize("name", sorted({*FOR_COLUMNS, *FOR_PURPOSE}))
def test_every_method_that_is_chosen_has_something_to_search_unless_it_has_no_settings(name: str) -> None:
    cls = method_class(name)
    assert command_name(cls) == name
    weight = {"lam"} & {*cls.__dataclass_fields__} - ({"lam"} if "budget" in cls.__dataclass_fields__ else set())
    assert weight <= {*ranges(cls)}  # what trades hiding for keeping is searched
    assert bool(ranges(cls)) == (name != "leace")
