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
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc
from numpy.typing import NDArray

from withhold.contracts.errors import DataError
from withhold.io.chosen_rows import chosen_rows
from withhold.io.dates import DateForms, looks_dated, type_of, with_dates
from withhold.io.dialect import Dialect, check_separated, find_dialect
from withhold.io.reading import FOUND_OUT, Reading
from withhold.io.table_format import check_columns, damaged
from withhold.io.text_files import not_decoded, opened_text

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


@dataclass(frozen=True)
class _File:
    """A text file with what is settled about how it is written."""

    path: Path
    reading: Reading
    dialect: Dialect
    names: list[str]

    @property
    def texts(self) -> dict[str, pa.DataType]:
        """Columns that are read as text: those declared so, and dates until they are read by their form."""
        return dict.fromkeys([*self.reading.text, *(name for name, _ in self.reading.dates)], pa.string())

    def read_options(self, threads: bool = False) -> pc.ReadOptions:
        encoding = "utf8" if self.dialect.encoding in ("utf-8", "ascii") else self.dialect.encoding
        return pc.ReadOptions(
            use_threads=threads, block_size=_BLOCK_BYTES, encoding=encoding, skip_rows=self.dialect.above
        )

    def parsing(self) -> pc.ParseOptions:
        # In a table of one column an empty line is a record whose value is missing; dropping it would shift all others.
        return pc.ParseOptions(
            delimiter=self.dialect.sep, newlines_in_values=True, ignore_empty_lines=len(self.names) != 1
        )

    def conversion(self, types: Types | None = None) -> pc.ConvertOptions:
        return pc.ConvertOptions(
            column_types=dict(types or {}),
            null_values=[*NULL_TEXTS, *self.reading.missing],
            strings_can_be_null=True,
            decimal_point=self.dialect.decimal,
        )

    def open(self, conversion: pc.ConvertOptions) -> pc.CSVStreamingReader:
        return pc.open_csv(self.path, self.read_options(), self.parsing(), conversion)

    def read(self, conversion: pc.ConvertOptions) -> pa.Table:
        return pc.read_csv(self.path, self.read_options(threads=True), self.parsing(), conversion)


def find_reading(path: Path, reading: Reading = FOUND_OUT, types: Types | None = None) -> tuple[Reading, str]:
    """Return what is to be said of a text file so that nothing need be found out again, and words about what was."""
    found = _file(path, reading, types).dialect
    return replace(reading, sep=found.sep, decimal=found.decimal, encoding=found.encoding), found.words


def read_csv(path: Path, types: Types | None = None, reading: Reading = FOUND_OUT) -> pa.Table:
    """Return a CSV file as one table; `types` are those that are known of its columns."""
    file = _file(path, reading, types)
    with _explained(file):
        settled = file.texts
        if types:
            settled = _settled_types(file, types)[0]
        table = file.read(file.conversion(settled))
        if not types:
            inferred = {field.name: field.type for field in table.schema}
            beyond = {name for name in inferred if _beyond_floats(table.column(name))}
            if codes := _codes(file, inferred, beyond):
                table = file.read(file.conversion(inferred | codes))
    _check_text(file, table.schema)
    dated = _dated(file, table.schema, table, types)
    return with_dates(table, dated, str(path))


def csv_schema(path: Path, types: Types | None = None, reading: Reading = FOUND_OUT) -> pa.Schema:
    """Return column names and the types that fit every value of a CSV file, reading it piece by piece."""
    return _settled(_file(path, reading, types), types)[0]


def csv_batches(
    path: Path, rows: int, types: Types | None = None, reading: Reading = FOUND_OUT
) -> Iterator[pa.RecordBatch]:
    """Yield the records of a CSV file in batches of at most `rows`; their types are settled before the first."""
    file = _file(path, reading, types)
    schema, settled, dates = _settled(file, types)
    with _explained(file), file.open(file.conversion(settled)) as reader:
        for batch in reader:
            if dates:
                table = with_dates(pa.Table.from_batches([batch]), dates, str(path)).cast(schema).combine_chunks()
                batch = table.to_batches()[0] if table.num_rows else batch.slice(0, 0)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def csv_rows(path: Path, reading: Reading = FOUND_OUT) -> int:
    """Return the number of records of a CSV file, passing over it piece by piece."""
    file = _file(path, reading)
    first = pc.ConvertOptions(column_types={file.names[0]: pa.binary()}, include_columns=file.names[:1])
    with _explained(file), file.open(first) as reader:
        return sum(batch.num_rows for batch in reader)


