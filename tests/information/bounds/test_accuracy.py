"""Nats in words: published brackets, every random channel inside, Fano above."""

import numpy as np
import pytest
from scipy.special import entr

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.accuracy import attacker_accuracy
from withhold.information.measures.shannon import mutual_information


@pytest.mark.parametrize(
    ("nats", "low", "high"),
    [(0.02, 0.514, 0.600), (0.05, 0.536, 0.657), (0.1, 0.572, 0.720), (0.2, 0.644, 0.805), (0.5, 0.861, 0.952)],
)
def test_two_equal_classes_lie_between_erasure_and_the_symmetric_channel(nats: float, low: float, high: float) -> None:
    assert attacker_accuracy([0.5, 0.5], nats) == pytest.approx((low, high), abs=6e-4)


@pytest.mark.parametrize("prior", [(0.67, 0.33), (0.2, 0.3, 0.5)])
def test_every_channel_lies_inside(prior: tuple[float, ...]) -> None:
    p, rng = np.array(prior), np.random.default_rng(0)
    for sharpness in (0.1, 0.5, 3.0):
        for _ in range(8):
            joint = rng.dirichlet(np.full(4, sharpness), len(p)) * p[:, None]
            leak = mutual_information(joint)
            low, high = attacker_accuracy(p, leak)
            assert low - 1e-6 <= joint.max(axis=0).sum() <= high + 1e-6
            low, high = attacker_accuracy(p, leak, "balanced_accuracy")
            assert low - 1e-6 <= (joint / p[:, None]).max(axis=0).sum() / len(p) <= high + 1e-6


def test_fano_agrees_for_equal_classes() -> None:
    """h(e) + e log 9 >= H(S|Z), with equality at the least error e of any guess of ten equally likely classes."""
    error = 1.0 - attacker_accuracy(np.full(10, 0.1), 0.1)[1]
    spread = entr(error) + entr(1.0 - error) + error * np.log(9)
    assert spread == pytest.approx(np.log(10) - 0.1, abs=1e-5)


def test_ends() -> None:
    assert attacker_accuracy([0.7, 0.3], 0.0) == pytest.approx((0.7, 0.7), abs=1e-5)
    assert attacker_accuracy([0.7, 0.3], 1.0) == pytest.approx((1.0, 1.0), abs=1e-6)
    assert attacker_accuracy(np.full(20, 0.05), 0.1)[0] == pytest.approx(0.05)  # too many sets of classes: chance


def test_refuses_nonsense() -> None:
    with pytest.raises(InvalidParameterError, match="leakage"):
        attacker_accuracy([0.5, 0.5], -0.1)
    with pytest.raises(InvalidParameterError, match="score"):
        attacker_accuracy([0.5, 0.5], 0.1, "auc")  # type: ignore[arg-type]
