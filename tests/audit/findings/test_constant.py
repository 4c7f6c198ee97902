"""Constant columns, and columns that became constant."""

import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.constant import constant_columns, is_constant
from withhold.audit.view.reading import read_column, read_columns


def test_emptied_columns_are_told_apart_from_columns_that_never_varied():
    before = list(read_columns(pa.table({"a": [1, 2], "b": [1, 1], "c": [1, 2]})))
    after = list(read_columns(pa.table({"a": [1, 1], "b": [1, 1], "c": [1, 2]})))
    assert [(f.code, f.column) for f in constant_columns(after, before)] == [
        ("column_emptied", "a"),
        ("constant_column", "b"),
    ]


def test_a_column_of_nothing_is_constant():
    assert is_constant(read_column(pa.table({"a": pa.nulls(3)}), "a"))


def examples():
    release, original = pa.table({"a": [1] * 9, "b": [1] * 9}), pa.table({"a": [1] * 9, "b": range(9)})
    return dict.fromkeys(["constant_column", "column_emptied"], scene(release, original=original))
