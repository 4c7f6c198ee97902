import numpy as np

from withhold.audit.people.correspondence import Correspondence


def test_deviations_are_alike_in_all_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4_000, 3))
    noise = rng.normal(size=(4_000, 2)) * [0.1, 5.0]
    found = Correspondence.fit(X[:3_000], X[:3_000] @ np.ones((3, 2)) + noise[:3_000], rng)
    deviations = found.deviations(X[3_000:], X[3_000:] @ np.ones((3, 2)) + noise[3_000:])
    assert np.allclose(np.cov(deviations.T), np.eye(2), atol=0.15)
    assert np.abs(deviations.mean(axis=0)).max() < 0.15


def test_hidden_units_bend():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3_000, 2))
    Z = np.abs(X)
    spread = [
        np.abs(found.deviations(X, Z) @ np.linalg.inv(found.root)).mean()
        for found in (Correspondence.fit(X, Z, rng), Correspondence.fit(X, Z, rng, bent=True))
    ]
    assert spread[1] < 0.2 * spread[0]


def test_a_coordinate_that_never_varies_in_training_stays_finite():
    rng = np.random.default_rng(3)
    X, Z = rng.normal(size=(200, 2)), np.zeros((200, 1))
    Z[0] = 14.0  # the one record that has it is not among those learned from
    found = Correspondence.fit(X[1:], Z[1:], rng)
    with np.errstate(over="raise"):
        assert np.isfinite(found.deviations(X, Z) ** 2).all()


def test_noise_is_not_fitted():
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(200, 20)), rng.normal(size=(200, 5))
    found = Correspondence.fit(X, Z, rng, bent=True)
    fresh = found.expected(rng.normal(size=(200, 20))) @ np.linalg.inv(found.root)
    assert (fresh - fresh.mean(axis=0)).std() < 0.6
