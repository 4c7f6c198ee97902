"""What X tells of U: the exact value for a finite table, an estimate below it for other tables, nothing for noise."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.images import image_column
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


def test_images_are_features_and_no_finite_table():
    rng = np.random.default_rng(0)
    u, s = rng.integers(2, size=(2, 400))
    images = rng.integers(0, 60, size=(400, 8, 8)).astype(np.uint8)
    images[:, 2:4, 2:4] += (100 * u[:, None, None]).astype(np.uint8)
    notes: list[str] = []
    table = pa.table({"image": image_column(images)})
    known = what_x_tells(table, u, s, np.arange(400) < 200, 0, notes)
    assert 0.55 < known.u_x <= np.log(2)
    assert known.joint is None
    assert "finite" not in " ".join(notes)


def test_a_constant_tells_nothing_and_no_last_digit_less():
    for n in range(400, 420):
        u, s = np.arange(n) % 3, np.arange(n) % 2
        known = what_x_tells(pa.table({"x": ["one"] * n}), u, s, np.arange(n) < n // 2, 0, [])
        assert 0.0 <= known.u_x < 1e-12
        assert 0.0 <= known.s_x < 1e-12
