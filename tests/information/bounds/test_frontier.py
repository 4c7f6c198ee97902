"""Theorem tests of the curve: closed forms, reference values, and what every curve must satisfy on random joints."""

import json

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.certificate import check_certificate
from withhold.information.bounds.frontier import Frontier, frontier
from withhold.information.measures.shannon import mutual_information

ROUNDING = 1e-9


def family(n_u: int, n_s: int, alpha: float) -> np.ndarray:
    """The joint of AIOI's Fig. 2: p(u, s) in proportion to 1 + alpha [u mod |S| = s]."""
    p = np.ones((n_u, n_s))
    p[np.arange(n_u), np.arange(n_u) % n_s] += alpha
    return p / p.sum()


def closed_form(n: int, budgets: np.ndarray, alpha: float) -> np.ndarray:
    """The least H(U|Z) of the symmetric family with |U| a multiple of |S| = n, by its parametric form."""
    own = (1 + alpha) / (n + alpha)
    t = np.linspace(1 / n, own, 20_001)
    spread = -t * np.log(t) - (1 - t) * np.log((1 - t) / (n - 1))
    return np.interp(budgets, (1 - own) / (1 - t) * (np.log(n) - spread), np.log(n) * (own - t) / (1 - t))


@pytest.fixture(scope="module", params=range(3))
def drawn(request: pytest.FixtureRequest) -> tuple[np.ndarray, Frontier]:
    rng = np.random.default_rng(request.param)
    p = rng.dirichlet(np.full(12, 0.6)).reshape(4, 3)
    return p, frontier(p, np.linspace(0.0, 1.2 * mutual_information(p), 13))


@pytest.mark.parametrize(("n_u", "n_s"), [(4, 2), (3, 3), (5, 5)])
def test_symmetric_family_over_the_whole_curve(n_u: int, n_s: int) -> None:
    found = frontier(family(n_u, n_s, 10.0))
    exact = closed_form(n_s, found.budgets, 10.0)
    assert np.abs(found.lower_bound - exact).max() < 1e-3
    assert np.abs(found.upper_bound - exact).max() < 1e-3


@pytest.mark.parametrize(
    ("joint", "loss"),
    [(family(10, 5, 10.0), 1.0729586), (family(6, 2, 3.132755), 0.423059), (family(6, 2, 9.630029), 0.573947)],
)
def test_no_leakage_is_exact(joint: np.ndarray, loss: float) -> None:
    found = frontier(joint, [0.0])
    assert found.gap[0] < 1e-8
    assert found.lower_bound[0] == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize(
    ("joint", "budgets", "gains"),
    [
        (np.array([[0.45, 0.05], [0.05, 0.45]]), [0.05, 0.1, 0.2, 0.3], [0.273261, 0.351902, 0.487617, 0.611900]),
        (family(6, 2, 3.132755), [0.05, 0.1, 0.15], [1.541606, 1.635458, 1.716775]),
        (family(6, 2, 9.630029), [0.05, 0.1, 0.15], [1.345455, 1.421366, 1.489365]),
    ],
)
def test_reference_values(joint: np.ndarray, budgets: list[float], gains: list[float]) -> None:
    """Two independent solvers agreed on these to 1e-6 (G = I(U;Z) of the best release)."""
    found = frontier(joint, budgets, tolerance=1e-4)
    assert (found.entropy_u - found.lower_bound >= np.array(gains) - 2e-6).all()
    assert (found.entropy_u - found.upper_bound <= np.array(gains) + 2e-6).all()
    assert found.gap.max() < 1e-4


@pytest.mark.parametrize(
    "joint",
    [np.diag([0.2, 0.3, 0.5]), np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.7]]), np.repeat(np.eye(2), 100, axis=0) / 200],
    ids=["U = S", "U = f(S)", "S = f(U)"],
)
def test_functions_give_the_line(joint: np.ndarray) -> None:
    """Then T(k) = I(U;S) - k, the line of Lemma 2.2."""
    found = frontier(joint)
    line = np.maximum(0.0, found.u_s - found.budgets)
    assert np.abs(found.lower_bound - line).max() < 1e-6
    assert np.abs(found.upper_bound - line).max() < 1e-6


def test_independence_costs_nothing() -> None:
    found = frontier(np.outer([0.3, 0.7], [0.2, 0.8]), [0.0, 0.1])
    assert found.upper_bound.max() < ROUNDING


def test_lumping_gives_one_curve_for_all_sizes() -> None:
    budgets = [0.0, 0.1, 0.3]
    small, large = (frontier(family(n, 5, 10.0), budgets) for n in (5, 100))
    np.testing.assert_allclose(large.lower_bound, small.lower_bound, atol=1e-9)
    np.testing.assert_allclose(large.upper_bound, small.upper_bound, atol=1e-9)
    assert [m.channel.shape[1:] for m in large.mechanisms] == [(100, 5)] * 3


def test_the_ends_are_apart_by_less_than_the_tolerance(drawn: tuple[np.ndarray, Frontier]) -> None:
    p, found = drawn
    assert found.gap.max() <= 1e-3 * min(1.0, mutual_information(p) / 0.2) + ROUNDING
    assert found.gap.min() >= -ROUNDING


