"""Between files and transforms: batches of records in the form the transform knows, its output as a table again."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError, sentence
from withhold.contracts.transform import Transform
from withhold.data.encodings import encoded_again
from withhold.data.frames import to_frame
from withhold.data.schema import pandas_index


class BatchAdapter:
    """Apply a transform to batches of one table.

    Parameters
    ----------
    transform : Transform
        With scikit-learn's attributes: one that has `feature_names_in_` is given tables of those columns; one that has
        only `n_features_in_` was fitted on an array and is given arrays; any other is given all columns as a table.
    schema : pyarrow.Schema
        Of the source.
    copied : sequence of str
        Columns that go into the release unchanged and are not shown to a transform that does not know them.

    Examples
    --------
    >>> class Double:
    ...     n_features_in_ = 2
    ...     def transform(self, X):
    ...         return 2 * X
    >>> batch = pa.record_batch({"x0": [1.0], "x1": [2.0], "label": ["a"]})
    >>> BatchAdapter(Double(), batch.schema, ["label"]).apply(batch).to_pylist()
    [{'x0': 2.0, 'x1': 4.0, 'label': 'a'}]
    """

    def __init__(self, transform: Transform, schema: pa.Schema, copied: Sequence[str] = ()) -> None:
        self._transform = transform
        self._copied = list(copied)
        self._source_names = list(schema.names)
        _check_present(self._copied, self._source_names, "The columns to copy")
        names = getattr(transform, "feature_names_in_", None)
        width = getattr(transform, "n_features_in_", None)
        self._as_array = names is None and width is not None
        self._inputs = self._input_names(names, width, schema)
        self._output_schema: pa.Schema | None = None

    def apply(self, batch: pa.RecordBatch) -> pa.Table:
        """Return the released records of `batch`, the same columns and types every time."""
        given = pa.Table.from_batches([batch]).select(self._inputs)
        released = self._as_table(self._transform.transform(_matrix(given) if self._as_array else given))
        if released.num_rows != batch.num_rows:
            why = "Row i of the release must belong to row i of the source."
            remedy = "Use a transform that keeps rows."
            raise DataError(sentence("The output", f"of {batch.num_rows} rows", f"{released.num_rows}", why, remedy))
        complete = encoded_again(self._with_copied(released, batch))
        if self._output_schema is None:
            self._output_schema = complete.schema
        return self._uniform(complete, self._output_schema)

    def _input_names(self, names: Any, width: int | None, schema: pa.Schema) -> list[str]:
        if names is not None:
            wanted = [str(name) for name in names]
            _check_present(wanted, self._source_names, "The columns the sanitiser was fitted on")
            return wanted
        numbered = [f"x{j}" for j in range(width or 0)]
        if numbered and set(numbered) <= set(self._source_names):
            return numbered
        # Row labels are no features; what a transform says that it reads it is shown, copied or not.
        aside = {*self._copied, *pandas_index(schema)} - set(getattr(self._transform, "reads", ()))
        return [name for name in self._source_names if name not in aside]

    def _as_table(self, output: Any) -> pa.Table:
        table = to_frame(output, "The output of the transform").table
        if isinstance(output, pa.Table | pa.RecordBatch) or hasattr(output, "columns"):
            return table
        namer = getattr(self._transform, "get_feature_names_out", None)
        names = [str(name) for name in namer()] if namer is not None else []
        return table.rename_columns(names) if len(names) == table.num_columns else table

    def _with_copied(self, released: pa.Table, batch: pa.RecordBatch) -> pa.Table:
        both = [name for name in self._copied if name in released.column_names]
        if both:
            why = "A copy would put the original values back into the release."
            remedy = "Do not copy it, or leave it out of the features at fit."
            raise DataError(sentence("A column to copy", "none that the sanitiser releases", both[0], why, remedy))
        for name in self._copied:
            released = released.append_column(batch.schema.field(name), batch.column(name))
        place = {name: i for i, name in enumerate(self._source_names)}
        if set(released.column_names) <= set(place):
            released = released.select(sorted(released.column_names, key=place.__getitem__))
        return released

    def _uniform(self, table: pa.Table, schema: pa.Schema) -> pa.Table:
        if table.column_names == schema.names:
            try:
                return table if table.schema.equals(schema) else table.cast(schema)
            except (pa.ArrowException, NotImplementedError):
                pass
        why = "All batches go into one file."
        got = ", ".join(f"{field.name}: {field.type}" for field in table.schema if field not in list(schema))
        raise DataError(
            sentence("The output of every batch", "of the same columns", got, why, "Give the columns fixed types.")
        )


def _check_present(wanted: list[str], present: list[str], subject: str) -> None:
    missing = [name for name in wanted if name not in present]
    if missing:
        got = f"none of the name {', '.join(repr(name) for name in missing[:5])}"
        why = "Columns are found by name."
        raise DataError(sentence(subject, "in the source", got, why, f"It has: {', '.join(present[:20])}."))


def _matrix(table: pa.Table) -> np.ndarray[Any, Any]:
    batch = table.combine_chunks().to_batches()[0]
    unfit = [
        field for field in batch.schema if not (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
    ]
    if unfit:
        got = f"'{unfit[0].name}' of type {unfit[0].type}"
        why = "The sanitiser was fitted on an array."
        remedy = "Drop or convert other columns, or copy them."
        raise DataError(sentence("All columns of the source", "numbers", got, why, remedy))
    matrix: np.ndarray[Any, Any] = np.asarray(batch.to_tensor(null_to_nan=True, row_major=True))
    return matrix
