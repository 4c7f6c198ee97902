"""Tests of the fit and audit parts."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.data.attributes import read_attributes
from withhold.io.tables import write_table
from withhold.workflow.parts import draw_folds, draw_parts, parts_by_column, read_splits, splits_table


def test_thirty_per_cent_are_audited_and_classes_stay_in_proportion() -> None:
    labels = np.repeat(["a", "b"], [900, 100])
    parts = draw_parts(read_attributes(pa.table({"s": labels})), None, 1000, seed=0)
    assert len(parts.audit_rows) == pytest.approx(300, abs=2)
    assert (labels[parts.audit_rows] == "b").sum() == pytest.approx(30, abs=2)
    assert parts.source == "run"


def test_subjects_stay_together() -> None:
    groups = np.repeat(np.arange(100), 5)
    parts = draw_parts(read_attributes(pa.table({"s": np.tile(["a", "b"], 250)})), groups, 500, seed=0)
    assert not set(groups[parts.fit_rows]) & set(groups[parts.audit_rows])


def test_the_seed_decides() -> None:
    attributes = read_attributes(pa.table({"s": np.tile(["a", "b"], 50)}))
    first, again, other = (draw_parts(attributes, None, 100, seed).fit for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()


def test_a_column_says_it() -> None:
    column = pa.chunked_array([["Train"] * 6 + ["audit"] * 5]).dictionary_encode()
    parts = parts_by_column(column, "split")
    assert parts.fit.sum() == 6
    assert parts.source == "column"


def test_other_words_are_refused() -> None:
    with pytest.raises(DataError, match="'valid'"):
        parts_by_column(pa.chunked_array([["train"] * 5 + ["valid"] * 5]), "split")


def test_too_few_rows() -> None:
    with pytest.raises(DataError, match=r"at least 5 rows each \(got"):
        parts_by_column(pa.chunked_array([["train"] * 5 + ["test"] * 2]), "split")


def test_splits_file_round_trip(tmp_path: Path) -> None:
    parts = parts_by_column(pa.chunked_array([["train", "test"] * 6]), "split")
    write_table(tmp_path / "splits.parquet", splits_table(parts, np.arange(12)[::-1]))
    found, order = read_splits(tmp_path / "splits.parquet", 12)
    assert (found.fit == parts.fit).all()
    assert order.tolist() == list(range(12))[::-1]
    with pytest.raises(DataError, match="needs 13 rows"):
        read_splits(tmp_path / "splits.parquet", 13)


def test_columns_are_read_from_rows_of_the_fit_and_of_a_cross_fitted_release_from_all() -> None:
    attributes = read_attributes(pa.table({"s": np.tile(["a", "b"], 20)}))
    drawn = draw_parts(attributes, None, 40, seed=0)
    assert drawn.known_rows.tolist() == drawn.fit_rows.tolist()
    assert draw_folds(attributes, None, 40, 5, 0).known_rows.tolist() == list(range(40))


def test_too_few_rows_are_told_how_many_would_do() -> None:
    def drawn(n: int, groups: np.ndarray | None = None, seed: int = 0):
        return draw_parts(read_attributes(pa.table({"s": np.arange(n) % 2})), groups, n, seed)

    with pytest.raises(DataError, match=r"\(got 7 and 3\)\. Give at least 17 rows\.$"):
        drawn(10)
    for seed in range(20):
        assert len(drawn(17, seed=seed).audit_rows) >= 5
    with pytest.raises(DataError, match=r"Give more subjects, or leave groups out"):
        drawn(40, np.array([0] * 38 + [1, 2]))
    with pytest.raises(DataError, match=r"Name at least 5 rows of each part\.$"):
        parts_by_column(pa.chunked_array([["train"] * 30 + ["test"] * 2]), "part")
