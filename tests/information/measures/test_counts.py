import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError, NumericalError
from withhold.information.measures.counts import (
    CORRECTIONS,
    check_counts,
    information_from_counts,
    information_interval,
    plug_in_bias,
)
from withhold.information.measures.shannon import mutual_information

INDEPENDENT = np.full((4, 5), 1 / 20)
DEPENDENT = np.array([[0.3, 0.1, 0.05], [0.05, 0.15, 0.35]])


def tables(p, n, draws, seed=0):
    return np.random.default_rng(seed).multinomial(n, p.ravel(), size=draws).reshape(draws, *p.shape)


def test_plug_in_is_the_measure_of_the_shares():
    counts = tables(DEPENDENT, 50, 1)[0]
    assert information_from_counts(counts, "none") == pytest.approx(mutual_information(counts / 50))


def test_jackknife_is_the_loop_that_leaves_out_each_record():
    counts = tables(DEPENDENT, 30, 1)[0]
    left_out = []
    for cell in zip(*counts.nonzero(), strict=True):
        fewer = counts.copy()
        fewer[cell] -= 1
        left_out += [information_from_counts(fewer, "none")] * counts[cell]
    expected = 30 * information_from_counts(counts, "none") - 29 * np.mean(left_out)
    assert information_from_counts(counts, "jackknife") == pytest.approx(expected)


@pytest.mark.parametrize("p", [INDEPENDENT, DEPENDENT], ids=["independent", "dependent"])
def test_corrections_remove_bias(p):
    """At 100 records the plug-in is .06 or .01 nat too large; means of 2,000 tables have a standard error of .001."""
    truth, drawn = mutual_information(p), tables(p, 100, 2000)
    bias = {c: np.mean([information_from_counts(t, c) for t in drawn]) - truth for c in CORRECTIONS}
    assert bias["none"] > 0.01
    assert np.mean([plug_in_bias(t) for t in drawn]) == pytest.approx(bias["none"], rel=0.4)
    assert abs(bias["jackknife"]) < abs(bias["none"]) / 5
    assert abs(bias["miller-madow"]) < abs(bias["none"]) / 2


@pytest.mark.parametrize("tilt", [0.0, 0.1, 0.4, 1.0], ids=lambda t: f"tilt {t:g}")
def test_interval_covers(tilt):
    """95 % intervals of 300 tables: the standard error of their coverage is .013."""
    p = INDEPENDENT.copy()
    p[:2, :2] *= 1 + tilt
    p[2:, 2:] *= 1 + tilt
    p /= p.sum()
    truth, found = mutual_information(p), [information_interval(t) for t in tables(p, 400, 300, seed=1)]
    assert np.mean([q.low <= truth <= q.high for q in found]) > 0.92
    assert all(q.low <= max(q.value, 0) <= q.high for q in found)


def test_strong_dependence_is_covered():
    truth = mutual_information(DEPENDENT)
    found = [information_interval(t) for t in tables(DEPENDENT, 400, 300, seed=2)]
    assert np.mean([q.low <= truth <= q.high for q in found]) > 0.92
    assert np.median([q.low for q in found]) > 0.1


@pytest.mark.parametrize("table", [[[25, 25], [25, 25]], [[250, 250], [251, 249]], [[1, 0], [0, 1]], [[9, 1], [0, 10]]])
def test_an_interval_holds_its_value_has_width_and_is_possible(table):
    found = information_interval(table)
    assert found.low <= found.value <= found.high <= max(np.log(2), found.value)
    assert found.high - found.low > 1.5 / np.sum(table) or found.high == found.value


def test_one_column_tells_nothing():
    found = information_interval([[3], [5]])
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("bad", "match"), [([[0.5, 1]], "whole"), ([3, 4], "2 axes"), ([[1, 0]], "2 records"), ([[-1, 4]], "non-negative")]
)
def test_what_is_no_table_is_refused(bad, match):
    with pytest.raises(InvalidParameterError, match=match):
        check_counts(bad, 2)
    with pytest.raises(NumericalError):
        check_counts([[np.nan, 1.0]])


def test_unknown_correction():
    with pytest.raises(InvalidParameterError, match="correction"):
        information_from_counts([[1, 2], [3, 4]], "best")
