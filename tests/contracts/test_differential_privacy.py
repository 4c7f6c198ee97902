"""The paragraph says every term; what cannot be a term is refused."""

import math

import pytest
from pydantic import ValidationError

from withhold.contracts.differential_privacy import DifferentialPrivacy
from withhold.contracts.guarantee import Guarantee


def test_a_pure_local_promise() -> None:
    terms = DifferentialPrivacy(
        notion="pure", epsilon=2.0, unit="record", covers=("a", "b"), excludes=("the label", "x"), float_safe=True
    )
    text = terms.sentence()
    for part in (
        "7.39 times",
        "no release is more",
        "pure local",
        "epsilon 2.",
        "covers a; and b",
        "not cover the label",
        "exact",
    ):
        assert part in text
    assert "delta" not in text
    held = Guarantee(claim=text, against="anyone", privacy=terms)
    assert Guarantee.model_validate_json(held.model_dump_json()) == held


def test_every_statement_is_printed_on_a_line_of_its_own() -> None:
    terms = DifferentialPrivacy(
        notion="pure", epsilon=2.0, unit="record", covers=("a", "b"), excludes=("the label", "x"), float_safe=True
    )
    held = Guarantee(claim=terms.sentence(), against="anyone", privacy=terms)
    first, *lines, last = str(held).splitlines()
    assert lines == ["It covers:", "- a", "- b", "It does not cover:", "- the label", "- x"]
    assert terms.sentence() == f"{first} It covers a; and b. It does not cover the label; and x. {last}"
    assert "not cover" not in str(terms.model_copy(update={"excludes": ()}))
    assert str(Guarantee(claim="None.", against="anyone")) == "None."


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
    for part in (
        "exp(600)",
        "added or left out",
        "no set of fitted models",
        "up to an added probability of 1e-05",
        "central",
        "not float-safe",
    ):
        assert part in text


@pytest.mark.parametrize("change", [{"epsilon": -1.0}, {"delta": 1.5}, {"unit": "city"}])
def test_impossible_terms(change: dict) -> None:
    with pytest.raises(ValidationError):
        DifferentialPrivacy(
            **{"notion": "pure", "epsilon": 1.0, "unit": "record", "covers": (), "float_safe": True} | change
        )


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1 / 3, 1.5, 4.0, 8.0, 20.0])
def test_no_number_is_rounded_to_less_than_it_is(epsilon: float) -> None:
    """exp(1.5) = 4.4817 is at most 4.49, not 4.48."""
    text = DifferentialPrivacy(notion="pure", epsilon=epsilon, unit="record", covers=("a",), float_safe=True).sentence()
    factor = float(text.split("more than ")[1].split(" times")[0].replace(",", ""))
    assert math.exp(epsilon) <= factor < 1.01 * math.exp(epsilon)
    said = float(text.split("epsilon ")[1].split(" ")[0].rstrip("."))
    assert epsilon * (1 - 1e-12) <= said < epsilon * 1.00001
