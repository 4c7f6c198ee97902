import numpy as np
import pytest
from cadp.certain_epsilon import epsilon_lower_bound

from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.quantity import check_level
from withhold.information.estimators.gaussian import GaussianInformation
from withhold.information.measures.counts import information_interval


def test_levels_of_numpy_are_levels():
    check_level(np.float32(0.9))


@pytest.mark.parametrize("level", [95, 1.0, 0.49, 0.0, "0.95", None, float("nan")])
@pytest.mark.parametrize(
    "asked",
    [
        lambda level: information_interval([[5, 3], [2, 6]], level),
        lambda level: epsilon_lower_bound(np.arange(20.0), np.arange(20.0), level=level),
        lambda level: GaussianInformation(level=level).fit(np.arange(60.0), np.arange(60.0) ** 2),
    ],
)
def test_a_level_that_is_no_coverage_is_refused(asked, level):
    with pytest.raises(InvalidParameterError, match=r"level must be at least 0\.5 and below 1"):
        asked(level)
