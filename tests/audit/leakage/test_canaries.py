import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse import csr_matrix
from scipy.stats import norm

from withhold.audit.leakage.canaries import (
    PlantedInputs,
    class_codes,
    code_information,
    plant,
    row_codes,
    shift_for,
)
from withhold.contracts.errors import InvalidParameterError


def test_information_by_independent_quadrature():
    codes, shares = np.array([-1.0, 0.5, 2.0]), np.array([0.3, 0.5, 0.2])

    def integrand(x, a=0.7):
        parts = shares * norm.pdf(x - a * codes)
        total = parts.sum()
        return sum(p * np.log(p / (w * total)) for p, w in zip(parts, shares, strict=True) if p > 0)

    slow = quad(integrand, -12, 12, limit=200)[0]
    assert code_information(0.7, codes, shares) == pytest.approx(slow, abs=1e-7)


def test_continuous_code_has_the_gaussian_information():
    values = np.random.default_rng(0).normal(size=5000)
    _, atoms, shares = row_codes(values, categorical=False)
    assert code_information(0.5, atoms, shares) == pytest.approx(0.5 * np.log(1 + 0.25), rel=0.02)


@pytest.mark.parametrize("size", [0.001, 0.05, 0.5])
def test_shift_gives_the_size(size):
    shares = np.array([0.2, 0.3, 0.5])
    codes = class_codes(shares)
    assert code_information(shift_for(size, codes, shares), codes, shares) == pytest.approx(size, rel=1e-6)


def test_more_than_the_entropy_is_refused():
    with pytest.raises(InvalidParameterError, match="more than the attribute holds"):
        shift_for(0.8, np.array([-1.0, 1.0]), np.array([0.5, 0.5]))


@pytest.fixture
def released():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 4)).astype(np.float32)
    codes, atoms, shares = row_codes(rng.integers(0, 2, 40_000).astype(float), categorical=True)
    return PlantedInputs(X, X, X), codes, atoms, shares


def gaussian_information(column, codes):
    """Plug-in I(code; column) of two unit-variance classes from their distance in means."""
    d = column[codes > 0].mean() - column[codes < 0].mean()

    def integrand(x):
        a, b = norm.pdf(x - d / 2), norm.pdf(x + d / 2)
        return 0.5 * (a * np.log(2 * a / (a + b)) + b * np.log(2 * b / (a + b)))

    return quad(integrand, -8, 8)[0]


def test_column_plant_is_one_more_column(released):
    inputs, codes, atoms, shares = released
    got = plant("column", 0.1, inputs, codes, atoms, shares, np.random.default_rng(1))
    assert got.dense.shape == (40_000, 5)
    assert gaussian_information(got.dense[:, -1], codes) == pytest.approx(0.1, abs=0.01)


def test_dense_plant_adds_no_column_and_spreads(released):
    inputs, codes, atoms, shares = released
    got = plant("dense", 0.1, inputs, codes, atoms, shares, np.random.default_rng(1))
    assert got.dense.shape == (40_000, 4)
    moved = got.dense[codes > 0].mean(axis=0) - got.dense[codes < 0].mean(axis=0)
    along = got.dense @ (moved / np.linalg.norm(moved))
    assert gaussian_information(along, codes) == pytest.approx(0.1, abs=0.01)
    assert np.abs(moved).max() < 0.999 * np.linalg.norm(moved)


def test_interaction_plant_is_nothing_alone_and_all_together(released):
    inputs, codes, atoms, shares = released
    got = plant("interaction", 0.1, inputs, codes, atoms, shares, np.random.default_rng(1))
    new = got.dense[:, -1]
    assert gaussian_information(new, codes) < 0.001
    signs = [np.where(got.dense[:, j] > np.median(got.dense[:, j]), 1, -1) for j in range(4)]
    assert max(gaussian_information(new * sign, codes) for sign in signs) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.1, 0.9), (0.2, 0.3, 0.5)])
def test_a_word_holds_what_it_is_said_to_hold(shares):
    rng, shares = np.random.default_rng(0), np.asarray(shares)
    s = rng.choice(len(shares), 200_000, p=shares)
    codes, atoms, shares = row_codes(s.astype(float), categorical=True)
    inputs = PlantedInputs(*[np.zeros((len(s), 1), np.float32)] * 3, words=csr_matrix((len(s), 2), dtype=np.float32))
    there = plant("word", 0.1, inputs, codes, atoms, shares, rng).words.toarray()[:, 2] > 0
    joint = np.array([[np.mean((s == c) & (there == t)) for t in (False, True)] for c in range(len(shares))])
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    assert (joint * np.log(joint / expected)).sum() == pytest.approx(0.1, abs=0.004)
