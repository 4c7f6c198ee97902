"""How the cells of a CSV file are written, where that is more than their values: 40 and 40.0, an empty cell and NA.

A file put together from two sources shows in its spelling which rows came from which, and whoever opens it as text sees
that. Reading it as values loses it.
"""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.io.csv_files import NULL_TEXTS, read_texts
from withhold.io.reading import FOUND_OUT, Reading

# What stands before, whole digits, point, decimals, exponent, what stands behind.
_NUMBER = re.compile(r"(\s*\+?)-?([0-9]*)(?:(\.)([0-9]*))?([eE][+-]?[0-9]+)?(\s*)")
_SHORTEST = ({"", ".0", "e"}, {"", "whole", "e"})  # as most programs write the fewest digits that tell a number


def written_forms(
    path: Path, schema: pa.Schema, rows: NDArray[np.int64] | None = None, reading: Reading = FOUND_OUT
) -> pa.Table:
    r"""Return for each column that is written in several ways which way each cell is, as text; often no column at all.

    A way of writing that follows from the value, such as two decimals throughout, is not several.

    Parameters
    ----------
    path : Path
        A CSV file.
    schema : pyarrow.Schema
        The columns to look at, with the types they were read as.
    rows : ndarray of int or None
        Row numbers to look at, ascending; None for all.
    reading : Reading
        How the file was read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("age,pay\n40,1.50\n40.0,2.25\n41,3.00\n")
    >>> written_forms(path, pa.schema({"age": pa.float64(), "pay": pa.float64()})).to_pydict()
    {'age as written': ['9', '9.0', '9']}
    """
    found = {}
    table = read_texts(path, schema.names, rows, reading)
    for name in table.column_names:
        encoded = table.column(name).combine_chunks().dictionary_encode()
        forms = _forms(encoded.dictionary.to_pylist(), schema.field(name).type, reading)
        if len(set(forms)) > 1:
            written = np.asarray(forms, dtype=object)[encoded.indices.to_numpy()]
            found[f"{name} as written"] = pa.array(written, pa.string())
    return pa.table(found)


def _forms(texts: list[str], kind: pa.DataType, reading: Reading) -> list[str]:
    """Return the form of each distinct cell; one form for all, where they differ only as their values do."""
    nulls = {*NULL_TEXTS, *reading.missing}
    absent = [text for text in texts if text in nulls]
    given = [text for text in texts if text not in nulls]
    plain = [text.replace(",", ".") for text in given] if reading.decimal == "," else given
    form = dict(zip(given, _shapes(plain, kind), strict=True))
    # Whether a cell is empty is a value, which is read anyway; what it says instead is not.
    form |= {text: f"missing as {text!r}" if len(absent) > 1 else next(iter(form.values()), "") for text in absent}
    return [form[text] for text in texts]


def _shapes(texts: list[str], kind: pa.DataType) -> list[str]:
    if pa.types.is_temporal(kind):
        return [re.sub("[0-9]", "9", text) for text in texts]
    if pa.types.is_boolean(kind):
        true = [text for text in texts if text.lower() in ("1", "true")]
        return texts if len(true) > 1 or len(texts) - len(true) > 1 else [""] * len(texts)
    numbers = [_NUMBER.fullmatch(text) for text in texts] if pa.types.is_primitive(kind) else []
    parts = [part for part in numbers if part is not None]
    if len(parts) < len(texts) or _regular(parts):
        return [""] * len(texts)
    return [_form(part) for part in parts]


def _regular(numbers: list[re.Match[str]]) -> bool:
    """Whether all have as many decimals, or the fewest that tell them apart, or as many digits; nothing around them."""
    if any(part[1] or part[6] for part in numbers) or len({part[2] == "" for part in numbers}) > 1:
        return False
    decimals = {None if part[3] is None else len(part[4]) for part in numbers}
    exponents = {part[5][0] for part in numbers if part[5]}
    if any(_zeros(part) for part in numbers):
        return decimals == {None} and not exponents and len({len(part[2]) for part in numbers}) == 1
    tails = {"e" if part[5] else _tail(part) for part in numbers}
    same = len(decimals) == 1 and not exponents
    return len(exponents) < 2 and (same or any(tails <= allowed for allowed in _SHORTEST))


def _zeros(part: re.Match[str]) -> str:
    """Return the zeros before the first digit that counts: of 007 two, of 0.5 and of 0 none."""
    kept = part[2].lstrip("0") or part[2][-1:]
    return part[2][: len(part[2]) - len(kept)]


def _tail(part: re.Match[str]) -> str:
    """Return the zeros that end the decimals; the point too, where nothing else follows it."""
    if part[3] is None:
        return "whole"
    kept = part[4].rstrip("0")
    return part[4][len(kept) :] if kept else f".{part[4]}"


def _form(part: re.Match[str]) -> str:
    tail, mark = _tail(part), part[5][0] if part[5] else ""
    return f"{part[1]}{_zeros(part)}{'9' if part[2] else ''}{'' if tail == 'whole' else tail}{mark}{part[6]}"
