import numpy as np
import pytest
from known_worlds import erasure
from known_worlds.quadrature import binary_entropy
from known_worlds.registry import WORLDS
from scipy.special import expit, softmax


@pytest.mark.parametrize(("name", "ways", "reference"), [("xor2", 2, 0.386), ("xor3", 3, None)])
def test_information_of_the_latent(name, ways, reference):
    z = np.random.default_rng(0).standard_normal((400_000, 16))
    losses = binary_entropy(expit(erasure.log_odds(z, ways)))
    error = losses.std() / np.sqrt(len(losses))
    assert np.log(2) - losses.mean() == pytest.approx(WORLDS[name].truth, abs=4 * error)
    if reference:
        assert WORLDS[name].truth == pytest.approx(reference, abs=2e-3)


def test_information_of_the_utility():
    """Against a mean over draws, and the figures of the definition: .032 nat, U known from z in .78 of the rows."""
    z = np.random.default_rng(0).standard_normal((200_000, 4))
    known = []
    for s in (0, 1):
        lift = 1.2 * s * np.array([1.0, -1.0, 0.0, 0.0])
        known.append(softmax((z @ erasure.LOGITS.T + lift) / 0.7, axis=1))
    marginal = np.array([p.mean(axis=0) for p in known])
    mean = marginal.mean(axis=0)
    assert 0.5 * (marginal * np.log(marginal / mean)).sum() == pytest.approx(erasure.utility_information(), abs=1e-3)
    assert erasure.utility_information() == pytest.approx(0.032, abs=5e-4)
    assert np.mean(known, axis=0).max(axis=1).mean() == pytest.approx(0.78, abs=0.01)


@pytest.mark.parametrize("ways", [2, 3])
def test_the_noise_hides_little(ways):
    """E h(mean p) - h(p) under the normal posterior of z given X, at latents drawn at random."""
    rng = np.random.default_rng(1)
    hidden = []
    for z in rng.standard_normal((300, 16)):
        h = np.tanh(1.5 * (z @ erasure.A + erasure.OFFSET))
        slope = 1.5 * (1 - h**2) * erasure.A
        slope = slope @ erasure.B + 0.5 * (slope @ erasure.C) * (h @ erasure.C > 0)
        covariance = np.linalg.inv(np.eye(16) + slope @ slope.T / erasure.NOISE**2)
        p = expit(erasure.log_odds(rng.multivariate_normal(z, covariance, size=200), ways))
        hidden.append(binary_entropy(p.mean()) - binary_entropy(p).mean())
    assert np.mean(hidden) < erasure.HIDDEN[ways]


def test_columns_are_standardised_on_the_first_half():
    drawn = WORLDS["xor2"].draw(1000, np.random.default_rng(0))
    x = np.column_stack([drawn.release.column(c).to_numpy() for c in drawn.release.column_names])
    assert x.shape == (1000, 128)
    assert np.abs(x[:500].mean(axis=0)).max() < 1e-4
    assert np.allclose(x[:500].std(axis=0), 1, atol=1e-3)
    assert set(np.unique(drawn.utility)) == {0, 1, 2, 3}
