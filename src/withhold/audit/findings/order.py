"""Order of rows that reveals the sensitive attribute."""

import numpy as np
import numpy.typing as npt
from scipy import stats

from withhold.audit.findings.evidence import SIGNIFICANT, classes, lookup
from withhold.audit.findings.finder import Code, Finder
from withhold.audit.leakage.row_order import LEAST_REPEATS, longer_periods, patterns, stretches
from withhold.contracts.finding import Finding, Severity
from withhold.contracts.wording import percent

Codes = npt.NDArray[np.int64]

# Share of H(S), and excess of equal neighbours over chance, from which order is worth a word.
NOTED, EXCESS, CRITICAL = 0.005, 0.02, 0.5
ROW_ORDER = Code("row_order_reveals_s", ("critical", "warning"), "Shuffle the rows, as withhold run does.")


def row_order(name: str, s: Codes, folds: Codes, groups: Codes | None = None) -> list[Finding]:
    """Say whether the position of a row, or its neighbours, tells the attribute.

    Rows of one subject that stand together count once, and a subject is no neighbour of itself.

    Examples
    --------
    >>> s = (np.arange(400) >= 200).astype(int)
    >>> row_order("sex", s, np.arange(400) % 5)[0].code
    'row_order_reveals_s'
    >>> row_order("sex", np.random.default_rng(0).integers(0, 2, 400), np.arange(400) % 5)
    []
    """
    rows, _ = stretches(s, groups)
    s, folds, groups = s[rows], folds[rows], None if groups is None else groups[rows]
    n = len(s)
    if n < 50:
        return []
    # Without a known neighbour only positions are left; neighbours are compared below.
    found = [lookup(cells, s, folds) for cells in patterns(np.full(n, -1), np.zeros(0, np.int64))]
    longer = longer_periods(s, np.flatnonzero(s >= 0))
    found += [lookup(np.arange(n) % period, s, folds) for period in longer]
    best = max(found, key=lambda evidence: evidence.information)
    tests = len(found) + 1 + (n // LEAST_REPEATS if longer else 0)  # so many distances were looked at
    if best.p_value * tests <= SIGNIFICANT and best.share >= NOTED:
        severity: Severity = "critical" if best.share >= CRITICAL else "warning"
        text = f"Alone, row order reveals {name}: the position tells {percent(best.share)} of its entropy."
        return [ROW_ORDER.found(f"{text} {ROW_ORDER.remedy}", severity=severity)]
    known = s[s >= 0]
    shares = np.bincount(known) / len(known)
    expected = float((shares**2).sum())
    others = np.ones(len(known) - 1, bool) if groups is None else np.diff(groups[s >= 0]) != 0
    if not others.any():
        return []
    equal = float((known[1:] == known[:-1])[others].mean())
    # Under a random order pairs of neighbours are nearly independent (join-count statistic).
    spread = np.sqrt(max(expected * (1 - expected), 1e-12) / others.sum())
    if abs(equal - expected) >= EXCESS and 2 * stats.norm.sf(abs(equal - expected) / spread) * tests <= SIGNIFICANT:
        text = f"Alone, row order reveals {name}: neighbours agree in {percent(equal)} of rows ({percent(expected)}"
        return [ROW_ORDER.found(f"{text} by chance). {ROW_ORDER.remedy}", severity="warning")]
    return []


FINDER = Finder.of_each(
    (ROW_ORDER,),
    lambda scene, asked: row_order(asked.name, classes(asked.every), scene.every.folds, scene.every.groups),
    place=21,
)
