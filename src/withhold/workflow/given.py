"""What Python gives beside a table: names of its columns, or values, which become columns of it."""

from typing import Any

import numpy as np
import pyarrow as pa

from withhold.audit.request import attribute_table
from withhold.contracts.checks import check_rows
from withhold.contracts.errors import InvalidParameterError
from withhold.data.attributes import names_given, read_attributes


def with_columns(table: pa.Table, given: Any, role: str) -> tuple[pa.Table, tuple[str, ...]]:
    """Return a table with what was given as columns of it, and their names.

    Parameters
    ----------
    given : str, sequence, array, DataFrame or None
        Columns of the table by name, or values: whole numbers stay classes, as every estimator reads them.
    role : str
        What values are called that come without a name.

    Returns
    -------
    table : pyarrow.Table
    names : tuple of str
    """
    names = names_given(given)
    if given is None or (names and set(names) <= set(table.column_names)):
        return table, names
    if isinstance(given, str):
        raise InvalidParameterError(f"X has no column {given!r}. Name one of its columns, or pass the values.")
    if role == "groups":
        own = pa.table({role: pa.array(np.asarray(given).tolist())})
    else:
        own = attribute_table(read_attributes(given, role=role))
    for name, column in zip(own.column_names, own.columns, strict=True):
        if name in table.column_names:
            raise InvalidParameterError(f"{role} holds a column {name!r}, and so does X. Name it, or rename one.")
        check_rows(role, len(column), len(table))
        table = table.append_column(name, column)
    return table, tuple(own.column_names)
