"""Constraints beside parameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np
import pytest

from withhold.contracts.checks import (
    Between,
    Budget,
    OneOf,
    Share,
    Size,
    Widths,
    check_budget,
    check_parameters,
    check_rows,
    unknown,
)
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.quantity import as_budgets


@dataclass
class Blur:
    share: Share = 0.5
    rounds: Size | None = 1
    batch: Annotated[int, Between(2, 8)] = 2
    hidden: Annotated[int | Sequence[int], Widths()] | None = None
    kind: Annotated[str | None, OneOf((None, "mean"))] = None
    strong: bool = False
    free: object = None
    budget: Budget | None = 0.05


@pytest.mark.parametrize(
    "good",
    [
        *({"share": value} for value in (0, 1, 0.5, np.float32(0.25), np.int64(1), Fraction(1, 3))),
        *({"hidden": value} for value in (8, np.int64(8), (8, 4), [8], np.array([8, 4]), None)),
        {"rounds": None}, {"kind": "mean"}, {"strong": np.bool_(True)}, {"free": "anything"},
        {"budget": 1e-9}, {"budget": None},
    ],
    ids=str,
)  # fmt: skip
def test_values_that_may_be(good):
    check_parameters(Blur(**good))


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        *(({"share": value}, "between 0 and 1") for value in (-1, 1.5, float("nan"), float("inf"))),
        *(({"share": value}, "a number") for value in (True, "1", None, [0.5])),
        *(({"rounds": value}, "a whole number") for value in (1.0, "3", False)),
        ({"rounds": 0}, "at least 1"),
        ({"batch": 9}, "between 2 and 8"),
        *(({"hidden": value}, "a whole number from 1 on") for value in (0, -1, 8.0, True, "8", (), (8, 0), [[8]])),
        *(({"kind": value}, "None or 'mean'") for value in ("Mean", 0, False, ["mean"], np.zeros(2))),
        *(({"budget": value}, "a finite number above 0") for value in (0, -0.1, float("nan"), float("inf"))),
        *(({"budget": value}, "a number") for value in (True, "0.05")),
        *(({"strong": value}, "True or False") for value in (1, "no", None)),
    ],
    ids=str,
)
def test_values_that_may_not_be(bad, expected):
    name = next(iter(bad))
    with pytest.raises(InvalidParameterError, match=rf"^{name} must be {expected}.*\(got .*\)\.$"):
        check_parameters(Blur(**bad))


def test_one_rule_for_budgets():
    check_budget(1e-9)
    check_budget(0, zero=True)
    assert as_budgets((0, 0.1)).tolist() == [0.0, 0.1]
    with pytest.raises(
        InvalidParameterError,
        match=r"^A budget of 0 cannot be verified\. Give a small one, such as 0\.01\.$",
    ):
        check_budget(0)
    for wrong in (-0.1, float("nan"), float("inf")):
        with pytest.raises(InvalidParameterError, match=r"^--budget must be a finite number above 0 \(got"):
            check_budget(wrong, "--budget")
        with pytest.raises(InvalidParameterError, match="each of budgets must be a finite number, at least 0"):
            as_budgets([0.1, wrong])
    assert as_budgets(0.1).tolist() == [0.1]
    for wrong in ([], "a", [[0.1]]):
        with pytest.raises(InvalidParameterError, match="budgets must be one number or several"):
            as_budgets(wrong)


def test_rows_and_names_in_words():
    check_rows("y", 2, 2)
    with pytest.raises(DataError, match=r"^y has 1 row, but the release has 2\. Pass"):
        check_rows("y", 1, 2, "the release")
    assert str(unknown("filter", None, ("a", "b"))) == "Unknown filter None. Choose a or b."
