"""A certificate is saved, read, checked on its own - and cannot flatter, whatever is written into it."""

import math
from pathlib import Path

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.certificate import Certificate, check_certificate
from withhold.information.bounds.frontier import frontier

JOINT = np.array([[0.3, 0.1, 0.05], [0.05, 0.2, 0.3]])


@pytest.mark.parametrize("budget", [0.0, 0.05])
def test_round_trip(tmp_path: Path, budget: float) -> None:
    written = frontier(JOINT, [budget]).certificates[0]
    written.save(tmp_path / "c.json")
    read = Certificate.load(tmp_path / "c.json")
    assert check_certificate(read, JOINT, budget) == check_certificate(written, JOINT, budget)


def test_any_table_of_prices_is_valid() -> None:
    """The dual holds for every (lambda, mu), so random prices must stay below what a mechanism reaches."""
    rng = np.random.default_rng(0)
    free, spent = frontier(JOINT, [0.0, 0.05]).upper_bound
    for slope in (1.0, 1.3, 4.0, math.inf):
        for _ in range(20):
            wild = Certificate(slope, rng.normal(scale=2.0, size=JOINT.shape), np.arange(3))
            assert check_certificate(wild, JOINT, 0.05) <= spent + 1e-9
            assert check_certificate(wild, JOINT, 0.0) <= free + 1e-9


def test_holds_for_other_joints() -> None:
    """A certificate made for one joint is a (looser) bound for another: that is what bounds from data rest on."""
    certificate = frontier(JOINT, [0.05]).certificates[0]
    other = np.array([[0.25, 0.15, 0.05], [0.1, 0.15, 0.3]])
    best = frontier(other, [0.05])
    assert 0.0 < check_certificate(certificate, other, 0.05) <= best.upper_bound[0]


def test_an_infinite_slope_says_nothing_above_zero() -> None:
    assert check_certificate(Certificate(math.inf, np.zeros((2, 3)), np.arange(3)), JOINT, 0.01) == -math.inf


@pytest.mark.parametrize("text", ["", "{}", '{"format": "other", "slope": 2, "prices": [[0]], "groups": [0]}'])
def test_refuses_foreign_text(text: str) -> None:
    with pytest.raises(InvalidParameterError, match="certificate"):
        Certificate.from_json(text)


def test_refuses_a_joint_of_another_shape() -> None:
    with pytest.raises(InvalidParameterError, match="shape"):
        check_certificate(Certificate(2.0, np.zeros((2, 3)), np.arange(3)), np.eye(2) / 2, 0.0)


@pytest.mark.parametrize("budget", [-1, float("nan"), float("inf"), "0.1", None])
def test_a_budget_that_is_none_is_refused(budget):
    joint = np.array([[0.45, 0.05], [0.05, 0.45]])
    line = Certificate(1.0, np.log(joint / joint.sum(1, keepdims=True)), np.arange(2))
    with pytest.raises(InvalidParameterError, match=r"budget must be a .*number"):
        check_certificate(line, joint, budget)


@pytest.mark.parametrize("groups", [[0, 5], [0, 0], [1, 2]])
def test_groups_that_are_none_are_refused(groups):
    joint = np.array([[0.45, 0.05], [0.05, 0.45]])
    with pytest.raises(InvalidParameterError, match="each used"):
        check_certificate(Certificate(1.0, np.log(joint), np.array(groups)), joint, 0.1)
