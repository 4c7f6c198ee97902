import numpy as np
import pytest
from known_worlds.registry import WORLDS

from exact_information import agrees, log_ratio, sample


def binary(p, s):
    return log_ratio(np.log(np.column_stack([1 - p, p])), s)


def test_missingness():
    drawn = sample("missingness")
    gone = drawn.release.column("lab").is_null().to_numpy()
    p = np.where(gone, 0.4 / 0.5, 0.6 / 1.5)
    agrees("missingness", binary(p, drawn.sensitive["s"]))


@pytest.mark.parametrize(("name", "trend"), [("row_order", 0.4), ("row_order_small", 0.2)])
def test_row_order(name, trend):
    drawn = sample(name)
    place = (np.arange(200_000) + 0.5) / 200_000
    agrees(name, binary(0.5 + trend * (2 * place - 1), drawn.sensitive["s"]))


def test_a_sorted_file_tells_everything():
    s = sample("sorted_by_s", n=1000).sensitive["s"]
    assert (np.diff(s) >= 0).all()
    assert s.mean() == 0.5


def test_rounding_against_counted_frequencies():
    """The plug-in information of the observed values, with its Miller-Madow correction."""
    drawn = sample("rounding", n=2_000_000)
    value, s = np.rint(100 * drawn.release.column("value").to_numpy()).astype(int), drawn.sensitive["s"]
    assert set(np.unique(value % 10)) == set(range(10))
    cells, which = np.unique(value, return_inverse=True)
    joint = np.zeros((len(cells), 2))
    np.add.at(joint, (which, s), 1.0)

    def entropy(counts):
        p = counts[counts > 0] / counts.sum()
        return -(p * np.log(p)).sum() + (len(p) - 1) / (2 * counts.sum())

    estimate = entropy(joint.sum(0)) + entropy(joint.sum(1)) - entropy(joint.ravel())
    assert estimate == pytest.approx(WORLDS["rounding"].truth, abs=0.002)


def test_utility_reveals():
    drawn = sample("utility_reveals")
    agrees("utility_reveals", binary(np.where(drawn.utility == 1, 0.8, 0.2), drawn.sensitive["s"]))
