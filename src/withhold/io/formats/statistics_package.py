"""SPSS (.sav, .zsav, .por), Stata (.dta) and SAS (.sas7bdat, .xpt) files, with their value labels, by pyreadstat."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from withhold.contracts.errors import DataError
from withhold.io.formats.cells import column_of, shown
from withhold.io.growth import check_growth
from withhold.io.reading import Reading
from withhold.io.table_format import check_columns, damaged, table_suffix

# Functions of pyreadstat.
_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_WITH_CODES = {".sav", ".zsav", ".dta", ".sas7bdat"}  # of which readers can give declared missing values as codes
_NUMBER_BYTES = 8


def read(path: Path, array: str | None, reading: Reading) -> pa.Table:
    """Return the table: labelled codes as their labels, whole numbers as such, declared missing values as missing."""
    import pyreadstat

    kind = table_suffix(path)
    options: dict[str, Any] = {}
    load = getattr(pyreadstat, _READERS[kind])
    if kind in _WITH_CODES and reading.codes:
        options["user_missing"] = True
    catalog = path.with_suffix(".sas7bcat")
    if kind == ".sas7bdat" and catalog.is_file():
        options["catalog_file"] = str(catalog)
    try:
        if kind != ".por":
            _, stated = load(str(path), metadataonly=True)
            check_growth(path, (stated.number_rows or 0) * (stated.number_columns or 0) * _NUMBER_BYTES)
        frame, meta = load(str(path), output_format="pandas", **options)
    except (FileNotFoundError, PermissionError, MemoryError, DataError):
        raise
    except Exception as error:  # pyreadstat raises errors of its own kind, of Python's and of NumPy's
        raise damaged(path, kind) from error
    names = list(map(str, frame.columns))
    check_columns(path, names)
    labels = meta.variable_value_labels
    columns = [_column(frame[name], labels.get(name, {}), reading) for name in names]
    notes = {"file label": meta.file_label, "notes": "\n".join(map(str, meta.notes or []))}
    kept = {key: text for key, text in notes.items() if text}
    return pa.table(columns, names=names).replace_schema_metadata(kept or None)


def _column(values: pd.Series, labels: dict[Any, str], reading: Reading) -> pa.Array:
    present = values.dropna()
    codes = list(dict.fromkeys(present))
    if labels and codes and all(code in labels for code in codes):
        return _labelled(values, labels, codes)
    if not pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_datetime64_any_dtype(values):
        cells = [None if cell is None or cell is pd.NaT or cell != cell else cell for cell in values.astype(object)]
        return column_of(cells, reading.missing)
    if values.dtype.kind == "f" and len(present) and np.all(np.mod(present, 1) == 0) and np.abs(present).max() < 2**53:
        return pa.array(values, pa.int64(), from_pandas=True)
    return pa.array(values, from_pandas=True)


def _labelled(values: pd.Series, labels: dict[Any, str], codes: list[Any]) -> pa.Array:
    """Return labels as categories in the order of their codes; labels that two codes share tell which."""
    ordered = sorted(labels, key=lambda code: (isinstance(code, str), code))
    texts = [str(labels[code]) for code in ordered]
    pairs = zip(texts, ordered, strict=True)
    named = [text if texts.count(text) == 1 else f"{text} ({shown(code)})" for text, code in pairs]
    place = {code: j for j, code in enumerate(ordered)}
    indices = [None if code is None or code != code else place[code] for code in values]
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(named, pa.string()))
