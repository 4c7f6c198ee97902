"""Noise so small that rounding takes it away."""

from collections.abc import Mapping, Sequence

import numpy as np

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed

# Share of rows whose nearest original value is their own, and share that must have been changed at all.
RESTORED, CHANGED = 0.99, 0.5
# Relative change below this is arithmetic, not noise.
ARITHMETIC = 1e-9
TOO_SMALL = Code("noise_below_rounding", ("warning",), "Add noise larger than the step between values.")


def noise_below_rounding(release: Sequence[Reading], origin: Mapping[str, Reading]) -> list[Finding]:
    """Name the columns whose released values, rounded to the nearest value of the original, are the original.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> ages = np.arange(300) % 60
    >>> before = read_column(pa.table({"age": ages}), "age")
    >>> after = read_column(pa.table({"age": ages + np.random.default_rng(0).normal(0, 0.1, 300)}), "age")
    >>> noise_below_rounding([after], {"age": before})[0].code
    'noise_below_rounding'
    """
    found = []
    for reading in release:
        before = origin.get(reading.name)
        if before is None or before.numbers is None or reading.numbers is None or before.name != reading.name:
            continue
        known = np.isfinite(before.numbers) & np.isfinite(reading.numbers)
        levels = np.unique(before.numbers[known])
        if not 2 <= len(levels) <= max(20, known.sum() // 5):
            continue  # values that are all different leave no grid to round to
        raw, out = before.numbers[known], reading.numbers[known]
        changed = np.abs(out - raw) > ARITHMETIC * max(1.0, float(np.abs(levels).max()))
        after = np.searchsorted((levels[1:] + levels[:-1]) / 2, out)
        if changed.mean() >= CHANGED and (levels[after] == raw).mean() >= RESTORED:
            found.append(reading.name)
    if not found:
        return []
    text = f"The values of {listed(found)} moved by less than half the step between values: rounding gives the "
    text += "originals back. If noise was meant to hide them, it is too small."
    return [TOO_SMALL.found(text, found)]


FINDER = Finder((TOO_SMALL,), lambda scene: noise_below_rounding(scene.rows.after, scene.rows.origin), place=34)
