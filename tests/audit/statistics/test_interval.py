import numpy as np

from withhold.audit.statistics.interval import cluster_sums, simultaneous_intervals


def cover(n, m, groups=None, draws=300):
    """How often all intervals hold their truth (0) at once."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(draws):
        values = rng.normal(size=(n, m)) if groups is None else rng.normal(size=(groups.max() + 1, m))[groups]
        got = simultaneous_intervals(values, np.zeros(m), 0.0, 0.95, rng, groups)
        held += bool(((got.low <= 0) & (got.high >= 0)).all())
    return held / draws


def test_holds_for_all_columns_at_once():
    assert 0.91 <= cover(100, 6) <= 0.99


def test_few_rows_are_wide_enough():
    assert cover(8, 1) >= 0.91


def test_groups_widen():
    groups = np.repeat(np.arange(30), 10)
    assert cover(300, 2, groups) >= 0.91
    rng = np.random.default_rng(1)
    values = rng.normal(size=(30, 1))[groups]
    plain = simultaneous_intervals(values, np.zeros(1), 0.0, 0.95, rng)
    clustered = simultaneous_intervals(values, np.zeros(1), 0.0, 0.95, rng, groups)
    assert (clustered.high - clustered.low)[0] > 2 * (plain.high - plain.low)[0]


def test_rare_records_are_allowed_for():
    got = simultaneous_intervals(np.zeros((100, 1)), np.array([-2.0]), 0.7, 0.95, np.random.default_rng(0))
    assert got.high[0] > 0.02
    assert got.low[0] < -0.05


def test_one_cluster_says_nothing():
    got = simultaneous_intervals(np.ones((5, 1)), np.zeros(1), 1.0, 0.95, np.random.default_rng(0), np.zeros(5, int))
    assert got.low[0] == -np.inf
    assert got.high[0] == np.inf


def test_cluster_sums():
    assert cluster_sums(np.ones((4, 1)), np.array([7, 7, 9, 7])).tolist() == [[3.0], [1.0]]


def test_what_the_rows_of_one_sanitiser_share_widens():
    rng = np.random.default_rng(2)
    makers, missed = np.repeat(np.arange(5), 60), {"alone": 0, "both": 0}
    for _ in range(200):  # each sanitiser has luck of its own, as large as the records' spread over six
        values = rng.normal(size=(300, 1)) + 0.2 * rng.normal(size=5)[makers][:, None]
        for name, given in (("alone", None), ("both", makers)):
            got = simultaneous_intervals(values, np.zeros(1), 0.0, 0.95, rng, makers=given)
            missed[name] += bool(got.low[0] > 0 or got.high[0] < 0)
    assert missed["alone"] > 25  # 12 % and more, of 5 % allowed
    assert missed["both"] < 20


def test_sanitisers_that_do_not_differ_change_little():
    rng = np.random.default_rng(3)
    makers, wider = np.repeat(np.arange(5), 60), []
    for _ in range(100):
        values = rng.normal(size=(300, 3))
        alone, both = (
            simultaneous_intervals(values, np.zeros(3), 0.0, 0.95, np.random.default_rng(0), makers=given)
            for given in (None, makers)
        )
        assert (both.high >= alone.high).all()
        wider.append(((both.high - both.mean) / (alone.high - alone.mean)).mean())
    assert np.mean(wider) < 1.35
