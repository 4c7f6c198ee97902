"""Tests of choosing methods by name."""

import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.controls import Identity
from withhold.workflow.choice import available, build, command_name, method_class


def test_every_method_of_the_room_is_there_in_lower_case() -> None:
    assert {"deepminmax", "leace", "identity", "noise"} <= set(available())
    assert method_class("LEACE") is method_class("leace")


def test_a_misspelt_method() -> None:
    with pytest.raises(InvalidParameterError, match="Did you mean 'leace'"):
        method_class("lease")


def test_common_parameters_that_a_method_does_not_take_are_left_out() -> None:
    method, settings = build("identity", random_state=3, budget=0.1)
    assert method.get_params()["random_state"] == 3
    assert settings == {}


def test_a_preset_only_where_there_is_one() -> None:
    with pytest.raises(InvalidParameterError, match="preset"):
        build("identity", preset="paper")


def test_a_method_may_choose_its_word_and_spelling_is_forgiven() -> None:
    class TwoWords(Identity):
        command_name = "two-words"

    assert command_name(TwoWords) == "two-words"
    assert all(method_class(name.upper().replace("-", "_")) is cls for name, cls in available().items())
