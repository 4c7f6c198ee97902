from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from withhold.methods.cadp.latent_noise import LatentNoise, WeightedPrivUnit
from withhold.methods.estimator.release import Draws
from withhold.privacy.noise_key import NoiseKey

CASES = [
    ("privunit", 10, 4),
    ("privunit", 2, 12),
    ("privunit", 3, 1),
    ("laplace", 4, 4),
    ("laplace", 1, 12),
    ("paper", 2, 12),
]


def basis(k, d=12):
    return np.linalg.qr(np.random.default_rng(0).normal(size=(d, d)))[0][:, :k]


@pytest.mark.parametrize(("kind", "epsilon", "k"), CASES)
def test_what_is_not_kept_is_the_prior(kind, epsilon, k):
    noise, z = LatentNoise(kind, Fraction(epsilon), basis(k)), np.full((4000, 12), 3.0)
    out = noise.released(z)
    beside = np.linalg.qr(np.hstack([basis(k), np.random.default_rng(1).normal(size=(12, 12))]))[0][:, k:12]
    for column in (out @ beside).T:
        assert stats.kstest(column, "norm").pvalue > 1e-6
    control = noise.without_record(4000)
    assert control.shape == (4000, 12)
    # The kept part leans toward the record, and the control's does not.
    toward = z @ basis(k)
    assert ((out @ basis(k)) * toward).mean() > 0.01
    assert abs(((control @ basis(k)) * toward).mean()) < 0.25 * np.abs(toward).mean()


def test_answers_of_privunit_are_normal_for_normal_latents():
    noise = LatentNoise("privunit", Fraction(8), basis(6))
    out = noise.released(np.random.default_rng(0).normal(size=(5000, 12)))
    for column in out.T:
        assert stats.kstest(column, "norm").pvalue > 1e-6
    assert abs(np.corrcoef(out.T) - np.eye(12)).max() < 0.08


def test_the_paper_s_noise_is_half_as_wide_as_its_epsilon_asks():
    paper, laplace = LatentNoise("paper", Fraction(2), basis(12)), LatentNoise("laplace", Fraction(2), basis(12))
    # Nominal epsilon 1: s = 1/2 and noise of scale s = .5; the other keeps 2 s / epsilon at 1 / sqrt(2).
    z = np.zeros((4000, 12))
    assert abs(paper.released(z).std() - 0.5 * np.sqrt(2)) < 0.02
    assert abs(laplace.released(z).std() - 1) < 0.02
    assert abs(np.abs(paper.mechanism.clip(np.ones((1, 12))) * paper.mechanism.granularity).sum() - 0.5) < 1e-3


@pytest.mark.parametrize(("kind", "epsilon", "k"), CASES)
def test_a_rehearsal_has_the_same_law_and_can_be_repeated(kind, epsilon, k):
    noise = LatentNoise(kind, Fraction(epsilon), basis(k))
    z = np.tile(np.random.default_rng(3).normal(size=12), (1500, 1))
    rows = np.arange(1500, dtype="<u4").view(np.uint8).reshape(1500, 4)
    drawn = noise.rehearsed(z, Draws(NoiseKey.from_seed(0), b"", rows))
    assert np.array_equal(drawn, noise.rehearsed(z, Draws(NoiseKey.from_seed(0), b"", rows)))
    fresh = noise.released(z)
    for a, b in zip((drawn @ basis(12)).T, (fresh @ basis(12)).T, strict=True):
        assert stats.ks_2samp(a, b).pvalue > 1e-6


def test_classes_are_answered_at_random_only_when_they_cost():
    codes = np.zeros(2000, np.int64)
    shown = LatentNoise("privunit", Fraction(4), basis(4), 5, Fraction(1)).classes(codes)
    assert 0.35 < (shown == 0).mean() < 0.46  # e / (e + 4) = .405
    assert np.array_equal(LatentNoise("privunit", Fraction(4), basis(4), 5).classes(codes), codes)


def test_weights_change_what_is_told_and_not_what_is_promised():
    weights = np.array([3.0, 1.0, 1.0, 0.2])
    mechanism = WeightedPrivUnit(Fraction(3), weights)
    z = np.random.default_rng(0).normal(size=(4000, 4))
    answers = mechanism.randomise(z)
    told = (answers * z).mean(axis=0)
    assert told[0] > told[1] > told[3]
    # Whatever the record, the same number of codewords shares the same probability.
    inputs = np.vstack([z[:20], np.zeros((1, 4)), [[np.nan, 1, 0, 0]]])
    weighted = inputs * weights
    logs = np.array([mechanism.log_probabilities(one, mechanism.codebook) for one in weighted])
    assert np.allclose(np.exp(logs).sum(axis=1), 1)
    assert (logs.max(axis=0) - logs.min(axis=0)).max() <= 3 + 1e-12
    # Answers to normal latents lean to no side, and more along what matters.
    assert abs(answers.mean(axis=0)).max() < 0.05
    assert abs((answers**2).mean(axis=0) - 0.25).max() < 0.2
