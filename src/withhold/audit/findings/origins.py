"""Which column of the original a released column came from: the same name, or an indicator of one of its levels."""

from collections.abc import Mapping, Sequence

import numpy as np

from withhold.audit.view.reading import Reading

SEPARATORS = "_=:. -[]|"


def origins(release: Sequence[Reading], original: Sequence[Reading]) -> dict[str, Reading]:
    """Match released columns to the original by name; ``race_Black`` is matched to ``race`` as the level "Black".

    Examples
    --------
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> before = list(read_columns(pa.table({"race": ["White", "Black"], "age": [20, 30]})))
    >>> after = list(read_columns(pa.table({"race_Black": [0.1, 0.9], "age": [0.2, 0.4], "z": [0.0, 1.0]})))
    >>> {name: reading.levels.tolist() for name, reading in origins(after, before).items()}
    {'race_Black': [0.0, 1.0], 'age': [20.0, 30.0]}
    """
    by_name = {reading.name: reading for reading in original}
    out = {}
    for reading in release:
        match = by_name.get(reading.name) or _indicator(reading.name, by_name)
        if match is not None:
            out[reading.name] = match
    return out


def _indicator(name: str, original: Mapping[str, Reading]) -> Reading | None:
    beginnings = (name[:length] for length in range(len(name) - 1, -1, -1))
    for parent in (original[start] for start in beginnings if start in original):
        wanted = name[len(parent.name) :].strip(SEPARATORS)
        for code, level in enumerate(parent.levels.tolist()):
            text = f"{level:g}" if isinstance(level, float) else str(level)
            if wanted in (text, text.strip(SEPARATORS)):
                hit = parent.codes == code
                kept = np.unique(hit)
                codes = np.searchsorted(kept, hit).astype(np.int32)
                return Reading(name, parent.source, "number", codes, kept.astype(np.float64), hit.astype(np.float64))
    return None