def test_mechanisms_are_channels_within_their_budget(drawn: tuple[np.ndarray, Frontier]) -> None:
    p, found = drawn
    for k, loss, mechanism in zip(found.budgets, found.upper_bound, found.mechanisms, strict=True):
        assert mechanism.channel.min() >= 0
        np.testing.assert_allclose(mechanism.channel.sum(axis=0), 1.0, atol=1e-12)
        released = mechanism.channel * p
        assert mutual_information(released.sum(axis=1)) <= k + 1e-12
        left = found.entropy_u - mutual_information(released.sum(axis=2))
        assert left == pytest.approx(loss, abs=1e-12)


def test_certificates_prove_the_lower_bound(drawn: tuple[np.ndarray, Frontier]) -> None:
    p, found = drawn
    proven = [check_certificate(c, p, float(k)) for c, k in zip(found.certificates, found.budgets, strict=True)]
    np.testing.assert_array_equal(np.maximum(0.0, proven), found.lower_bound)


def test_convex_falling_and_between_line_and_chord(drawn: tuple[np.ndarray, Frontier]) -> None:
    p, found = drawn
    for curve in (found.lower_bound, found.upper_bound):
        assert np.diff(curve).max() <= ROUNDING
        assert np.diff(curve, 2).min() >= -1e-3  # both ends are within the tolerance of a convex curve
    most = mutual_information(p)
    assert (found.lower_bound >= most - found.budgets - ROUNDING).all()  # Lemma 2.2 with X = (U, S)
    chord = found.upper_bound[0] * np.maximum(0.0, 1.0 - found.budgets / most)
    assert (found.upper_bound <= chord + ROUNDING).all()


def test_no_random_channel_does_better(drawn: tuple[np.ndarray, Frontier]) -> None:
    p, _ = drawn
    rng = np.random.default_rng(9)
    for sharpness in (0.05, 1.0):
        channel = np.moveaxis(rng.dirichlet(np.full(6, sharpness), size=p.shape), -1, 0)
        leak = mutual_information((channel * p).sum(axis=1))
        found = frontier(p, [leak])
        loss = found.entropy_u - mutual_information((channel * p).sum(axis=2))
        assert loss >= found.lower_bound[0] - ROUNDING


def test_relabelling_changes_nothing(drawn: tuple[np.ndarray, Frontier]) -> None:
    p, found = drawn
    again = frontier(p[::-1, [2, 0, 1]], found.budgets)
    np.testing.assert_allclose(again.lower_bound, found.lower_bound, atol=1e-3)
    np.testing.assert_allclose(again.lower_bound[0], found.lower_bound[0], atol=1e-8)


def test_more_than_eight_classes_stay_valid_and_say_so() -> None:
    p = np.zeros((2, 10))
    p[0, :5] = p[1, 5:] = 0.1  # U = f(S): the line, whatever is merged
    found = frontier(p, [0.0, 0.3])
    assert not found.exact_classes
    np.testing.assert_allclose(found.lower_bound, [np.log(2), np.log(2) - 0.3], atol=1e-6)
    assert (found.gap >= -ROUNDING).all()


def test_x_that_tells_little_makes_the_bound_vacuous() -> None:
    joint = np.array([[0.3, 0.2], [0.2, 0.3]])
    found = frontier(joint, [0.0], utility_information=0.01)
    assert found.vacuous
    assert found.lower_bound[0] == 0.0
    assert not frontier(joint, [0.0]).vacuous


def test_json_holds_the_certificates() -> None:
    known = json.loads(frontier(np.diag([0.5, 0.5]), [0.1]).to_json())
    assert known["certificates"][0]["slope"] == 1.0


@pytest.mark.parametrize("budgets", [[-0.1], [np.nan]])
def test_refuses_impossible_budgets(budgets: list[float]) -> None:
    with pytest.raises(InvalidParameterError, match="budgets"):
        frontier(np.eye(2) / 2, budgets)


def test_refuses_what_is_not_a_table() -> None:
    with pytest.raises(InvalidParameterError, match="table"):
        frontier([0.5, 0.5])


@pytest.mark.parametrize("told", [-0.1, 5.0])
def test_refuses_more_than_there_is_to_know(told: float) -> None:
    with pytest.raises(InvalidParameterError, match="H\\(U\\)"):
        frontier([[0.45, 0.05], [0.05, 0.45]], [0.1], utility_information=told)


@pytest.mark.parametrize(
    "options",
    [
        {"joint": [["a", "b"]]},
        {"joint": [[0.5, 0.5], [1.0]]},
        {"joint": None},
        {"joint": [[0.5 + 1j, 0.5]]},
        {"budgets": "many"},
        {"budgets": [-0.1]},
        {"tolerance": float("nan")},
        {"tolerance": -1},
        {"utility_information": "much"},
    ],
)
def test_what_is_no_number_is_refused_in_words(options):
    given = {"joint": [[0.4, 0.1], [0.1, 0.4]], "budgets": [0.1]} | options
    with pytest.raises(InvalidParameterError):
        frontier(given.pop("joint"), given.pop("budgets"), **given)
