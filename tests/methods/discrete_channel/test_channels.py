"""Channels against the certified bound: they reach it, never pass it, and keep within the budget."""

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.frontier import frontier
from withhold.information.measures.shannon import mutual_information
from withhold.methods.discrete_channel.channels import (
    as_records,
    leakage_on,
    optimise_channel,
    release,
    search_channels,
    sweep_channels,
)


def family(alpha, n_u=6, n_s=2):
    """p(u, s) in proportion to 1 + alpha [u mod n_s = s], the paper's."""
    u, s = np.indices((n_u, n_s))
    p = 1.0 + alpha * (u % n_s == s)
    return p / p.sum()


# I(U;S) = .2, .4 and nearly ln 2.
@pytest.mark.parametrize("alpha", [3.132755, 9.630029, 1e6])
def test_the_bound_is_reached_at_every_budget(alpha):
    p = family(alpha)
    budgets = mutual_information(p) * np.array([0.0, 0.1, 0.6])
    bound = frontier(p, budgets)
    runs = search_channels(p, list(budgets))
    uncertain = np.array([[one.uncertainty for one in found] for found in runs])
    assert (uncertain >= bound.lower_bound[:, None] - 1e-9).all()  # nothing lies below a certificate
    assert (uncertain.min(axis=1) <= bound.lower_bound + 0.005).all()
    assert (uncertain.mean(axis=1) <= bound.lower_bound + 0.015).all()
    assert all(one.leakage <= k + 1e-12 for found, k in zip(runs, budgets, strict=True) for one in found)


def test_reported_numbers_are_those_of_the_channel():
    p = as_records(family(9.630029))
    one = optimise_channel(p, 0.1, restarts=2, steps=400)
    assert np.allclose(one.channel.sum(axis=0), 1.0)
    joint = np.einsum("zx,xus->zus", one.channel, p)
    assert mutual_information(joint, 2, 0) == pytest.approx(one.leakage, abs=1e-9)
    assert np.log(6) - mutual_information(joint, 1, 0) == pytest.approx(one.uncertainty, abs=1e-9)
    assert release(one.channel, p).leakage == pytest.approx(one.leakage)


def test_weak_dependence_does_not_silence_the_search():
    p = family(0.05)  # I(U;S) = 3e-4
    most = mutual_information(p)
    bound = frontier(p, [0.3 * most], tolerance=1e-6)
    found = optimise_channel(p, 0.3 * most, restarts=3)
    # Where the search begins at its budget it ends at 1.2 nat: Z is silent before it has found U.
    assert found.uncertainty - bound.lower_bound[0] < 0.001


def test_two_secrets_and_noise_in_x():
    """X is a noisy (U, S): the loss lies above the bound for exact X and falls with the budget."""
    rng = np.random.default_rng(0)
    noisy = 0.8 * np.eye(12) + 0.2 * rng.dirichlet(np.ones(12), 12).T
    p = np.einsum("xw,wus->xus", noisy, as_records(family(3.132755)))
    found = sweep_channels(p, [0.0, 0.05, 0.1], restarts=3, steps=800)
    assert [one.leakage <= k + 1e-12 for one, k in zip(found, (0.0, 0.05, 0.1), strict=True)] == [True] * 3
    assert found[0].uncertainty > found[1].uncertainty > found[2].uncertainty
    assert found[2].uncertainty > frontier(p.sum(axis=0), [0.1]).lower_bound[0]


def test_values_that_never_occur_say_nothing():
    p = np.concatenate([as_records(family(3.132755)), np.zeros((1, 6, 2))])
    one = optimise_channel(p, 0.05, restarts=1, steps=200)
    assert one.channel.shape[1] == 13
    assert np.allclose(one.channel.sum(axis=0), 1.0)


def test_leakage_on_new_counts_is_unbiased_where_the_plug_in_value_is_not():
    truth = family(3.132755, 12, 2)
    rng = np.random.default_rng(1)
    drawn = [rng.multinomial(600, truth.ravel()).reshape(truth.shape) for _ in range(60)]
    plug = np.mean([mutual_information(one / one.sum()) for one in drawn])
    corrected = np.mean([leakage_on(np.eye(12), one) for one in drawn])
    exact = mutual_information(truth)
    assert plug - exact > 0.005  # 11 / 1200 by theory
    assert abs(corrected - exact) < 0.004  # three standard errors of a mean of sixty


@pytest.mark.parametrize(
    ("joint", "budgets", "more"),
    [
        (np.full((2, 2, 2, 2), 1 / 16), [0.1], {}),
        (np.full((2, 2), 0.25), [-0.1], {}),
        (np.full((2, 2), 0.25), [], {}),
        (np.full((2, 2), 0.25), [float("nan")], {}),
        (np.full((2, 2), 0.25), [0.1], {"symbols": 1}),
        (np.full((2, 2), 0.25), [0.1], {"restarts": 0}),
        (np.full((2, 2), 0.4), [0.1], {}),
    ],
)
def test_what_cannot_be_searched_is_refused(joint, budgets, more):
    with pytest.raises(InvalidParameterError, match="must be"):
        search_channels(joint, budgets, **more)
