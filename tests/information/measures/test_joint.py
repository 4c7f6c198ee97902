import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError, NumericalError
from withhold.information.measures.joint import check_joint, grouped, log_masses, positions


@pytest.mark.parametrize(
    ("bad", "error", "match"),
    [
        ([0.5, 0.6], InvalidParameterError, "a total of 1.1"),
        ([1.5, -0.5], InvalidParameterError, r"non-negative \(got -0\.5\)"),
        ([np.nan, 1.0], NumericalError, "NaN"),
        (1.0, InvalidParameterError, "sum to 1"),
        ([3, 5], InvalidParameterError, "counts"),
    ],
)
def test_what_is_no_distribution_is_refused(bad, error, match):
    with pytest.raises(error, match=match):
        check_joint(bad)


def test_rounding_of_single_precision_is_divided_out():
    p = np.random.default_rng(0).random((40, 50)).astype(np.float32)
    assert check_joint(p / p.sum()).sum() == pytest.approx(1.0, abs=1e-15)


def test_axes_by_name_and_position():
    assert positions(("b", -3), ("a", "b", "c"), 3) == (1, 0)
    for bad, match in (((0, 0), "once"), (3, "positions"), ("d", "among"), (("a", 0), "once")):
        with pytest.raises(InvalidParameterError, match=match):
            positions(bad, ("a", "b", "c"), 3)
    with pytest.raises(InvalidParameterError, match="no names"):
        positions("a", None, 2)
    with pytest.raises(InvalidParameterError, match="one name for each"):
        positions("a", ("a",), 2)


def test_grouped_agrees_with_a_loop():
    p = np.random.default_rng(1).dirichlet(np.ones(24)).reshape(2, 3, 4)
    table = grouped(p, (2,), (0,))
    assert table.shape == (4, 2)
    assert table[3, 1] == pytest.approx(sum(p[1, j, 3] for j in range(3)))
    flat = grouped(p, (2, 0), (1,))
    assert flat[3 * 2 + 1, 2] == p[1, 2, 3]
    with pytest.raises(InvalidParameterError, match="one group each"):
        grouped(p, (0,), (0, 1))


def test_log_of_zero_is_minus_infinity_without_warning():
    assert log_masses(np.array([0.0, 1.0])).tolist() == [-np.inf, 0.0]
