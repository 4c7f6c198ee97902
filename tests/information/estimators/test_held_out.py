import numpy as np
import pytest
import torch

from withhold.information.estimators.contrast import donsker_varadhan, info_nce, nguyen_wainwright_jordan
from withhold.information.estimators.critics import HeldOut, cross_fitted
from withhold.information.estimators.infonce import info_nce_value
from withhold.information.estimators.mine import donsker_varadhan_value
from withhold.information.estimators.nwj import nguyen_wainwright_jordan_value

PAIRS = [
    (donsker_varadhan_value, donsker_varadhan),
    (nguyen_wainwright_jordan_value, nguyen_wainwright_jordan),
    (info_nce_value, info_nce),
]


def scores(n, seed, rho=0.6):
    """Log ratios of correlated Gaussians, .223 nat."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = rho * a + np.sqrt(1 - rho**2) * rng.normal(size=n)
    x, y = a[:, None], b[None]
    return -0.5 * np.log(1 - rho**2) - (rho**2 * (x**2 + y**2) - 2 * rho * x * y) / (2 * (1 - rho**2))


@pytest.mark.parametrize(("valued", "objective"), PAIRS)
def test_value_is_that_of_the_objective(valued, objective):
    T = scores(300, 0)
    value, contributions = valued(T)
    assert value == pytest.approx(float(objective(torch.from_numpy(T))), abs=0.02)
    assert value <= float(objective(torch.from_numpy(T))) + 1e-12  # corrections are only downwards
    assert contributions.shape == (300,)
    assert contributions.mean() == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("valued", "objective"), PAIRS)
def test_contributions_give_the_spread(valued, objective):
    """The spread over 200 samples is the standard error from one; the spread of a spread over 200 is 5 %."""
    drawn = [valued(scores(150, seed)) for seed in range(200)]
    spread = np.std([value for value, _ in drawn])
    expected = np.mean([c.std(ddof=1) / 150**0.5 for _, c in drawn])
    assert expected == pytest.approx(spread, rel=0.2)


def test_correction_of_the_log():
    """A critic that favours some partners has a noisy mean of e^T; over few pairs its log flatters the bound."""
    favour = lambda n, seed: 0.5 * scores(n, seed) + np.arange(n) % 3  # noqa: E731
    truth = np.mean([donsker_varadhan_value(favour(800, s))[0] for s in range(20)])
    plain = np.mean([float(donsker_varadhan(torch.from_numpy(favour(15, s)))) for s in range(1500)])
    corrected = np.mean([donsker_varadhan_value(favour(15, s))[0] for s in range(1500)])
    assert plain > truth + 0.008  # standard error .003
    assert abs(corrected - truth) < abs(plain - truth)


def test_clip_bounds_product_scores():
    T = np.full((3, 3), -50.0)
    np.fill_diagonal(T, 1.0)
    assert donsker_varadhan_value(T, clip=2.0)[0] == pytest.approx(3.0)


def test_folds_are_weighted_by_their_rows():
    folds = [HeldOut([np.eye(10) * 3], 1.0), HeldOut([np.zeros((30, 30))], 2.0)]
    found, shown = cross_fitted(folds, nguyen_wainwright_jordan_value, "lower_bound", 0.95, "NWJ", "None.")
    each = [nguyen_wainwright_jordan_value(f.blocks[0])[0] for f in folds]
    assert found.value == pytest.approx((10 * each[0] + 30 * each[1]) / 40)
    assert (found.n, shown) == (40, 1.5)
