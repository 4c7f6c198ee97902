"""The view hides nothing that a recipient of the file would have."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.view import AttackView, whiten


def test_columns_name_their_source():
    table = pa.table({"a": [0.1, 0.2, 0.4, None], "b": ["x", "y", "x", "z"]})
    view = AttackView.fit(table)
    assert view.dense.shape == (4, len(view.dense_names))
    assert view.dense.dtype == np.float32
    assert view.columns["b=z"] == "b"
    assert view.columns["a is missing"] == "a"
    assert view.columns["position"] == "row order"
    assert np.isfinite(view.dense).all()
    assert np.isnan(view.ordinal[3, view.ordinal_names.index("a")])


def test_rare_levels_and_identifiers_stay_visible():
    rng = np.random.default_rng(0)
    level = np.where(np.arange(400) < 3, "rare", rng.choice(["p", "q"], 400))
    sex = rng.integers(0, 2, 400)
    identifiers = [f"{'MF'[s]}{i:05d}" for i, s in enumerate(sex)]
    view = AttackView.fit(pa.table({"level": level, "id": identifiers}))
    assert view.dense[:, view.dense_names.index("level=rare")].sum() == 3
    assert np.array_equal(view.dense[:, view.dense_names.index("id first letter F")], sex)


def test_shift_below_float32_survives_in_both_matrices():
    # One part in 1e12 around one million: gone as soon as the raw values are cast to float32.
    sex = np.arange(1000) % 2
    values = 1e6 + 1e-6 * sex
    assert len(np.unique(values.astype(np.float32))) == 1
    view = AttackView.fit(pa.table({"v": values}), row_order=False)
    for matrix in (view.dense, view.ordinal):
        column = matrix[:, 0]
        assert len(np.unique(column)) == 2
        assert abs(np.corrcoef(column, sex)[0, 1]) > 0.999


def test_shifted_indicator_is_given_value_by_value():
    rng = np.random.default_rng(1)
    sex, x = rng.integers(0, 2, 500), rng.integers(0, 2, 500)
    view = AttackView.fit(pa.table({"x": x - 0.3 * sex}), row_order=False)
    by_level = view.dense[:, [n.startswith("x=") for n in view.dense_names]]
    assert by_level.shape[1] == 4
    assert np.linalg.lstsq(np.c_[by_level, np.ones(500)], sex, rcond=None)[1].sum() < 1e-6


def test_fractions_left_by_a_shift_are_a_column():
    rng = np.random.default_rng(2)
    sex = rng.integers(0, 2, 2000)
    view = AttackView.fit(pa.table({"age": rng.integers(17, 90, 2000) + 0.37 * sex}), row_order=False)
    assert np.array_equal(view.dense[:, view.dense_names.index("age fraction 0.37")], sex)


@pytest.mark.parametrize("rows", [1, 2, 10])
def test_every_type_is_read(rows):
    day = datetime.date(2020, 1, 1)
    table = pa.table(
        {
            "date": [day + datetime.timedelta(i) for i in range(rows)],
            "time": [datetime.datetime(2020, 1, 1, i) for i in range(rows)],
            "clock": [datetime.time(i) for i in range(rows)],
            "span": [datetime.timedelta(i) for i in range(rows)],
            "decimal": pa.array(list(range(rows))).cast(pa.decimal128(30, 2)),
            "nested": [{"a": i, "b": [1] * i} for i in range(rows)],
            "vector": [[float(i), 1.0] for i in range(rows)],
            "nothing": pa.nulls(rows),
            "bytes": [bytes([i]) for i in range(rows)],
            "flag": pa.array([None if i == 1 else i % 2 == 0 for i in range(rows)], pa.bool_()),
            "inf": [float("inf") if i == 0 else float(i) for i in range(rows)],
            "half": pa.array(np.arange(rows, dtype=np.float16)),
        }
    )
    view = AttackView.fit(table)
    assert view.n == rows
    assert np.isfinite(view.dense).all()
    assert np.isfinite(view.whitened).all()
    if rows == 10:
        assert {"date", "time", "clock", "span", "decimal", "nested", "vector", "bytes", "flag", "inf", "half"} <= set(
            view.columns.values()
        )


def test_same_name_twice_and_no_column_at_all():
    twice = pa.Table.from_arrays([pa.array([1.0, 2.0]), pa.array([3.0, 3.5])], names=["x", "x"])
    assert set(AttackView.fit(twice, row_order=False).dense_sources) == {"x", "x#1"}
    assert AttackView.fit(pa.table({"c": [1, 1, 1]}), row_order=False).dense.shape == (3, 0)


def test_whitening_is_uncorrelated_and_drops_null_directions():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3000, 4)) @ rng.normal(size=(4, 4))
    white = whiten(np.c_[x, x[:, :2].sum(axis=1)].astype(np.float32))
    assert white.shape == (3000, 4)
    assert np.allclose(np.cov(white.T), np.eye(4), atol=2e-3)  # float32, and n instead of n - 1
    assert whiten(x.astype(np.float32), most=2).shape == (3000, 2)


def test_components_of_more_columns_than_rows_are_those_of_all_columns():
    rng = np.random.default_rng(3)
    wide = (rng.normal(size=(40, 5)) @ rng.normal(size=(5, 200)) + 0.1 * rng.normal(size=(40, 200))).astype(np.float32)
    found = whiten(wide)
    standard = (wide - wide.mean(axis=0)) / wide.std(axis=0)
    left, sizes, _ = np.linalg.svd(standard - standard.mean(axis=0), full_matrices=False)
    assert found.shape == (40, int((sizes**2 > 1e-8 * sizes[0] ** 2).sum()))
    assert np.allclose(np.abs(found[:, :5]), np.abs(left[:, :5]) * 40**0.5, atol=1e-3)


def test_whitening_in_parts_is_whitening(monkeypatch):
    rng = np.random.default_rng(4)
    matrix = rng.normal(size=(300, 6)).astype(np.float32)
    whole = whiten(matrix)
    monkeypatch.setattr("withhold.audit.view.view.PART", 60)
    assert np.allclose(np.abs(whiten(matrix)), np.abs(whole), atol=1e-4)
