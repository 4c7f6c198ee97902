"""Tests of matching rows of two files."""

import pandas as pd
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.workflow.alignment import align


def test_a_key_of_another_type_and_order() -> None:
    release = pa.table({"id": ["3", "1", "2"]})
    other = pa.table({"id": [1.0, 2.0, 3.0, 4.0], "s": ["a", "b", "c", "d"]})
    table, how = align(release, other, "id", "other")
    assert table.column("s").to_pylist() == ["c", "a", "b"]
    assert how == "key"


def test_without_a_key_rows_are_taken_as_they_are_but_not_believed() -> None:
    table, how = align(pa.table({"x": [1, 2]}), pa.table({"s": ["a", "b"]}), None, "other")
    assert table.num_rows == 2
    assert how == "rows"


@pytest.mark.parametrize(
    ("release", "other", "key", "match"),
    [
        ({"x": [1]}, {"s": [1, 2]}, None, "--key"),
        ({"id": [1, 1]}, {"id": [1, 2]}, "id", "unique"),
        ({"id": [1, 2]}, {"id": [1, 1]}, "id", "unique"),
        ({"id": [1, None]}, {"id": [1, 2]}, "id", "unique"),
        ({"id": [1, 9]}, {"id": [1, 2]}, "id", "1 of 2 keys"),
        ({"id": [1, 2]}, {"ids": [1, 2]}, "id", "Did you mean 'ids'"),
    ],
)
def test_what_cannot_be_matched(release: dict, other: dict, key: str | None, match: str) -> None:
    with pytest.raises(DataError, match=match):
        align(pa.table(release), pa.table(other), key, "other.csv")


def test_row_labels_that_contradict_are_refused() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=[5, 7, 9])
    release = pa.Table.from_pandas(frame)
    other = pa.Table.from_pandas(frame.rename(columns={"a": "s"}))
    assert align(release, other, None, "o")[1] == "rows"
    for wrong, words in (
        (other.take([2, 1, 0]), "the same pandas row labels in another order"),
        (frame.set_axis([1, 3, 4]), "other pandas row labels.*--key "),
    ):
        table = wrong if isinstance(wrong, pa.Table) else pa.Table.from_pandas(wrong)
        with pytest.raises(DataError, match=words):
            align(release, table, None, "o")
        # With the labels as a key the order is restored.
    assert align(release, other.take([2, 1, 0]), "__index_level_0__", "o")[0].column("s").to_pylist() == [1, 2, 3]
    # Rows numbered anew, or without labels, say nothing.
    assert align(release, pa.Table.from_pandas(frame.reset_index(drop=True)), None, "o")[1] == "rows"


@pytest.mark.parametrize(
    ("ours", "theirs", "matched"),
    [
        (["000012", "12"], ["12", "000012"], [1, 0]),  # text is text
        (["000012", "000007"], [7, 12], [1, 0]),  # beside numbers a text is read as a number
        ([7.0, 12.5], ["12.50", "007"], [1, 0]),
        (pa.array(["02", "01"]).dictionary_encode(), ["01", "02"], [1, 0]),
    ],
)
def test_keys_are_compared_as_written_where_both_files_have_text(ours: list, theirs: list, matched: list) -> None:
    table, _ = align(pa.table({"id": ours}), pa.table({"id": theirs, "s": [0, 1]}), "id", "other")
    assert table.column("s").to_pylist() == matched


def test_a_key_that_lost_its_zeros_in_text_is_not_guessed() -> None:
    with pytest.raises(DataError, match="keys"):
        align(pa.table({"id": ["12"]}), pa.table({"id": ["000012"]}), "id", "other")
