"""Budgets of several attributes: what is read, what holds for all together, and what is refused."""

import re
from typing import Any

import pytest

from withhold.contracts.budgets import JOINT, Budgets
from withhold.contracts.errors import InvalidParameterError


@pytest.mark.parametrize(
    ("given", "budgets"),
    [
        (None, Budgets()),
        (0.05, Budgets(0.05)),
        ((), Budgets()),
        ("0.05", Budgets(0.05)),
        (["sex=.03", "0.05"], Budgets(0.05, (("sex", 0.03),))),
        (("a=b=.3",), Budgets(None, (("a=b", 0.3),))),
        ({"sex": 0.03, None: 0.05}, Budgets(0.05, (("sex", 0.03),))),
    ],
)
def test_what_is_written_is_read(given: Any, budgets: Budgets) -> None:
    assert Budgets.read(given) == budgets
    assert Budgets.read(budgets.written) == budgets
    assert bool(budgets) == bool(given)


def test_all_together_may_tell_what_is_said_of_them_else_the_sum() -> None:
    own = {"sex": 0.03, "race": 0.05}
    assert Budgets.read(own).of(JOINT) == pytest.approx(0.08)
    assert Budgets.read({**own, JOINT: 0.06}).of(JOINT) == 0.06
    assert Budgets.read({**own, None: 0.04}).of(JOINT) == 0.04
    assert Budgets.read(0.05).of(JOINT) == Budgets.read(0.05).of("sex") == 0.05
    assert Budgets().of(JOINT) is None


def test_of_one_attribute_there_is_no_other_together() -> None:
    assert Budgets.read({"sex": 0.03}).together(["sex"]) == 0.03
    assert Budgets.read({"sex": 0.03, "race": 0.05}).together(["sex", "race"]) == pytest.approx(0.08)


def test_the_least_keeps_every_other() -> None:
    assert Budgets.read({"sex": 0.03, None: 0.02}).least == 0.02
    assert Budgets().least is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["sex=zero"], "budget takes nats such as 0.05, or a column and its nats such as sex=0.03 (got 'sex=zero')."),
        ({"sex": -1.0}, "budget of 'sex' must be a finite number above 0 (got -1.0)."),
        ({"sex": 0}, "A budget of 0 cannot be verified. Give a small one, such as 0.01."),
        (["0.05", "0.06"], "budget gives two limits for all columns. Leave one."),
        (["sex=.05", "sex=.06"], "budget gives two limits for 'sex'. Leave one."),
        (True, "budget must be a number (got True)."),
    ],
)
def test_what_is_no_budget_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(words)}$"):
        Budgets.read(given)


@pytest.mark.parametrize(
    ("given", "attributes", "words"),
    [
        ({"sexe": 0.05}, ["sex"], "A budget is given for 'sexe', which is not hidden. Did you mean 'sex'?"),
        ({"sex": 0.05, JOINT: 0.05}, ["sex"], "A budget is given for 'joint', which is not hidden. Choose from 'sex'."),
        ({"sex": 0.05}, ["sex", "race"], "'race' has no budget."),
        ({"joint": 0.05}, ["joint", "race"], "'joint' means all hidden columns together. Rename"),
    ],
)
def test_budgets_are_about_the_columns_that_are_hidden_and_about_each(
    given: Any, attributes: list[str], words: str
) -> None:
    with pytest.raises(InvalidParameterError, match=re.escape(words)):
        Budgets.read(given).check(attributes)
    assert Budgets.read(0.05).check(attributes).least == 0.05
