"""What the help of an option gives as an example is accepted."""

import re
from typing import Any, get_args

import pytest

from withhold.audit.attackers.registry import choose_panel
from withhold.audit.effort import EFFORTS
from withhold.contracts.errors import InvalidParameterError
from withhold.methods.controls import Noise
from withhold.workflow import options
from withhold.workflow.choice import OPTIONS, build, parse
from withhold.workflow.request import OUTPUTS

COMMON: dict[str, Any] = {"output": "auto", "noise_key": None, "device": "cpu", "random_state": 0}


def text_of(option: object) -> str:
    return str(get_args(option)[1].help)


def test_the_example_of_a_setting() -> None:
    found = re.search(r"such as (\S+=\S+) of (\w+)", text_of(options.Settings))
    assert found is not None
    built, _ = build(found[2], pairs=[found[1]], **COMMON)
    key, value = found[1].split("=")
    assert str(built.get_params()[key]) == value
    with pytest.raises(InvalidParameterError):
        build("noise", pairs=[found[1]], **COMMON)


def test_the_example_of_a_preset() -> None:
    found = re.search(r"such as (\w+) of (\w+)", text_of(options.Preset))
    assert found is not None
    assert build(found[2], preset=found[1], **COMMON)[0].get_params()["preset"] == found[1]


def test_every_method_level_and_form_that_is_named() -> None:
    examples = re.search(r"such as ([^;]+);", text_of(options.Method))
    assert examples is not None
    for name in re.findall(r"\w+", examples[1].replace(" or ", " ")):
        assert type(build(name, **COMMON)[0]).__name__.lower() == name
    assert set(re.findall(r"\w+", text_of(options.Effort).partition(":")[2].replace(" or ", " "))) == set(EFFORTS)
    assert set(OUTPUTS) <= set(re.findall(r"\w+", text_of(options.Output)))
    assert len(choose_panel(["+logistic"])) == len(choose_panel(None))


@pytest.mark.parametrize("name", ["continuous", "categorical", "keep"])
def test_what_has_an_option_of_its_own_is_no_setting(name: str) -> None:
    with pytest.raises(InvalidParameterError, match=OPTIONS[name]):
        parse([f"{name}=a"], Noise)
