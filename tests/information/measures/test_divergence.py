import dit
import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.measures.divergence import kullback_leibler, renyi_divergence, total_variation

NATS = np.log(2)


def pair(seed):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6))


@pytest.mark.parametrize("seed", range(4))
def test_dit_agrees(seed):
    p, q = pair(seed)
    first, second = (dit.Distribution(list("abcdef"), x) for x in (p, q))
    assert total_variation(p, q) == pytest.approx(dit.divergences.variational_distance(first, second))
    assert kullback_leibler(p, q) == pytest.approx(dit.divergences.kullback_leibler_divergence(first, second) * NATS)


@pytest.mark.parametrize("order", [0.0, 0.3, 0.999999, 1.000001, 2.0, 7.5])
def test_renyi_is_its_formula(order):
    p, q = pair(9)
    assert renyi_divergence(p, q, order) == pytest.approx(
        np.log((p**order * q ** (1 - order)).sum()) / (order - 1), abs=1e-8
    )


def test_orders_grow_and_meet_at_one_and_infinity():
    p, q = pair(5)
    values = [renyi_divergence(p, q, order) for order in (0.1, 0.5, 1.0, 2.0, 50.0, np.inf)]
    assert values == sorted(values)
    assert renyi_divergence(p, q, 1 + 1e-7) == pytest.approx(values[2], abs=1e-5)
    assert renyi_divergence(p, q, 2000.0) == pytest.approx(values[-1], abs=1e-2)


def test_cells_of_measure_zero():
    assert kullback_leibler([1.0, 0.0], [0.5, 0.5]) == pytest.approx(np.log(2))
    assert kullback_leibler([0.5, 0.5], [1.0, 0.0]) == np.inf
    assert renyi_divergence([0.5, 0.5], [1.0, 0.0], 0.5) == pytest.approx(np.log(2))
    assert renyi_divergence([1.0, 0.0], [0.0, 1.0], 0.5) == np.inf


def test_other_shapes_and_orders_are_refused():
    with pytest.raises(InvalidParameterError, match="of one shape"):
        total_variation([0.5, 0.5], [1.0])
    with pytest.raises(InvalidParameterError, match="order"):
        renyi_divergence([1.0], [1.0], float("nan"))
