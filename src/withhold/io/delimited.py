"""CSV files: the type of a column is inferred from all of its values, ragged rows are named, memory stays constant.

Missing values are empty cells and the spellings in `NULL_TEXTS`, quoted or not. "?" and "None" are ordinary text,
because they can be answers. A column with a leading zero in any row (02116, 007.1) is text: a code, which as a number
would become another one. Whole numbers too long for 64 bits are text too: they are identifiers, and as floats they
would lose their last digits.

Where the types are known, as from a fitted sanitiser, a column is read as known; only one whose values do not fit is
inferred after all. So a part of a file is read as the whole was.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc
from numpy.typing import NDArray

from withhold.contracts.errors import DataError
from withhold.io.chosen_rows import chosen_rows
from withhold.io.table_format import check_columns, damaged

NULL_TEXTS = ("", "NA", "N/A", "n/a", "NaN", "nan", "-nan", "NULL", "null", "<NA>", "#N/A")

# A record must fit into one block. Pieces of this size also bound the memory of a streamed read.
_BLOCK_BYTES = 1 << 24

# A whole number; a number with a zero before another digit.
_WHOLE, _PADDED = r"^\s*[+-]?[0-9]+\s*$", r"^\s*[+-]?0[0-9]"

# Types by name of column.
Types = Mapping[str, pa.DataType]

# Up to here every whole number is a float of 64 bits.
_LARGEST_WHOLE = 2**53

# The order in which pyarrow tries types on a whole file; a streamed read must come to the same result.
_LADDER = (
    pa.null(),
    pa.int64(),
    pa.bool_(),
    pa.date32(),
    pa.time32("s"),
    pa.timestamp("s"),
    pa.timestamp("ns"),
    pa.float64(),
    pa.string(),
)


def read_csv(path: Path, types: Types | None = None) -> pa.Table:
    """Return a CSV file as one table; `types` are those that are known of its columns."""
    width = len(_header(path))
    with _explained(path, width):
        settled: dict[str, pa.DataType] = {}
        if types:
            settled = {field.name: field.type for field in csv_schema(path, types)}
        table = pc.read_csv(path, _reading(threads=True), _parsing(width), _conversion(settled))
        if not types:
            inferred = {field.name: field.type for field in table.schema}
            beyond = {name for name in inferred if _beyond_floats(table.column(name))}
            if codes := _codes(path, inferred, beyond):
                table = pc.read_csv(path, _reading(threads=True), _parsing(width), _conversion(inferred | codes))
    _check_text(path, table.schema)
    return table


def csv_schema(path: Path, types: Types | None = None) -> pa.Schema:
    """Return column names and the types that fit every value of a CSV file, reading it piece by piece."""
    names = _header(path)
    known = {name: kind for name, kind in (types or {}).items() if name in names and _has_spelling(kind)}
    settled = dict(known)
    while True:
        beyond: set[str] = set()
        with _explained(path, len(names)):
            try:
                with pc.open_csv(path, _reading(), _parsing(len(names)), _conversion(settled)) as reader:
                    settled = {field.name: field.type for field in reader.schema}
                    for batch in reader:
                        beyond |= {name for name in names if _beyond_floats(batch.column(name))}
            except pa.ArrowInvalid as error:
                name = names[_failing_column(error)]
                if known.pop(name, None) is None:
                    settled[name] = _next_type(settled[name])
                else:
                    del settled[name]
                continue
            settled |= _codes(path, {name: settled[name] for name in names if name not in known}, beyond - known.keys())
        schema = pa.schema([(name, settled[name]) for name in names])
        _check_text(path, schema)
        return schema


def csv_batches(path: Path, rows: int, types: Types | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the records of a CSV file in batches of at most `rows`; their types are settled before the first."""
    settled = {field.name: field.type for field in csv_schema(path, types)}
    width = len(settled)
    with _explained(path, width), pc.open_csv(path, _reading(), _parsing(width), _conversion(settled)) as reader:
        for batch in reader:
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def csv_rows(path: Path) -> int:
    """Return the number of records of a CSV file, passing over it piece by piece."""
    names = _header(path)
    first = pc.ConvertOptions(column_types={names[0]: pa.binary()}, include_columns=names[:1])
    with _explained(path, len(names)), pc.open_csv(path, _reading(), _parsing(len(names)), first) as reader:
        return sum(batch.num_rows for batch in reader)


def read_texts(path: Path, columns: list[str], rows: NDArray[np.int64] | None = None) -> pa.Table:
    """Return columns of a CSV file as they are written, missing values too; of all rows or of some, ascending."""
    width = len(_header(path))
    conversion = pc.ConvertOptions(
        column_types=dict.fromkeys(columns, pa.large_string()), include_columns=columns, strings_can_be_null=False
    )
    with _explained(path, width):
        if rows is None:
            return pc.read_csv(path, _reading(threads=True), _parsing(width), conversion)
        with pc.open_csv(path, _reading(), _parsing(width), conversion) as reader:
            return pa.concat_tables(chosen_rows((pa.Table.from_batches([batch]) for batch in reader), rows))