def read_texts(
    path: Path, columns: list[str], rows: NDArray[np.int64] | None = None, reading: Reading = FOUND_OUT
) -> pa.Table:
    """Return columns of a CSV file as they are written, missing values too; of all rows or of some, ascending."""
    file = _file(path, reading)
    conversion = pc.ConvertOptions(
        column_types=dict.fromkeys(columns, pa.large_string()), include_columns=columns, strings_can_be_null=False
    )
    with _explained(file):
        if rows is None:
            return file.read(conversion)
        with file.open(conversion) as reader:
            return pa.concat_tables(chosen_rows((pa.Table.from_batches([batch]) for batch in reader), rows))


def _file(path: Path, reading: Reading, types: Types | None = None) -> _File:
    numbers = [name for name, kind in (types or {}).items() if pa.types.is_floating(kind) or pa.types.is_decimal(kind)]
    dialect = find_dialect(path, reading, NULL_TEXTS, numbers)
    return _File(path, reading, dialect, _header(path, dialect, reading.sep is not None))


def _settled_types(file: _File, types: Types | None) -> tuple[dict[str, pa.DataType], list[str]]:
    """Return the types that fit every cell, of dates in a local form text; and the columns of text that begin so."""
    names = file.names
    known = {name: kind for name, kind in (types or {}).items() if name in names and _has_spelling(kind)}
    known |= {name: kind for name, kind in file.texts.items() if name in names}
    settled = dict(known)
    while True:
        beyond, dated = set[str](), dict[str, bool]()
        with _explained(file):
            try:
                with file.open(file.conversion(settled)) as reader:
                    settled = {field.name: field.type for field in reader.schema}
                    for batch in reader:
                        beyond |= {name for name in names if _beyond_floats(batch.column(name))}
                        for name in (name for name in names if pa.types.is_string(settled[name]) and name not in dated):
                            if batch.column(name).null_count < batch.num_rows:
                                dated[name] = looks_dated(batch.column(name))
            except pa.ArrowInvalid as error:
                name = names[_failing_column(error)]
                if known.pop(name, None) is None:
                    settled[name] = _next_type(settled[name])
                else:
                    del settled[name]
                continue
            settled |= _codes(file, {name: settled[name] for name in names if name not in known}, beyond - known.keys())
        _check_text(file, pa.schema([(name, settled[name]) for name in names]))
        return {name: settled[name] for name in names}, [name for name, looks in dated.items() if looks]


def _settled(
    file: _File, types: Types | None
) -> tuple[pa.Schema, dict[str, pa.DataType], dict[str, tuple[str, pa.DataType]]]:
    """Return the schema, the types that cells are read by, and the forms of dates."""
    settled, dated = _settled_types(file, types)
    dates = _dated(file, pa.schema([(name, settled[name]) for name in dated]), None, types)
    declared = {name: (form, type_of(form)) for name, form in file.reading.dates if name in settled}
    dates |= declared
    shown = settled | {name: kind for name, (_, kind) in dates.items()}
    return pa.schema(list(shown.items())), settled, dates


