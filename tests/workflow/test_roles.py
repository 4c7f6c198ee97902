"""Tests of the parts that columns play."""

import pytest

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.workflow.roles import assign

COLUMNS = ["age", "sex", "income", "id", "part"]


def test_features_are_what_is_left_in_order() -> None:
    roles = assign(COLUMNS, "t", sensitive=["sex"], utility=["income"], groups="id", split="part")
    assert roles.features == ("age",)
    assert not roles.kept_groups


def test_the_subject_column_may_be_kept() -> None:
    assert assign(COLUMNS, "t", sensitive=["sex"], groups="id", keep=["id"]).kept_groups


def test_a_close_name_is_suggested() -> None:
    with pytest.raises(DataError, match="Did you mean 'income'"):
        assign(COLUMNS, "t", sensitive=["incme"])


def test_a_far_name_gets_the_list() -> None:
    with pytest.raises(DataError, match=r"t has no column 'zzzzzz'\. Choose from 'age', 'sex'"):
        assign(COLUMNS, "t", sensitive=["zzzzzz"])


@pytest.mark.parametrize(
    "parts",
    [
        {"sensitive": ["sex"], "utility": ["sex"]},
        {"sensitive": ["sex"], "groups": "sex"},
        {"sensitive": ["sex"], "drop": ["sex"]},
        {"sensitive": ["sex"], "keep": ["sex"]},
        {"sensitive": ["sex"], "utility": ["income"], "keep": ["income"]},
        {"sensitive": []},
    ],
)
def test_two_parts_for_one_column_are_refused(parts: dict) -> None:
    with pytest.raises(InvalidParameterError):
        assign(COLUMNS, "t", **parts)


def test_duplicate_names_and_nothing_to_release() -> None:
    with pytest.raises(DataError, match="t has more than one column named 'a'"):
        assign(["a", "a", "s"], "t", sensitive=["s"])
    with pytest.raises(DataError, match="nothing to release"):
        assign(["s"], "t", sensitive=["s"])


def test_a_key_is_no_feature_and_may_be_the_subject_or_left_out_anyway() -> None:
    for parts in ({}, {"groups": "id"}, {"drop": ["id"]}):
        roles = assign(["a", "id", "s"], "t", sensitive=["s"], key="id", **parts)
        assert roles.features == ("a",)
        assert roles.names_records == "id"
    assert assign(["a", "id", "s"], "t", sensitive=["s"], groups="id").names_records == "id"
    with pytest.raises(InvalidParameterError, match="'s' cannot be both --sensitive and --key"):
        assign(["a", "s"], "t", sensitive=["s"], key="s")


def test_the_two_options_that_name_a_column_are_said() -> None:
    with pytest.raises(InvalidParameterError, match="'g' cannot be both --groups and --split"):
        assign(["a", "g", "s"], "t", sensitive=["s"], groups="g", split="g")
    with pytest.raises(InvalidParameterError, match="'s' cannot be both --sensitive and --groups"):
        assign(["a", "g", "s"], "t", sensitive=["s"], groups="s")
