"""Excel workbooks (.xlsx, .xlsm): one sheet with names in its first row, read row by row by openpyxl."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.wording import advice
from withhold.io.csv_files import NULL_TEXTS
from withhold.io.formats.cells import column_of
from withhold.io.growth import check_archive
from withhold.io.reading import Reading
from withhold.io.table_format import check_columns, damaged

# What Excel shows for a formula that failed.
_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
# A sheet may have a million rows and 16,384 columns; cells that are empty cost as much to pass over as full ones.
_MOST_CELLS = 50_000_000
# Parts of a workbook beside its sheets; a pivot table keeps a copy of the records it was made from.
_BESIDE = {
    "xl/comments": "comments",
    "xl/threadedComments": "comments",
    "xl/pivotCache": "records behind a pivot table",
    "xl/media": "pictures",
    "xl/embeddings": "embedded files",
    "xl/externalLinks": "values of other workbooks",
    "xl/vbaProject": "macros",
    "customXml": "custom data",
}


def read(path: Path, array: str | None, reading: Reading) -> pa.Table:
    """Return one sheet; `array` names it where several hold something."""
    check_archive(path)
    try:
        sheets = {name: rows for name, rows in _sheets(path) if rows}
    except (
        zipfile.BadZipFile,
        KeyError,
        AttributeError,
        TypeError,
        ValueError,
        ParseError,
        OSError,
        EOFError,
    ) as error:
        if isinstance(error, DataError | FileNotFoundError | PermissionError):
            raise
        raise damaged(path, "Excel") from error
    name = _chosen(path, list(sheets), array)
    header, *rows = sheets[name]
    names = [_name(path, name, cell) for cell in _trimmed(header)]
    check_columns(path, names)
    if any(_filled(row[len(names) :]) for row in rows):
        raise DataError(f"Sheet '{name}' of '{path}' holds values beside its named columns. Name or remove them.")
    while rows and not _filled(rows[-1]):
        rows.pop()
    missing = {*NULL_TEXTS, *reading.missing, *_ERRORS}
    columns = [[row[j] if j < len(row) else None for row in rows] for j in range(len(names))]
    return pa.table([column_of(cells, missing) for cells in columns], names=names)


def beside(path: Path, array: str | None) -> Iterator[str]:
    """Yield what a workbook holds beside the sheet that is read."""
    sheets = [name for name, rows in _sheets(path) if rows]
    read_sheet = _chosen(path, sheets, array)
    yield from (f"the sheet '{name}'" for name in sheets if name != read_sheet)
    with zipfile.ZipFile(path) as archive:
        members = archive.namelist()
    found = {words for start, words in _BESIDE.items() if any(name.startswith(start) for name in members)}
    yield from sorted(found)


def _sheets(path: Path) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Yield the sheets with the values of their rows, formulas as they were last computed; hidden ones too."""
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        for sheet in book.worksheets:
            rows: list[tuple[Any, ...]] = []
            cells = 0
            sheet.reset_dimensions()  # what the file says of its size is not believed
            for row in sheet.iter_rows(values_only=True):
                cells += max(1, len(row))
                if cells > _MOST_CELLS:
                    raise DataError(
                        f"Sheet '{sheet.title}' of '{path}' has more than {_MOST_CELLS:,} cells, empty ones counted. "
                        "Export the table as CSV."
                    )
                rows.append(row)
            yield sheet.title, rows if any(_filled(row) for row in rows) else []
    finally:
        book.close()


def _chosen(path: Path, names: list[str], array: str | None) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    if array is not None and array not in names:
        raise InvalidParameterError(f"'{path}' has no sheet '{array}'. It holds {listed or 'none with values'}.")
    if not names:
        raise DataError(f"'{path}' has no sheet with values.")
    if array is None and len(names) > 1:
        remedy = advice("array='NAME'", "--array NAME")
        raise DataError(f"'{path}' has several sheets: {listed}. Name one with {remedy}.")
    return array or names[0]


def _trimmed(header: tuple[Any, ...]) -> list[Any]:
    cells = list(header)
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _name(path: Path, sheet: str, cell: Any) -> str:
    if cell is None or str(cell).strip() == "":
        raise DataError(
            f"The first row of sheet '{sheet}' of '{path}' must name every column. Remove titles above it, or name the "
            "columns that have none."
        )
    return str(cell)


def _filled(row: tuple[Any, ...]) -> bool:
    return any(cell is not None and cell != "" for cell in row)
