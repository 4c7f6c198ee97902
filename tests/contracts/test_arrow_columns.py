import pyarrow as pa
import pytest

from withhold.contracts.arrow_columns import check_text, decode_nested
from withhold.contracts.errors import DataError

LATIN = pa.array([b"the", b"th\xe9", b"x"]).view(pa.string())
COLUMNS = {
    "text": LATIN,
    "long text": LATIN.view(pa.binary()).cast(pa.large_binary()).view(pa.large_string()),
    "levels": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), LATIN),
    "lists": pa.ListArray.from_arrays([0, 1, 2, 3], LATIN),
    "records": pa.StructArray.from_arrays([LATIN], ["drink"]),
    "lists as levels": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.ListArray.from_arrays([0, 1, 3], LATIN)),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=list(COLUMNS))
def test_text_that_is_not_utf8_is_refused_by_name(column):
    table = pa.table({"n": [1, 2, 3], "drink": column})
    with pytest.raises(DataError, match=r"^Column 'drink' of X holds text that is not UTF-8\. Export it again"):
        check_text(table, "X")
    check_text(table.drop_columns("drink"), "X")
    check_text(pa.table({"drink": LATIN.view(pa.binary())}), "X")  # bytes may be anything


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2, 3]]),
        pa.array([{"a": 1}, {"a": None}]),
        pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int8())),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16, b"b" * 16], pa.binary(16))),
    ],
    ids=lambda values: str(values.type),
)
def test_dictionaries_of_nested_values_become_plain(values):
    coded = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1], pa.int8()), values)
    table = pa.table({"a": pa.chunked_array([coded, coded]), "b": pa.array(["x"] * 8).dictionary_encode()})
    plain = decode_nested(table)
    assert plain.schema.types == [values.type, table.schema.field("b").type]
    assert plain.to_pydict() == table.to_pydict()
