"""How the values of Python objects in a pandas frame are held, where that is more than their values: 5 and 5.0.

A frame put together from two sources shows in its objects which rows came from which: whole numbers or floats, 3.1 or
3.10, the order of a dictionary's keys. Arrow makes one type of them; a CSV file or a pickle of the frame keeps them.
"""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

# Values of one of these types are held in one way; decimals are where all have as many digits behind the point.
_PLAIN = (str, bytes, bool, int, float, Decimal)


def object_forms(frame: pd.DataFrame) -> pa.Table:
    """Return for each column whose objects are held in several ways which way each is, as text; often no column at all.

    Examples
    --------
    >>> object_forms(pd.DataFrame({"visits": [2, 2.0, 3], "town": ["a", "b", None]}, dtype=object)).to_pydict()
    {'visits as written': ['int', 'float', 'int']}
    """
    found = {}
    for name in [name for name in frame.columns if frame[name].dtype == object]:
        missing = frame[name].map(_is_missing).to_numpy(bool)
        for about, rows in (("as written", ~missing), ("missing as", missing)):
            values = frame[name].to_numpy()[rows]
            kinds = {(type(value), len(_decimals(value))) for value in values}
            if len(kinds) < 2 and all(kind in _PLAIN for kind, _ in kinds):
                continue
            forms = [_form(value) for value in values]
            if len(set(forms)) > 1:
                column = np.full(len(frame), None, object)
                column[rows] = forms
                found[f"{name} {about}"] = pa.array(column, pa.string())
    return pa.table(found)


def _is_missing(value: Any) -> bool:
    number = isinstance(value, float | np.floating | Decimal)
    return value is None or value is pd.NA or value is pd.NaT or (number and value != value)


def _form(value: Any) -> str:
    kind = type(value).__name__
    if isinstance(value, dict):
        return f"{kind} of {', '.join(f'{key}: {_form(one)}' for key, one in value.items())}"
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{kind} of {value.dtype}"
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return f"{kind} of {', '.join(sorted({_form(one) for one in value}))}"
    decimals = _decimals(value)
    return f"{kind}, zeros at its end: {len(decimals) - len(decimals.rstrip('0'))}" if decimals else kind


def _decimals(value: Any) -> str:
    """Return the digits behind the point of a decimal number; nothing for all else."""
    return format(value, "f").partition(".")[2] if isinstance(value, Decimal) else ""
