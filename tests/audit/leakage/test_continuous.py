import numpy as np
import pytest

from withhold.audit.attackers.gaussian import LinearGaussian
from withhold.audit.attackers.logistic import Logistic
from withhold.audit.attackers.quadratic import Quadratic
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.continuous import attack_bins, attack_continuous, attack_scores, bin_codes, entropy_of

N = 3000


@pytest.fixture
def design():
    everywhere = np.ones(N, bool)
    return Design(np.arange(N) % 2, None, (0, 1), everywhere, everywhere, EFFORTS["quick"], 0)


def inputs(*columns):
    X = np.column_stack(columns).astype(np.float32)
    return PlantedInputs(X, X, X)


def test_gaussian_pair_has_its_information(design):
    rng = np.random.default_rng(0)
    s = rng.normal(size=N)
    z = 0.5 * s + np.sqrt(0.75) * rng.normal(size=N)
    found = attack_scores(inputs(z), s, [LinearGaussian], design, "t")
    assert found.values.mean() == pytest.approx(-0.5 * np.log(0.75), abs=0.02)


def test_atoms_give_nothing_away_by_themselves(design):
    """Eighty per cent zeros: a density fitted to the raw value would read the atom as information."""
    rng = np.random.default_rng(0)
    s = np.where(rng.random(N) < 0.8, 0.0, rng.normal(size=N))
    found = attack_continuous(inputs(rng.normal(size=N)), s, [Logistic], [LinearGaussian], design, "t")
    assert found.values.mean(axis=0).max() < 0.005


def test_bins_are_a_lower_bound(design):
    rng = np.random.default_rng(0)
    s = rng.normal(size=N)
    found = attack_bins(inputs(s + rng.normal(size=N)), s, 2, [Logistic], design, "t")
    assert 0.1 < found.values.mean() < 0.5 * np.log(2)
    assert found.names == ("logistic@2",)


def test_ties_that_leave_one_bin(design):
    assert attack_bins(inputs(np.ones(N)), np.ones(N), 4, [Logistic], design, "t") is None


def test_equal_values_share_a_bin():
    values = np.array([0.0] * 60 + [1.0, 2.0, 3.0, 4.0] * 10)
    codes = bin_codes(values, 4)
    assert all(len(np.unique(codes[values == v])) == 1 for v in np.unique(values))


def test_failures_are_named(design):
    found = attack_scores(inputs(np.ones(N)), np.random.default_rng(0).normal(size=N), [LinearGaussian], design, "t")
    assert found.values.mean() == pytest.approx(0.0, abs=0.01)


def test_a_rare_value_below_a_common_one_is_a_bin(design):
    rng = np.random.default_rng(0)
    s = np.where(rng.random(N) < 0.1, rng.normal(size=N), 9.0)
    found = attack_bins(inputs(s < 9), s, 2, [Logistic], design, "t")
    assert found is not None
    assert found.values.mean() > 0.25
    blind = attack_bins(inputs(rng.normal(size=N)), s, 2, [Logistic], design, "t")
    assert blind is not None
    assert blind.values.mean() < 0.01


def test_few_values_are_attacked_once_by_the_whole_panel(design):
    s = np.random.default_rng(0).integers(1, 3, N).astype(float)
    found = attack_continuous(inputs(s), s, [Quadratic], [LinearGaussian], design, "t")
    assert found.names == ("linear_gaussian", "qda@2")
    assert found.values.mean(axis=0).max() > 0.5


def test_entropy_is_of_the_values_or_of_the_bins_that_ties_leave():
    rng = np.random.default_rng(0)
    assert entropy_of(rng.normal(size=N), 8) == (pytest.approx(np.log(8), abs=0.01), False)
    ages = rng.integers(0, 4, N).astype(float)
    assert entropy_of(ages, 2) == (pytest.approx(np.log(4), abs=0.01), True)
    heaped = np.where(np.arange(N) < N // 2, 0.0, 1 + rng.random(N))
    assert entropy_of(heaped, 8)[0] == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(8), abs=0.01)
