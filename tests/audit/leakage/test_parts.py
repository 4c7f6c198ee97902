import numpy as np
import pytest

from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.parts import Judge, attacker_results, guess_scores, leakage_by_class


def found(n, means, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, len(means))) * 0.3 + np.asarray(means)
    truth = np.arange(n) % 2
    table = np.stack([np.where(truth == c, 1.0, -1.0) for c in (0, 1)], axis=1)
    names = tuple("abc"[: len(means)])
    inner = np.broadcast_to(np.asarray(means, float), values.shape)
    return LogRatios(
        np.arange(n), names, values, np.full(len(means), -1.0), 0.7, inner, dict.fromkeys(names, table), truth
    )


def judge(n, parts=None, groups=None):
    return Judge(0.95, 0, groups, parts or {"audit": np.ones(n, bool)})


def test_interval_is_the_largest_of_both_ends():
    reading = judge(2000).read(found(2000, [0.0, 0.1]))["audit"]
    assert reading.low == max(reading.lows["b"], reading.low)
    assert reading.low <= reading.value <= reading.high
    assert reading.value == pytest.approx(0.1, abs=0.03)
    assert reading.attacker == "b"


def test_worse_part_counts_and_better_part_is_shown():
    n = 2000
    part = np.arange(n) < n // 2
    one = found(n, [0.0])
    one.values[part] += 0.2
    court = judge(n, {"fit": part, "audit": ~part})
    readings = court.read(one)
    assert court.worst(readings).value == pytest.approx(readings["fit"].value)
    assert court.least(readings).value == pytest.approx(max(0.0, readings["audit"].value))


def test_two_parts_share_the_level():
    n = 2000
    alone = judge(n).read(found(n, [0.1]))["audit"]
    half = np.arange(n) < n // 2
    shared = judge(n, {"fit": half, "audit": ~half}).read(found(n, [0.1]))["fit"]
    width = (shared.high - shared.low) / (alone.high - alone.low)
    assert width > 1.05 * 2**0.5


def test_groups_widen_the_interval():
    n = 2000
    groups = np.arange(n) // 20
    one = found(n, [0.0])
    one.values[:] = np.random.default_rng(1).normal(size=(100, 1))[groups]
    plain, grouped = judge(n).read(one)["audit"], judge(n, groups=groups).read(one)["audit"]
    assert grouped.high - grouped.low > 2 * (plain.high - plain.low)


def test_what_sanitisers_share_widens_the_interval():
    n = 2000
    makers = np.arange(n) % 5
    one = found(n, [0.0])
    one.values[:] += np.array([0.0, 0.1, 0.2, 0.3, 0.4])[makers][:, None]
    plain, made = judge(n).read(one)["audit"], Judge(0.95, 0, None, judge(n).parts, makers).read(one)["audit"]
    assert made.high - made.low > 4 * (plain.high - plain.low)
    assert made.value == plain.value


def test_a_negative_value_is_a_lower_bound_of_zero():
    court = judge(500)
    got = court.worst(court.read(found(500, [-0.5])))
    assert got.value == 0.0
    assert got.low < 0


def test_scores_of_every_attacker():
    court, one = judge(400), found(400, [0.1, 0.2])
    results = attacker_results(court, one, court.read(one), {"a": "dense"})
    assert results["a"].balanced_accuracy == 1.0
    assert results["a"].inputs == "dense"
    assert guess_scores(court, one, "nobody") == (None, None, None)


def test_classes_of_fewer_than_ten_records_are_not_reported():
    court, one = judge(400), found(400, [0.1])
    one.truth[:] = 0
    one.truth[:9] = 1
    assert set(leakage_by_class(court, one, ("x", "y"))) == {"x"}
