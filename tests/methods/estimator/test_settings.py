"""Parameters as they are checked and stored."""

import numpy as np
import pytest

from methods.squeeze import Squeeze
from withhold.contracts.errors import InvalidParameterError, InvalidTypeError
from withhold.methods.estimator.settings import check_flags, check_number, check_settings, check_widths, plain


class Some:
    value = 0.5


@pytest.mark.parametrize("value", [0.5, 1, np.float32(0.25)])
def test_numbers_within(value):
    Some.value = value
    check_number(Some(), "value", 0, 1, why="", remedy="")


@pytest.mark.parametrize("value", [-1, 1.5, True, "1", None, float("nan")])
def test_numbers_outside(value):
    Some.value = value
    with pytest.raises(InvalidParameterError, match="value"):
        check_number(Some(), "value", 0, 1, why="", remedy="")


def test_integers_only():
    Some.value = 1.0
    with pytest.raises(InvalidParameterError, match="integer"):
        check_number(Some(), "value", 0, integer=True, why="", remedy="")


def test_weights_are_refused_with_a_reason():
    with pytest.raises(InvalidTypeError, match="population"):
        check_settings(Squeeze(), {"sample_weight": [1]})


def test_plain_values():
    assert plain({"a": (np.int32(1), [np.bool_(True)]), "b": "text"}) == {"a": [1, [True]], "b": "text"}


@pytest.mark.parametrize("value", [8, np.int64(8), (8, 4), [8], np.array([8, 4])])
def test_widths(value):
    Some.value = value
    check_widths(Some(), "value")


@pytest.mark.parametrize("value", [0, -1, 8.0, True, "8", (), (8, 0), [[8]], None])
def test_no_widths(value):
    Some.value = value
    with pytest.raises(InvalidParameterError, match="widths of layers"):
        check_widths(Some(), "value")


def test_flags():
    class Flagged:
        def __init__(self, flag=True, number=1):
            self.flag, self.number = flag, number

    check_flags(Flagged(np.bool_(False), "anything"))
    for value in (1, "no", None):
        with pytest.raises(InvalidParameterError, match="'flag'"):
            check_flags(Flagged(value))


@pytest.mark.parametrize("role", ["keep", "categorical"])
def test_a_text_is_no_list_of_names(role):
    with pytest.raises(InvalidParameterError, match=rf"'{role}'.*Pass \['age'\]"):
        check_settings(Squeeze(**{role: "age"}), {})
