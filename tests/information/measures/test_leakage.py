import dit
import numpy as np
import pytest

from withhold.information.measures.leakage import maximal_leakage, renyi_entropy, sibson_information
from withhold.information.measures.shannon import mutual_information

NATS = np.log(2)
ORDERS = (0.0, 0.5, 1.0, 2.0, 10.0, np.inf)


def table(seed):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(12, 0.6)).reshape(3, 4)


def as_dit(p):
    return dit.Distribution([f"{i}{j}" for i, j in np.ndindex(p.shape)], p.ravel())


@pytest.mark.parametrize("seed", range(3))
def test_dit_agrees(seed):
    p = table(seed)
    for order in (0.5, 1.0, 2.0, np.inf):
        assert renyi_entropy(p, order) == pytest.approx(dit.other.renyi_entropy(as_dit(p), order) * NATS)
        found = dit.other.sibson_mutual_information(as_dit(p), [0], [1], order)
        assert sibson_information(p, order) == pytest.approx(found * NATS, abs=1e-9)
    assert maximal_leakage(p) == pytest.approx(dit.other.maximal_leakage(as_dit(p), [0], [1]) * NATS)


def test_orders():
    p = table(7)
    information = [sibson_information(p, order) for order in ORDERS]
    assert information == sorted(information)
    assert sibson_information(p, 1 + 1e-7) == pytest.approx(mutual_information(p), abs=1e-5)
    entropies = [renyi_entropy(p, order) for order in ORDERS]
    assert entropies == sorted(entropies, reverse=True)


def test_order_zero_counts_what_is_ruled_out():
    p = np.array([[0.5, 0.0], [0.1, 0.4]])
    assert sibson_information(p, 0.0) == pytest.approx(-np.log(1.0))
    assert sibson_information(np.diag([0.5, 0.5]), 0.0) == pytest.approx(np.log(2))


def test_maximal_leakage_is_what_the_best_guesser_gains():
    """The gain of guessing S itself under a uniform prior attains it; under another prior it is less."""
    p = table(2)
    channel = p / p.sum(axis=1, keepdims=True)
    assert maximal_leakage(p) == pytest.approx(np.log(channel.max(axis=0).sum()))
    gain = np.log(p.max(axis=0).sum() / p.sum(axis=1).max())
    assert gain <= maximal_leakage(p)


def test_axes_by_name_and_values_that_never_occur():
    p = np.zeros((3, 2, 2))
    p[:2] = table(4)[:2].reshape(2, 2, 2)
    p /= p.sum()
    flat = p[:2].reshape(2, 4)
    assert maximal_leakage(p, "S", ("Z", "U"), names=("S", "U", "Z")) == pytest.approx(maximal_leakage(flat))
    assert sibson_information(p, 3.0) == pytest.approx(sibson_information(flat, 3.0))
