"""The paragraph says every term; what cannot be a term is refused."""

import pytest
from pydantic import ValidationError

from withhold.contracts.differential_privacy import DifferentialPrivacy
from withhold.contracts.guarantee import Guarantee


def test_a_pure_local_promise() -> None:
    terms = DifferentialPrivacy(
        notion="pure", epsilon=2.0, unit="record", covers=("a", "b"), excludes=("the label", "x"), float_safe=True
    )
    text = terms.sentence()
    for part in ("7.39 times", "pure local", "epsilon 2.", "covers a; and b", "not cover the label", "exact"):
        assert part in text
    assert "delta" not in text
    held = Guarantee(claim=text, against="anyone", privacy=terms)
    assert Guarantee.model_validate_json(held.model_dump_json()) == held


def test_an_approximate_central_promise() -> None:
    terms = DifferentialPrivacy(
        notion="approximate",
        epsilon=600.0,
        delta=1e-5,
        unit="training set",
        adjacency="add or remove one record",
        covers=("the flow's parameters",),
        float_safe=False,
    )
    text = terms.sentence()
    for part in ("exp(600)", "added or left out", "except with probability 1e-05", "central", "not float-safe"):
        assert part in text


@pytest.mark.parametrize("change", [{"epsilon": -1.0}, {"delta": 1.5}, {"unit": "city"}])
def test_impossible_terms(change: dict) -> None:
    with pytest.raises(ValidationError):
        DifferentialPrivacy(
            **{"notion": "pure", "epsilon": 1.0, "unit": "record", "covers": (), "float_safe": True} | change
        )