def _dated(
    file: _File, schema: pa.Schema, table: pa.Table | None, types: Types | None
) -> dict[str, tuple[str, pa.DataType]]:
    """Return the form and type of each column of dates: the declared ones, and where all values have one local form."""
    declared = {name: (form, type_of(form)) for name, form in file.reading.dates if name in schema.names}
    kept = {*file.reading.text, *declared, *(n for n, kind in (types or {}).items() if not pa.types.is_temporal(kind))}
    texts = [field.name for field in schema if pa.types.is_string(field.type) and field.name not in kept]
    if not texts:
        return declared
    seen: dict[str, DateForms] = {}
    if table is not None:
        seen = {name: DateForms() for name in texts if looks_dated(table.column(name))}
        for name, forms in seen.items():
            forms.add(table.column(name))
    else:
        conversion = file.conversion(dict.fromkeys(texts, pa.string()))
        conversion.include_columns = texts
        with _explained(file), file.open(conversion) as reader:
            for batch in reader:
                for name in [name for name in texts if batch.column(name).null_count < batch.num_rows]:
                    if name in seen or looks_dated(batch.column(name)):
                        seen.setdefault(name, DateForms()).add(batch.column(name))
                    else:
                        texts.remove(name)
                if not any(name not in seen or seen[name].left for name in texts):
                    break
    found = {name: forms.settled(str(file.path), name) for name, forms in seen.items()}
    return declared | {name: form for name, form in found.items() if form is not None}


def _header(path: Path, dialect: Dialect, stated: bool) -> list[str]:
    """Return the names in the first record, which has several lines where a name holds a line break."""
    try:
        with opened_text(path, dialect.encoding) as text:
            for _ in range(dialect.above):
                text.readline(_BLOCK_BYTES)
            lines = iter(lambda: text.readline(_BLOCK_BYTES), "")
            names = next(csv.reader(lines, delimiter=dialect.sep), [])
    except UnicodeError as error:
        raise not_decoded(path, dialect.encoding) from error
    except csv.Error as error:
        raise damaged(path, "CSV") from error
    if not names or (len(names) == 1 and not names[0].strip()):
        raise DataError(f"'{path}' has no header: its first line is empty. Name the columns there.")
    check_columns(path, names)
    if not stated:
        check_separated(path, names, dialect.sep)
    return names


def _beyond_floats(column: pa.ChunkedArray | pa.Array) -> bool:
    """Whether floats hold a number so large that its neighbours among the whole numbers are no floats."""
    if not pa.types.is_floating(column.type):
        return False
    finite = column.filter(compute.fill_null(compute.is_finite(column), False))
    return len(finite) > 0 and compute.max(compute.abs(finite)).as_py() >= _LARGEST_WHOLE


def _codes(file: _File, types: Types, beyond: set[str]) -> dict[str, pa.DataType]:
    """Return those columns of numbers that are codes, as text.

    Codes are numbers with leading zeros in some row, and of those `beyond` what floats tell apart the ones that are
    written as whole numbers throughout.
    """
    names = [name for name, kind in types.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    if not names:
        return {}
    whole, padded = set(beyond), set[str]()
    conversion = file.conversion(dict.fromkeys(names, pa.string()))
    conversion.include_columns = names
    with file.open(conversion) as reader:
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


def _check_text(file: _File, schema: pa.Schema) -> None:
    if any(pa.types.is_binary(field.type) for field in schema):
        raise not_decoded(file.path, file.dialect.encoding)


@contextmanager
def _explained(file: _File) -> Iterator[None]:
    try:
        yield
    except UnicodeError as error:
        raise not_decoded(file.path, file.dialect.encoding) from error
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise _ragged(file) or damaged(file.path, "CSV") from error


def _ragged(file: _File) -> DataError | None:
    faults: list[pc.InvalidRow] = []

    def stop(row: pc.InvalidRow) -> str:
        faults.append(row)
        return "error"

    parsing = file.parsing()
    parsing.invalid_row_handler = stop
    with suppress(pa.ArrowException, OSError):
        pc.read_csv(file.path, file.read_options(), parsing, pc.ConvertOptions(check_utf8=False))
    if not faults:
        return None
    row = faults[0]
    # The text of the row stays out of the message: it is somebody's record.
    mark = {",": "commas", "\t": "tabs"}.get(file.dialect.sep, repr(file.dialect.sep))
    return DataError(
        f"'{file.path}' has {row.actual_columns} values in row {row.number} (the header is row 1, blank lines are not "
        f"counted), but {row.expected_columns} in the header. Correct the row, or quote values that hold {mark}."
    )
