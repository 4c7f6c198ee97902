"""How values stand in a DataFrame of Python objects, where that is more than their value: 3 and 3.0, the order of keys.

A frame that two systems filled shows in such forms which rows came from which, to whoever is given it as it stands or
as the text that pandas writes. In the types of Arrow, which everything else here reads, they are one.
"""

from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa


def object_forms(release: Any, attacked: pa.Table) -> dict[str, pa.Table]:
    """Return the table with a column more for each of objects in several forms, by what it is called; or nothing.

    Parameters
    ----------
    release : object
        As it was handed over.
    attacked : pyarrow.Table
        Those of its columns that are attacked.

    Examples
    --------
    >>> frame = pd.DataFrame({"n": pd.Series([3, 3.0, 4], dtype=object), "x": [1.0, 2.0, 3.0]})
    >>> object_forms(frame, pa.Table.from_pandas(frame[["x"]]))
    {}
    >>> attacked = pa.table({"n": [3.0, 3.0, 4.0], "x": [1.0, 2.0, 3.0]})
    >>> object_forms(frame, attacked)["release as Python objects"]["n as an object"].to_pylist()
    ['int', 'float', 'int']
    """
    if not isinstance(release, pd.DataFrame) or not release.columns.is_unique:
        return {}
    table = attacked
    for name in release.columns:
        if str(name) in attacked.column_names and release[name].dtype == object:
            forms = [_form(value) for value in release[name]]
            if len(set(forms) - {None}) > 1:
                table = table.append_column(f"{name} as an object", pa.array(forms))
    return {"release as Python objects": table} if table is not attacked else {}


def _form(value: Any) -> str | None:
    """Return the form of one object; None where it has no value, which is read anyway."""
    if isinstance(value, dict):
        return " ".join(map(str, value))
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, Decimal) and value.is_finite():
        written = value.as_tuple()
        return "Decimal with zeros" if int(written.exponent) < 0 and written.digits[-1] == 0 else "Decimal"
    return type(value).__name__
