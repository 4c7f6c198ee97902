"""What X tells of U: the exact value for a finite table, an estimate below it for other tables, nothing for noise."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.workflow.told import compact, what_x_tells

N = 6000


@pytest.fixture(scope="module")
def people() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    return s, np.where(rng.random(N) < 0.85, s, 1 - s), rng.permutation(N) < N // 2


def test_a_finite_table_is_counted(people) -> None:
    s, u, first = people
    notes: list[str] = []
    known = what_x_tells(pa.table({"x": s}), u, s, first, 0, notes)
    p = np.histogram2d(s, u, bins=2)[0] / N
    exact = float((p * np.log(p / p.sum(0) / p.sum(1)[:, None])).sum())
    assert known.u_x == pytest.approx(exact, abs=1e-9)
    assert known.s_x == pytest.approx(np.log(2), abs=1e-3)
    assert known.u_s_given_x == pytest.approx(0.0, abs=1e-9)
    assert "finite table" in notes[0]


def test_other_tables_are_estimated_and_noise_tells_nothing(people) -> None:
    s, u, first = people
    rng = np.random.default_rng(1)
    notes: list[str] = []
    signal = what_x_tells(pa.table({"x": s + 0.01 * rng.normal(size=N)}), u, s, first, 0, notes)
    assert 0.2 < signal.u_x < 0.31  # ln 2 - h(.85) = .2704
    assert signal.joint is None
    assert "held-out estimate" in notes[0]
    assert what_x_tells(pa.table({"x": rng.normal(size=N)}), u, s, first, 0, []).u_x < 0.01


def test_codes_are_numbered_anew() -> None:
    assert compact(np.array([9, 3, 9, 5])).tolist() == [2, 0, 2, 1]
