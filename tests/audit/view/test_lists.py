"""Lists and maps come as columns: by place, by statistics, by key; no value is lost to a missing row."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.lists import unpack
from withhold.audit.view.reading import read_columns

RNG = np.random.default_rng(0)


def parts(rows, kind):
    return {name: part.to_pylist() for name, part in unpack(pa.chunked_array([pa.array(rows, kind)]))}


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 2)])
def test_a_missing_list_costs_no_entry_of_the_others(kind):
    found = parts([[1.0, 2.0], None, [3.0, 4.0]], kind)
    assert found["[0]"] == [1.0, None, 3.0]
    assert found["[1]"] == [2.0, None, 4.0]
    assert found[" is null"] == [False, True, False]


def test_statistics_of_lists_of_any_length():
    rows = [RNG.normal(size=length).tolist() for length in (1, 2, 9, 30)]
    found = parts([*rows, [], None], pa.list_(pa.float64()))
    assert found[" length"] == [1, 2, 9, 30, 0, None]
    for place, row in enumerate(rows):
        assert found[" sum"][place] == pytest.approx(np.sum(row))
        assert found[" mean"][place] == pytest.approx(np.mean(row))
        assert found[" sd"][place] == pytest.approx(np.std(row))
        assert found[" median"][place] == pytest.approx(sorted(row)[(len(row) - 1) // 2])
        assert (found[" least"][place], found[" largest"][place]) == (min(row), max(row))
        assert found[" mean step"][place] == pytest.approx(np.abs(np.diff(row)).sum() / max(1, len(row) - 1))
        sums = [sum(row[start : start + 5]) for start in range(len(row))]
        assert found[" largest sum of neighbours"][place] == pytest.approx(max(sums))
        assert (found[" entry 0"][place], found[" entry -1"][place]) == (row[0], row[-1])
    assert found[" mean"][-2:] == [None, None]


@pytest.mark.parametrize("values", [[[]] * 3, [None] * 3])
def test_lists_without_any_entry(values):
    assert list(read_columns(pa.table({"a": pa.array(values, pa.list_(pa.float64()))})))


def test_an_entry_that_is_no_number_is_missing():
    found = parts([[1.0, None], [np.nan], [2.0, 3.0, 4.0]], pa.list_(pa.float64()))
    assert found[" entry 1"] == [None, None, 3.0]
    assert found[" length"] == [2, 1, 3]


def test_lists_of_structs_by_field():
    found = parts([[{"x": 1, "y": "a"}], None, [{"x": 2, "y": "b"}, {"x": 3, "y": None}]], None)
    assert found == {".x": [[1], None, [2, 3]], ".y": [["a"], None, ["b", None]]}


def test_maps_by_key():
    rows = [[("a", 1.0), ("b", float(i))] if i % 2 else [("b", float(i))] for i in range(10)] + [None]
    found = parts(rows, pa.map_(pa.string(), pa.float64()))
    assert found["['a']"][:2] == [None, 1.0]
    assert found["['b']"][:3] == [0.0, 1.0, 2.0]
    assert found[" keys"] == [1, 2] * 5 + [None]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([["a", "b"], ["c"]]),
        pa.array([[1.0], [2.0]], pa.list_view(pa.float64())),
        pa.array([[("k1", 1)], [("k2", 2)]], pa.map_(pa.string(), pa.int64())),
        pa.array(["a", "b"]),
    ],
)
def test_what_is_no_list_of_numbers_is_read_as_text(column):
    assert unpack(pa.chunked_array([column])) is None
