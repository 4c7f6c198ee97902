"""CSV files: the type of a column is inferred from all of its values, ragged rows are named, memory stays constant.

Missing values are empty cells and the spellings in `NULL_TEXTS`, quoted or not. "?" and "None" are ordinary text,
because they can be answers. Whole numbers too long for 64 bits are text: they are identifiers, and as floats they would
lose their last digits.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc

from withhold.contracts.errors import DataError, sentence
from withhold.io.table_format import check_columns, damaged

NULL_TEXTS = ("", "NA", "N/A", "n/a", "NaN", "nan", "-nan", "NULL", "null", "<NA>", "#N/A")

# A record must fit into one block. Pieces of this size also bound the memory of a streamed read.
_BLOCK_BYTES = 1 << 24

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


def read_csv(path: Path) -> pa.Table:
    """Return a CSV file as one table."""
    width = _width(path)
    with _explained(path, width):
        table = pc.read_csv(path, _reading(threads=True), _parsing(width), _conversion())
        exact = _whole_text(path, width, [name for name in table.column_names if _beyond_floats(table.column(name))])
        if exact:
            kinds = {field.name: field.type for field in table.schema} | exact
            table = pc.read_csv(path, _reading(threads=True), _parsing(width), _conversion(kinds))
    _check_text(path, table.schema)
    return table


def csv_schema(path: Path) -> pa.Schema:
    """Return column names and the types that fit every value of a CSV file, reading it piece by piece."""
    width = _width(path)
    names: list[str] = []
    types: dict[str, pa.DataType] = {}
    while True:
        beyond: set[str] = set()
        with _explained(path, width):
            try:
                with pc.open_csv(path, _reading(), _parsing(width), _conversion(types)) as reader:
                    names = reader.schema.names
                    types = {field.name: field.type for field in reader.schema}
                    for batch in reader:
                        beyond |= {name for name in names if _beyond_floats(batch.column(name))}
            except pa.ArrowInvalid as error:
                name = names[_failing_column(error)]
                types[name] = _next_type(types[name])
                continue
            types |= _whole_text(path, width, sorted(beyond))
        schema = pa.schema(list(types.items()))
        _check_text(path, schema)
        return schema


def csv_batches(path: Path, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the records of a CSV file in batches of at most `rows`."""
    types = {field.name: field.type for field in csv_schema(path)}
    width = len(types)
    with _explained(path, width), pc.open_csv(path, _reading(), _parsing(width), _conversion(types)) as reader:
        for batch in reader:
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def read_texts(path: Path, columns: list[str]) -> pa.Table:
    """Return columns of a CSV file as they are written, missing values too."""
    width = _width(path)
    conversion = pc.ConvertOptions(
        column_types=dict.fromkeys(columns, pa.large_string()), include_columns=columns, strings_can_be_null=False
    )
    with _explained(path, width):
        return pc.read_csv(path, _reading(threads=True), _parsing(width), conversion)


def _width(path: Path) -> int:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            first = lines.readline(_BLOCK_BYTES)
    except UnicodeDecodeError as error:
        raise _not_text(path) from error
    if not first.strip():
        why = "The first line must name the columns."
        raise DataError(sentence(f"The file '{path}'", "a CSV file with a header", "an empty line", why, "Add it."))
    with _explained(path, 0):
        # Not by a streaming reader: one that is left aborts the process while it ends with an error.
        names = pc.read_csv(pa.BufferReader(first.encode()), _reading(), _parsing(2)).column_names
    check_columns(path, names)
    if len(names) == 1 and re.search(r"[;\t|]", names[0]):
        why = "The header has no comma but another separator."
        remedy = "Export it with commas, or convert it to Parquet."
        raise DataError(sentence(f"The file '{path}'", "separated by commas", f"'{names[0]}'", why, remedy))
    return len(names)


def _reading(threads: bool = False) -> pc.ReadOptions:
    return pc.ReadOptions(use_threads=threads, block_size=_BLOCK_BYTES)


def _parsing(width: int) -> pc.ParseOptions:
    # In a table of one column an empty line is a record whose value is missing; dropping it would shift all others.
    return pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=width != 1)


def _conversion(types: dict[str, pa.DataType] | None = None) -> pc.ConvertOptions:
    return pc.ConvertOptions(column_types=types, null_values=list(NULL_TEXTS), strings_can_be_null=True)


def _beyond_floats(column: pa.ChunkedArray | pa.Array) -> bool:
    """Whether floats hold a number so large that its neighbours among the whole numbers are no floats."""
    if not pa.types.is_floating(column.type):
        return False
    finite = column.filter(compute.fill_null(compute.is_finite(column), False))
    return len(finite) > 0 and compute.max(compute.abs(finite)).as_py() >= _LARGEST_WHOLE


def _whole_text(path: Path, width: int, names: list[str]) -> dict[str, pa.DataType]:
    """Return those of the columns `names` that are written as whole numbers throughout, as text."""
    if not names:
        return {}
    types, whole = dict.fromkeys(names, pa.string()), set(names)
    conversion = _conversion(types)
    conversion.include_columns = names
    with pc.open_csv(path, _reading(), _parsing(width), conversion) as reader:
        for batch in reader:
            whole -= {name for name in whole if compute.all(_digits(batch.column(name))).as_py() is False}
    return {name: types[name] for name in names if name in whole}


def _digits(column: pa.Array) -> pa.Array:
    return compute.match_substring_regex(column, r"^\s*[+-]?[0-9]+\s*$")


def _failing_column(error: pa.ArrowInvalid) -> int:
    found = re.match(r"In CSV column #(\d+): (Row #\d+: )?CSV conversion error", str(error))
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
        sentence(
            f"Every row of '{path}'",
            f"{row.expected_columns} values wide, as the header is",
            f"{row.actual_columns} in row {row.number} (the header is row 1, blank lines are not counted)",
            "Values would land in the wrong columns.",
            "Correct the row, or quote values that hold commas.",
        )
    )


def _not_text(path: Path) -> DataError:
    why = "Other encodings turn names and categories into other ones."
    return DataError(sentence(f"The file '{path}'", "UTF-8 text", "other bytes", why, "Save it as UTF-8."))
