"""Tests of matching rows of two files."""

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
