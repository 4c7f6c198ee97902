"""Finite codes: the record itself where it has few values, else groups that lose little of what it tells."""

import numpy as np

from withhold.information.measures.shannon import mutual_information
from withhold.methods.discrete_channel.finite_code import FiniteCode


def told(cells, codes):
    joint = np.zeros((cells.max() + 1, codes.max() + 1))
    np.add.at(joint, (cells, codes), 1 / len(codes))
    return mutual_information(joint)


def test_few_values_are_their_own_code_and_rare_ones_share_a_cell():
    H = np.repeat(np.array([[0, 1], [1, 0], [1, 1]], dtype=np.float32), [300, 300, 3], axis=0)
    zeros = np.zeros(len(H), dtype=np.int64)
    code = FiniteCode.fit(H, [(zeros, 2), (zeros, 2)])
    assert code.exact
    assert code.n_cells == 3  # two values of ten rows and more, and all else
    assert len(code.values) == 2
    assert len(set(code(H[:600:300]))) == 2
    assert code(np.array([[7, 7], [1, 1], [-0.0, 1]], dtype=np.float32)).tolist() == [2, 2, code(H[:1])[0]]


def test_groups_keep_what_the_records_tell():
    rng = np.random.default_rng(0)
    H = rng.normal(size=(6_000, 6)).astype(np.float32)
    u = (H[:, 0] + 0.7 * rng.normal(size=6_000) > 0).astype(np.int64)
    s = (H[:, 1] + 0.7 * rng.normal(size=6_000) > 0).astype(np.int64)
    code = FiniteCode.fit(H, [(u, 2), (s, 2)], seed=1)
    assert not code.exact
    assert code.n_cells <= 15  # one to 400 rows
    cells = code(H)
    # All that x1 tells: the information of a probit channel, by counts of 60 quantiles.
    fine = np.searchsorted(np.quantile(H[:, 0], np.linspace(0, 1, 61)[1:-1]), H[:, 0])
    assert told(cells, u) > 0.8 * told(fine, u)
    assert told(cells, s) > 0.8 * told(fine, u)


def test_what_nothing_tells_is_not_read_into_the_code():
    rng = np.random.default_rng(2)
    H = rng.normal(size=(3_000, 4)).astype(np.float32)
    u, s = rng.integers(2, size=3_000), rng.integers(2, size=3_000)
    code = FiniteCode.fit(H, [(u, 2), (s, 2)], seed=0)
    assert told(code(H), s) < 0.004  # chance: 6 / 6,000, and models that met a row would tell .05 and more


def test_round_trip_and_no_rows():
    rng = np.random.default_rng(3)
    H = rng.normal(size=(500, 3)).astype(np.float32)
    u = (H[:, 0] > 0).astype(np.int64)
    for rows in (H, np.round(np.clip(H, 0, 1))):
        code = FiniteCode.fit(rows, [(u, 2), (u, 2)], rounds=5)
        again = FiniteCode.restore(code.state())
        assert np.array_equal(again(rows), code(rows))
        assert again.exact == code.exact
        assert again(rows[:0]).shape == (0,)
