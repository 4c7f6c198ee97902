"""Columns in which a linear erasure gives back what it took: rare levels, constants, and discrete values that shift.

Subtracting a direction from one-hot data moves every column by a multiple of the same score, the very score that was
erased. Where a column hardly varied before, nothing covers it: the released column is that score.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.findings.determining import REVEALS
from withhold.audit.findings.evidence import QUANTILE_CELLS, Evidence, cellings, holm, lookup
from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, percent

Codes = npt.NDArray[np.int64]

# A column is rare when one value (or a narrow cluster of values) holds at least this share of rows.
RARE = 0.98
# A cluster is narrow when it spans less than this share of the whole range, and a column nearly constant when its
# spread is less than this share of the median column's.
NARROW = 0.1
FEW_LEVELS = 100
RARE_LEVEL = Code("rare_level_reveals", ("critical",), "Merge rare levels before fitting, or leave the columns out.")
SHIFTED = Code("discrete_values_shifted", ("critical",), "Declare the columns categorical, or take another method.")


def rare_levels(
    name: str, release: Sequence[Reading], origin: Mapping[str, Reading], after: Mapping[str, Evidence]
) -> list[Finding]:
    """Name the rare or nearly constant columns whose small variations reveal the attribute.

    Parameters
    ----------
    name : str
        The sensitive attribute.
    origin : mapping of str to Reading
        The original of each released column, where it is known.
    after : mapping of str to Evidence
        Evidence of each released column.
    """
    telling = _telling(after)
    spreads = {r.name: _spread(r.numbers) for r in release if r.numbers is not None and r.kind == "number"}
    usual = float(np.median(list(spreads.values()))) if spreads else 0.0
    found = []
    for reading in release:
        if reading.name not in telling or reading.kind != "number":
            continue
        before = origin.get(reading.name)
        if before is not None:
            rare = before.counts.max(initial=0) >= RARE * len(before.codes) and len(reading.levels) > len(before.levels)
        else:
            rare = len(reading.levels) > QUANTILE_CELLS and (
                _clustered(reading) or spreads[reading.name] < NARROW * usual
            )
        if rare:
            found.append(reading.name)
    if not found:
        return []
    found.sort(key=lambda column: -after[column].share)
    known = any(column in origin for column in found)
    hardly = "hardly varied in the original" if known else "hardly vary"
    text = f"Rare levels give {name} back: {listed(found)} {hardly}, yet the "
    text += f"small differences between their released values tell {percent(after[found[0]].share)} of {name}. "
    text += "Erasing a direction from one-hot columns writes that direction into the rare ones."
    return [RARE_LEVEL.found(text, found)]


def _spread(numbers: np.ndarray) -> float:
    """Return the standard deviation of the finite numbers, 0 without any; scaled so that squares do not overflow."""
    finite = numbers[np.isfinite(numbers)]
    largest = float(np.abs(finite).max(initial=0.0))
    return largest * float(np.std(finite / largest)) if largest > 0 else 0.0


def shifted_values(
    name: str, release: Sequence[Reading], origin: Mapping[str, Reading], s: Codes, folds: Codes
) -> list[Finding]:
    """Name the discrete columns whose released values differ by the attribute among equal original values."""
    shifted: dict[str, float] = {}
    tested, p_values = [], []
    for reading in release:
        before = origin.get(reading.name)
        if before is None or reading.kind != "number" or not 2 <= len(before.levels) <= FEW_LEVELS:
            continue
        if len(reading.levels) <= len(before.levels):
            continue
        base = before.codes.astype(np.int64) + 1
        alone = lookup(base, s, folds)
        # Released value relative to the rows of the same original value: quantile cells within each of them.
        best = max((lookup(base * (c.max() + 1) + c, s, folds) for c in _within(reading, base)), key=lambda e: e.share)
        tested.append(reading.name)
        p_values.append(min(1.0, 2 * best.p_value))
        shifted[reading.name] = best.share - alone.share
    significant = dict(zip(tested, holm(p_values), strict=True))
    found = sorted((c for c in tested if significant[c] and shifted[c] >= REVEALS), key=lambda c: -shifted[c])
    if not found:
        return []
    text = f"Discrete columns were shifted by {name}: among rows with the same original value of {listed(found)} the "
    text += f"released values differ by {name} and tell {percent(shifted[found[0]])} of it."
    return [SHIFTED.found(text, found)]


def _telling(after: Mapping[str, Evidence]) -> set[str]:
    columns = list(after)
    passed = holm([after[c].p_value for c in columns])
    return {c for c, ok in zip(columns, passed, strict=True) if ok and after[c].share >= REVEALS}


def _clustered(reading: Reading) -> bool:
    values = np.sort(reading.levels[np.isfinite(reading.levels)].repeat(reading.counts[np.isfinite(reading.levels)]))
    n, kept = len(values), int(np.ceil(RARE * len(values)))
    if n < 2 or values[-1] <= values[0]:
        return False
    width = (values[kept - 1 :] - values[: n - kept + 1]).min()  # the shortest interval that holds the share
    return bool(width < NARROW * (values[-1] - values[0]))


def _within(reading: Reading, base: Codes) -> list[Codes]:
    out = [next(iter(cellings(reading)))]
    order = np.lexsort((reading.codes, base))
    starts = np.r_[0, np.flatnonzero(np.diff(base[order])) + 1]
    sizes = np.diff(np.r_[starts, len(base)])
    rank = np.empty(len(base), np.int64)
    rank[order] = np.arange(len(base)) - np.repeat(starts, sizes)
    size = np.empty(len(base), np.int64)
    size[order] = np.repeat(sizes, sizes)
    out.append(rank * 16 // size)
    return out


LEVELS = Finder.of_each(
    (RARE_LEVEL,),
    lambda scene, asked: rare_levels(asked.name, scene.rows.after, scene.rows.origin, asked.told),
    place=43,
)
VALUES = Finder.of_each(
    (SHIFTED,),
    lambda scene, asked: shifted_values(asked.name, scene.rows.after, scene.rows.origin, asked.s, scene.rows.folds),
    place=44,
)
