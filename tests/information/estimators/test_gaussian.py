import numpy as np
import pytest

from withhold.contracts.errors import DataError
from withhold.information.estimators.gaussian import GaussianInformation


@pytest.mark.parametrize("information", [0.0, 0.5])
def test_unbiased_at_few_rows_and_covered(information):
    """60 rows of 5 + 5 columns: the plug-in is .25 nat too large; means of 200 have a standard error of .01."""
    values, covered = [], 0
    rho = np.sqrt(1 - np.exp(-2 * information / 5))
    for seed in range(200):
        rng = np.random.default_rng(seed)
        a = rng.normal(size=(60, 5))
        found = GaussianInformation().fit(a, rho * a + np.sqrt(1 - rho**2) * rng.normal(size=(60, 5))).estimate()
        values.append(found.value)
        covered += found.low <= information <= found.high
    assert np.mean(values) == pytest.approx(information, abs=0.03)
    assert covered > 180


def test_dependence_that_is_not_linear_is_not_seen():
    rng = np.random.default_rng(0)
    a = rng.normal(size=2000)
    assert GaussianInformation().fit(a, a**2).estimate().value < 0.02


def test_a_linear_function_is_refused():
    a = np.random.default_rng(0).normal(size=100)
    with pytest.raises(DataError, match="singular"):
        GaussianInformation().fit(a, 2 * a)
    with pytest.raises(DataError, match="at least"):
        GaussianInformation().fit(np.random.default_rng(0).normal(size=(45, 50)), a[:45])
