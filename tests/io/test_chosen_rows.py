"""Rows are counted over all pieces, wherever these end."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.io.chosen_rows import chosen_rows


@pytest.mark.parametrize("size", [1, 3, 10, 50])
def test_the_pieces_do_not_matter(size):
    table, rows = pa.table({"a": range(20)}), np.array([0, 2, 3, 9, 10, 19])
    pieces = [table.slice(start, size) for start in range(0, 20, size)]
    assert pa.concat_tables(chosen_rows(pieces, rows)).column("a").to_pylist() == rows.tolist()
    assert pa.concat_tables(chosen_rows(pieces, rows[:0])).num_rows == 0
