"""Constraints beside parameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np
import pytest

from withhold.contracts.checks import Between, OneOf, Share, Size, Widths, check_parameters
from withhold.contracts.errors import InvalidParameterError


@dataclass
class Blur:
    share: Share = 0.5
    rounds: Size | None = 1
    batch: Annotated[int, Between(2, 8)] = 2
    hidden: Annotated[int | Sequence[int], Widths()] | None = None
    kind: Annotated[str | None, OneOf((None, "mean"))] = None
    strong: bool = False
    free: object = None


@pytest.mark.parametrize(
    "good",
    [
        *({"share": value} for value in (0, 1, 0.5, np.float32(0.25), np.int64(1), Fraction(1, 3))),
        *({"hidden": value} for value in (8, np.int64(8), (8, 4), [8], np.array([8, 4]), None)),
        {"rounds": None}, {"kind": "mean"}, {"strong": np.bool_(True)}, {"free": "anything"},
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
        *(({"strong": value}, "True or False") for value in (1, "no", None)),
    ],
    ids=str,
)
def test_values_that_may_not_be(bad, expected):
    name = next(iter(bad))
    with pytest.raises(InvalidParameterError, match=rf"^{name} must be {expected}.*\(got .*\)\.$"):
        check_parameters(Blur(**bad))
