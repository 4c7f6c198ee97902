"""Hive folders: parts below folders such as year=2024, whose names are values of columns."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

_NONE = "__HIVE_DEFAULT_PARTITION__"


def partitions(root: Path, files: Sequence[Path]) -> list[dict[str, pa.Scalar]]:
    """Return for each part the values that its folders name: whole numbers where all are, else text.

    Examples
    --------
    >>> files = [Path("d/year=2024/site=a%20b/0.parquet"), Path("d/year=2025/site=c/0.parquet")]
    >>> [{name: value.as_py() for name, value in part.items()} for part in partitions(Path("d"), files)]
    [{'year': 2024, 'site': 'a b'}, {'year': 2025, 'site': 'c'}]
    """
    texts = [
        {
            name: None if value == _NONE else unquote(value)
            for name, _, value in map(_split, file.relative_to(root).parts[:-1])
        }
        if file != root
        else {}
        for file in files
    ]
    kinds: dict[str, pa.DataType] = {}
    for name in dict.fromkeys(name for part in texts for name in part):
        values = [part[name] for part in texts if part.get(name) is not None]
        whole = all(
            value is not None and value.isascii() and value.isdigit() and str(int(value)) == value for value in values
        )
        kinds[name] = pa.int64() if whole and values else pa.string()
    return [
        {name: pa.scalar(None if text is None else int(text) if kinds[name] == pa.int64() else text, kinds[name])
         for name, text in part.items()}
        for part in texts
    ]  # fmt: skip


def with_partition(table: pa.Table, values: dict[str, pa.Scalar]) -> pa.Table:
    """Return the records of a part with the columns that its folders name; a column of the part itself stays.

    Examples
    --------
    >>> with_partition(pa.table({"a": [1, 2]}), {"year": pa.scalar(2024)}).to_pydict()
    {'a': [1, 2], 'year': [2024, 2024]}
    """
    for name, value in values.items():
        if name not in table.column_names:
            table = table.append_column(name, pa.chunked_array([pa.repeat(value, table.num_rows)]))
    return table


def _split(folder: str) -> tuple[str, str, str]:
    name, mark, value = folder.partition("=")
    return unquote(name), mark, value
