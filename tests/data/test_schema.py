"""Row labels of pandas in Arrow metadata."""

import pandas as pd
import pyarrow as pa
import pytest

from withhold.data.schema import PANDAS_KEY, notes_beside, pandas_index, pandas_metadata, without_index

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "x"]})


@pytest.mark.parametrize(
    ("frame", "names"),
    [
        (FRAME, ()),
        (FRAME.set_axis([5, 9, 6]), ("__index_level_0__",)),
        (FRAME.set_index(pd.Index(["p", "q", "r"], name="person")), ("person",)),
        (FRAME.set_index(["b", pd.Index([5, 6, 7])]), ("b", "__index_level_1__")),
    ],
)
def test_labels_are_columns_that_pandas_takes_for_its_index(frame, names):
    table = pa.Table.from_pandas(frame)
    assert pandas_index(table.schema) == names
    bare = without_index(table)
    assert pandas_index(bare.schema) == ()
    assert bare.column_names == table.column_names
    assert list(bare.to_pandas().columns) == table.column_names  # pandas, too, reads them as columns now
    assert pandas_index(table.drop_columns(list(names)).schema) == ()


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"index_columns": 5}', b'{"index_columns": ["z"]}'])
def test_metadata_of_something_else_say_nothing(text):
    schema = pa.schema({"a": pa.int8()}, metadata={PANDAS_KEY: text})
    assert pandas_index(schema) == ()
    assert pandas_metadata(schema, ["a"]) is None or text.startswith(b'{"index')


def test_the_notes_of_a_frame_are_named_and_never_kept():
    frame = pd.DataFrame({"a": [1, 2]})
    frame.attrs["ill"] = ["yes", "no"]
    schema = pa.Table.from_pandas(frame).schema
    assert "pandas attributes" in notes_beside(schema)
    assert notes_beside(pa.Table.from_pandas(pd.DataFrame({"a": [1, 2]})).schema) == []
    assert "ill" in schema.metadata[PANDAS_KEY].decode(), "positive control"
    assert "ill" not in pandas_metadata(schema, ["a"])
    assert notes_beside(pa.schema([pa.field("a", pa.int8(), metadata={"unit": "kg"})])) == ["a: unit"]
