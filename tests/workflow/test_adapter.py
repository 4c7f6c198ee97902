import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from sklearn.preprocessing import StandardScaler

from withhold.contracts.errors import DataError
from withhold.workflow.streaming import BatchAdapter

BATCH = pa.record_batch({"id": ["a", "b"], "x0": [1.0, 2.0], "u": [0, 1], "x1": [3.0, 5.0]})


class Given:
    """Remembers what it was given and answers with a fixed output."""

    def __init__(self, output, **attributes):
        self.output = output
        self.seen = None
        vars(self).update(attributes)

    def transform(self, X):
        self.seen = X
        return self.output


def names(X):
    return X.column_names


def test_a_transform_fitted_on_names_sees_these_columns_only():
    transform = Given(pa.table({"x0": [9, 8], "x1": [7, 6]}), feature_names_in_=np.array(["x1", "x0"], object))
    out = BatchAdapter(transform, BATCH.schema, ["u"]).apply(BATCH)
    assert names(transform.seen) == ["x1", "x0"]
    assert out.column_names == ["x0", "u", "x1"]  # in the order of the source
    assert out.column("u").to_pylist() == [0, 1]


def test_a_transform_fitted_on_an_array_is_given_one():
    scaler = StandardScaler().fit(np.array([[0.0, 0.0], [2.0, 4.0]]))
    out = BatchAdapter(scaler, BATCH.schema, ["id"]).apply(BATCH)
    assert out.column_names == ["id", "x0", "x1"]
    assert out.column("x1").to_pylist() == [0.5, 1.5]


def test_without_numbered_columns_an_array_holds_all_but_the_copied_ones():
    batch = pa.record_batch(
        {"a": pa.array([1, None], pa.float32()), "b": pa.array([1, 2], pa.float32()), "k": ["x", "y"]}
    )
    transform = Given(np.zeros((2, 1), np.float32), n_features_in_=2)
    out = BatchAdapter(transform, batch.schema, ["k"]).apply(batch)
    assert transform.seen.dtype == np.float32
    np.testing.assert_array_equal(transform.seen, np.array([[1, 1], [np.nan, 2]], np.float32))
    assert out.column_names == ["x0", "k"]
    with pytest.raises(DataError, match=r"array of numbers, and 'k' is of type string.*--copy k"):
        BatchAdapter(transform, batch.schema).apply(batch)


@pytest.mark.parametrize(
    "output",
    [
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64),
        pd.DataFrame({"x0": [1.0, 3.0], "x1": [2.0, 4.0]}),
        pl.DataFrame({"x0": [1.0, 3.0], "x1": [2.0, 4.0]}),
        pa.table({"x0": [1.0, 3.0], "x1": [2.0, 4.0]}),
    ],
    ids=lambda output: type(output).__module__.split(".")[0],
)
def test_every_container_is_accepted(output):
    assert BatchAdapter(Given(output), BATCH.schema).apply(BATCH).to_pydict() == {"x0": [1.0, 3.0], "x1": [2.0, 4.0]}


def test_arrays_get_the_names_the_transform_gives_them():
    transform = Given(np.zeros((2, 2)), get_feature_names_out=lambda: np.array(["z0", "z1"]))
    out = BatchAdapter(transform, BATCH.schema, ["u"]).apply(BATCH)
    assert out.column_names == ["z0", "z1", "u"]


def test_missing_columns_are_named():
    with pytest.raises(DataError, match=r"no column 'age', which the sanitiser was fitted on"):
        BatchAdapter(Given(None, feature_names_in_=["x0", "age"]), BATCH.schema)
    with pytest.raises(DataError, match=r"no column 'key', which is to be copied"):
        BatchAdapter(Given(None), BATCH.schema, ["key"])


def test_lost_rows_are_refused():
    with pytest.raises(DataError, match=r"made 1 rows of 2"):
        BatchAdapter(Given(np.zeros((1, 2))), BATCH.schema).apply(BATCH)


def test_a_copy_never_overwrites_a_released_column():
    with pytest.raises(DataError, match=r"'x0' is a column of the release"):
        BatchAdapter(Given(np.zeros((2, 2))), BATCH.schema, ["x0"]).apply(BATCH)


def test_later_batches_take_the_types_of_the_first_or_are_refused():
    transform = Given(pa.table({"c": pa.array(["a", "b"]).dictionary_encode()}))
    adapter = BatchAdapter(transform, BATCH.schema)
    first = adapter.apply(BATCH)
    transform.output = pa.table({"c": ["b", "c"]})
    again = adapter.apply(BATCH)
    assert again.schema == first.schema
    assert again.column("c").to_pylist() == ["b", "c"]
    transform.output = pa.table({"d": [1, 2]})
    with pytest.raises(DataError, match="a later batch other columns or types"):
        adapter.apply(BATCH)
    transform.output = pa.table({"c": [[1], [2]]})
    with pytest.raises(DataError, match="a later batch other columns"):
        adapter.apply(BATCH)


def test_the_index_of_pandas_is_no_column_of_the_matrix():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=[7, 9])
    scaler = StandardScaler().fit(frame.to_numpy())
    batch = pa.RecordBatch.from_pandas(frame)
    assert batch.num_columns == 3
    assert BatchAdapter(scaler, batch.schema).apply(batch).num_columns == 2


def test_a_column_that_is_copied_is_shown_only_to_a_transform_that_reads_it():
    seen = []

    class Reading:
        reads = ()

        def transform(self, X):
            seen.append(X.column_names)
            return X.select(["x0"])

    for reads in ((), ("u",)):
        transform = Reading()
        transform.reads = reads
        assert BatchAdapter(transform, BATCH.schema, ["u"]).apply(BATCH).column_names == ["x0", "u"]
    assert ["u" in given for given in seen] == [False, True]