def _header(path: Path) -> list[str]:
    """Return the names in the first record, which has several lines where a name holds a line break."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            names = next(csv.reader(iter(lambda: text.readline(_BLOCK_BYTES), "")), [])
    except UnicodeDecodeError as error:
        raise _not_text(path) from error
    except csv.Error as error:
        raise damaged(path, "CSV") from error
    if not names or (len(names) == 1 and not names[0].strip()):
        raise DataError(f"'{path}' has no header: its first line is empty. Name the columns there.")
    check_columns(path, names)
    if len(names) == 1 and re.search(r"[;\t|]", names[0]):
        raise DataError(
            f"'{path}' is not separated by commas ('{names[0]}'). Export it with commas, or convert it to Parquet."
        )
    return names


def _reading(threads: bool = False) -> pc.ReadOptions:
    return pc.ReadOptions(use_threads=threads, block_size=_BLOCK_BYTES)


def _parsing(width: int) -> pc.ParseOptions:
    # In a table of one column an empty line is a record whose value is missing; dropping it would shift all others.
    return pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=width != 1)


def _conversion(types: Types | None = None) -> pc.ConvertOptions:
    return pc.ConvertOptions(column_types=dict(types or {}), null_values=list(NULL_TEXTS), strings_can_be_null=True)


def _beyond_floats(column: pa.ChunkedArray | pa.Array) -> bool:
    """Whether floats hold a number so large that its neighbours among the whole numbers are no floats."""
    if not pa.types.is_floating(column.type):
        return False
    finite = column.filter(compute.fill_null(compute.is_finite(column), False))
    return len(finite) > 0 and compute.max(compute.abs(finite)).as_py() >= _LARGEST_WHOLE


def _codes(path: Path, types: Types, beyond: set[str]) -> dict[str, pa.DataType]:
    """Return those columns of numbers that are codes, as text.

    Codes are numbers with leading zeros in some row, and of those `beyond` what floats tell apart the ones that are
    written as whole numbers throughout.
    """
    names = [name for name, kind in types.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    if not names:
        return {}
    whole, padded = set(beyond), set[str]()
    conversion = _conversion(dict.fromkeys(names, pa.string()))
    conversion.include_columns = names
    with pc.open_csv(path, _reading(), _parsing(len(types)), conversion) as reader:
        for batch in reader:
            whole -= {name for name in whole if compute.all(_match(batch.column(name), _WHOLE)).as_py() is False}
            padded |= {name for name in names if name not in padded and _any(_match(batch.column(name), _PADDED))}
    return dict.fromkeys([name for name in names if name in whole | padded], pa.string())


def _match(column: pa.Array, pattern: str) -> pa.Array:
    return compute.match_substring_regex(column, pattern)


def _any(found: pa.Array) -> bool:
    return compute.any(found).as_py() is True


def _has_spelling(kind: pa.DataType) -> bool:
    """Tell whether cells of a text can be read as this type."""
    tests = (
        pa.types.is_integer,
        pa.types.is_float32,
        pa.types.is_float64,
        pa.types.is_boolean,
        pa.types.is_temporal,
        pa.types.is_decimal128,
        pa.types.is_string,
        pa.types.is_large_string,
    )
    return any(test(kind) for test in tests) and not pa.types.is_interval(kind)


def _failing_column(error: pa.ArrowInvalid) -> int:
    found = re.match(r"In CSV column #(\d+): ", str(error))
    if found is None:
        raise error
    return int(found[1])


def _next_type(current: pa.DataType) -> pa.DataType:
    step = _LADDER.index(current) + 1 if current in _LADDER else len(_LADDER)
    return _LADDER[step] if step < len(_LADDER) else pa.binary()


def _check_text(path: Path, schema: pa.Schema) -> None:
    if any(pa.types.is_binary(field.type) for field in schema):
        raise _not_text(path)


@contextmanager
def _explained(path: Path, width: int) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise _ragged(path, width) or damaged(path, "CSV") from error


def _ragged(path: Path, width: int) -> DataError | None:
    faults: list[pc.InvalidRow] = []

    def stop(row: pc.InvalidRow) -> str:
        faults.append(row)
        return "error"

    parsing = _parsing(width)
    parsing.invalid_row_handler = stop
    with suppress(pa.ArrowException, OSError):
        pc.read_csv(path, _reading(), parsing, pc.ConvertOptions(check_utf8=False))
    if not faults:
        return None
    row = faults[0]
    # The text of the row stays out of the message: it is somebody's record.
    return DataError(
        f"'{path}' has {row.actual_columns} values in row {row.number} (the header is row 1, blank lines are not "
        f"counted), but {row.expected_columns} in the header. Correct the row, or quote values that hold commas."
    )


def _not_text(path: Path) -> DataError:
    return DataError(f"'{path}' is not UTF-8 text. Save it as UTF-8.")
