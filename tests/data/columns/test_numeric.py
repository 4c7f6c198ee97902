"""Numbers on a scale: what is clipped, what is rounded, what a missing value becomes."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import NumericalError
from withhold.data.columns.fitting import FitOptions, fit_column
from withhold.data.columns.numeric import NumericColumn


def fitted(array: pa.Array, scaling: str = "score") -> NumericColumn:
    column = pa.chunked_array([array])
    found, _ = fit_column(pa.field("x", array.type), column, FitOptions(scaling=scaling))  # type: ignore[arg-type]
    assert isinstance(found, NumericColumn)
    return found


def encoded(column: NumericColumn, array: pa.Array) -> np.ndarray:
    out = np.zeros((len(array), column.width), dtype=np.float64)
    column.encode(pa.chunked_array([array]), out)
    return out


TENTHS = pa.array(np.random.default_rng(0).integers(0, 900, 600) / 10)


def test_the_affine_scale_is_standard_and_does_not_clip() -> None:
    column = fitted(TENTHS, "affine")
    z = encoded(column, TENTHS)
    assert z.mean() == pytest.approx(0, abs=1e-6)
    assert z.std() == pytest.approx(1, abs=1e-6)
    far = pa.array([-500.0, 1000.0])
    np.testing.assert_allclose(column.decode(encoded(column, far)).to_numpy(), [-500, 1000], atol=1e-6)


def test_the_score_scale_clips_at_quantiles_that_ten_rows_share() -> None:
    column = fitted(TENTHS)
    low, high = column.range
    assert (TENTHS.to_numpy() <= low).sum() >= 10
    assert (TENTHS.to_numpy() >= high).sum() >= 10
    assert column.decode(encoded(column, pa.array([-500.0, 1000.0]))).to_pylist() == [low, high]
    kept = np.clip(TENTHS.to_numpy(), low, high)
    np.testing.assert_allclose(column.decode(encoded(column, TENTHS)).to_numpy(), kept, atol=1e-9)


@pytest.mark.parametrize("scaling", ["score", "affine"])
def test_whole_numbers_stay_whole_and_in_range(scaling: str) -> None:
    column = fitted(pa.array(np.arange(600) % 90, pa.int16()), scaling)
    back = column.decode(np.array([[-9.0], [0.013], [9.0]]))
    assert back.type == pa.int16()
    assert (back[0].as_py(), back[2].as_py()) == column.range
    assert 40 < back[1].as_py() < 50


def test_missing_is_the_middle_and_a_flag() -> None:
    gaps = pa.array([None if i % 3 == 0 else i % 40 for i in range(600)], pa.int64())
    column = fitted(gaps)
    assert column.width == 2
    block = encoded(column, pa.array([None, 7], pa.int64()))
    assert block[0].tolist() == [0.0, 1.0]
    assert column.decode(block).to_pylist() == [None, 7]
    assert column.cells(pa.chunked_array([[None, 7]]))[0] == column.cell_count - 1
    assert column.from_cells(np.array([column.cell_count - 1]), None).to_pylist() == [None]
    never = fitted(TENTHS)
    assert never.width == 1
    assert encoded(never, pa.array([None, 1.0], pa.float64()))[0, 0] == 0.0
    assert never.decode(np.zeros((1, 1))).null_count == 0


def test_a_draw_in_a_cell_stays_in_the_cell() -> None:
    column = fitted(TENTHS)
    cells = np.repeat(np.arange(column.cell_count), 5)
    drawn = column.from_cells(cells, np.random.default_rng(1).random(len(cells)))
    assert column.cells(pa.chunked_array([drawn])).tolist() == cells.tolist()


def test_dates_come_back_as_dates() -> None:
    days = pa.array([dt.date(2020, 1, 1) + dt.timedelta(i % 300) for i in range(600)])
    column = fitted(days)
    first, last = (dt.date(2020, 1, 1) + dt.timedelta(column.origin - 18262 + int(end)) for end in column.range)
    back = column.decode(encoded(column, days))
    assert back.type == pa.date32()
    assert back.to_pylist() == [min(max(day, first), last) for day in days.to_pylist()]


def test_what_diverged_decodes_to_nothing() -> None:
    with pytest.raises(NumericalError, match="'x'"):
        fitted(TENTHS).decode(np.array([[np.inf]]))
