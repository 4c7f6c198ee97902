"""Tests of a budget stated as accuracy, against random attacks and the closed form."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.budgets import Budgets
from withhold.contracts.errors import InvalidParameterError
from withhold.data.attributes import read_attributes
from withhold.workflow.advantage import budget_in_nats, least_information


def information(prior: np.ndarray, channel: np.ndarray) -> float:
    terms = channel * np.log(channel / (prior @ channel))
    return float(prior @ terms.sum(axis=1))


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.9, 0.1], [0.5, 0.3, 0.2], [0.25] * 4])
def test_no_attack_of_that_accuracy_needs_less(prior: list[float]) -> None:
    """Random channels mixed to the same balanced accuracy all carry at least this much."""
    share = np.array(prior)
    classes = len(share)
    advantage = 0.1
    least = least_information(share, advantage)
    rng = np.random.default_rng(0)
    tried = 0
    for _ in range(300):
        channel = rng.dirichlet(np.full(classes, 0.5), size=classes) + 1e-9
        channel = 0.5 * channel + 0.5 * np.eye(classes) * rng.random() + 1e-9
        channel /= channel.sum(axis=1, keepdims=True)
        excess = np.diag(channel).mean() - 1 / classes
        if excess <= advantage:
            continue
        # Mixing with a guess that ignores the data lowers the advantage in proportion.
        keep = advantage / excess
        mixed = keep * channel + (1 - keep) * share
        assert information(share, mixed) >= least - 1e-9
        tried += 1
    assert tried > 20


def test_uniform_classes_have_a_closed_form() -> None:
    """Fano with equality: errors spread evenly over the other classes."""
    classes, advantage = 6, 0.2
    right = 1 / classes + advantage
    wrong = (1 - right) / (classes - 1)
    exact = np.log(classes) + right * np.log(right) + (classes - 1) * wrong * np.log(wrong)
    assert least_information(np.full(classes, 1 / classes), advantage) == pytest.approx(exact, abs=1e-6)


def test_the_strictest_attribute_decides() -> None:
    table = pa.table({"a": ["x", "y"] * 50, "b": ["u"] * 90 + ["v"] * 10})
    attributes = read_attributes(table)
    both = budget_in_nats(Budgets(), 0.05, attributes).least
    alone = [budget_in_nats(Budgets(), 0.05, read_attributes(table.select([name]))).least for name in "ab"]
    assert both is not None
    assert both <= min(value for value in alone if value is not None)


def test_a_number_and_too_much_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="classes"):
        budget_in_nats(Budgets(), 0.05, read_attributes(pa.table({"s": [0.5, 1.5, 2.5]})))
    with pytest.raises(InvalidParameterError, match=r"at most 0\.5"):
        least_information(np.array([0.5, 0.5]), 0.6)


def test_nats_stay_as_they_are() -> None:
    assert budget_in_nats(Budgets(0.07), None, read_attributes(pa.table({"s": ["a", "b"]}))) == Budgets(0.07)
