import numpy as np
import pyarrow as pa
import pytest

from withhold.data.codec import TableCodec


def codec_and_table(column):
    table = pa.table({"it": column, "x": pa.array(np.arange(len(column)) % 2 == 0)})
    return TableCodec.fit(table, keep=["it"], min_rows=1), table


def rows(codec, column):
    n = len(column)
    return codec.canonical_bytes(pa.table({"it": column, "x": pa.array(np.zeros(n, dtype=bool))}))


def test_bytes_are_those_of_the_values():
    codec, table = codec_and_table(pa.array([1.5, -2.0], pa.float32()))
    out = codec.canonical_bytes(table)
    assert out.dtype == np.uint8
    assert out.shape == (2, 16)
    assert out[:, :8].copy().view(np.float64).ravel().tolist() == [1.5, -2.0]
    assert out[:, 8:].copy().view(np.int64).ravel().tolist() == [1, 0]


def test_one_zero_one_nan_one_missing():
    codec, _ = codec_and_table(pa.array([1.5, 2.5]))
    strange = np.array([0x7FF8000000000001, 0xFFF8000000000000], dtype=np.uint64).view(np.float64)
    out = rows(codec, pa.array(np.concatenate([[0.0, -0.0], strange]), from_pandas=False))
    assert (out[0] == out[1]).all()
    assert (out[2] == out[3]).all()
    assert (out[2] == rows(codec, pa.array([None], pa.float64()))[0]).all()
    assert (out[0] != out[2]).any()


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, None, 2**62]),
        pa.array([1, 2, None, 2**64 - 1], pa.uint64()),
        pa.array(["a", "b", None, ""]),
        pa.array(["a", "b", None, "ab"]).dictionary_encode(),
        pa.array([True, False, None]),
        pa.array([0.1, 0.2, None]),
        pa.array([1, 2, None], pa.timestamp("us", "UTC")),
        pa.array([1, 2, None]).cast(pa.decimal128(22, 2)),
    ],
)
def test_different_values_have_different_bytes(column):
    codec, table = codec_and_table(column)
    out = codec.canonical_bytes(table)[:, :-8]
    assert len({row.tobytes() for row in out}) == len(column)


def test_storage_does_not_matter():
    codec, _ = codec_and_table(pa.array(["a", "b", "a", None]).dictionary_encode())
    want = rows(codec, pa.array(["a", "b", None, "new"]).dictionary_encode())
    turned = pa.DictionaryArray.from_arrays(pa.array([3, 1, None, 0], pa.int16()), pa.array(["new", "b", "?", "a"]))
    np.testing.assert_array_equal(rows(codec, turned), want)
    np.testing.assert_array_equal(rows(codec, pa.array(["a", "b", None, "new"], pa.large_string())), want)
    codec, _ = codec_and_table(pa.array([1, 2, 3], pa.int32()))
    want = rows(codec, pa.array([5, None], pa.int32()))
    np.testing.assert_array_equal(rows(codec, pa.array([5.0, None])), want)
    np.testing.assert_array_equal(rows(codec, pa.array([5, None], pa.int64())), want)


def test_order_is_that_of_the_schema():
    table = pa.table({"a": [1.5, 2.5], "b": ["u", "v"], "c": [3.5, 1.5]})
    codec = TableCodec.fit(table, keep=["b"], min_rows=1)
    shuffled = table.select(["c", "a", "b"]).append_column("extra", pa.array([0, 1]))
    np.testing.assert_array_equal(codec.canonical_bytes(shuffled), codec.canonical_bytes(table))


def test_bytes_are_exact_where_features_are_not():
    codec, _ = codec_and_table(pa.array(np.arange(1000.0)))
    near = pa.array([500.0, np.nextafter(500.0, 501.0), 1e9, 2e9])
    out = rows(codec, near)
    assert len({row.tobytes() for row in out}) == 4
    features = codec.encode(pa.table({"it": near, "x": pa.array([True] * 4)}))[:, 0]
    assert features[0] == features[1]
    assert features[2] == features[3]
