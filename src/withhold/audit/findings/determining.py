"""Columns from which the sensitive attribute can be read, one by one."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from withhold.audit.findings.evidence import Evidence, cellings, classes, holm, lookup
from withhold.audit.findings.finder import Code, Finder
from withhold.audit.findings.scene import Asked, Scene
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, percent, verb
from withhold.data.attribute import Attribute
from withhold.data.shares import plug_in_entropy

Codes = npt.NDArray[np.int64]

# Share of H(S) from which a column is said to determine S, and from which it is said to reveal it.
DETERMINES, REVEALS = 0.9, 0.1
# A copy of a continuous attribute: rank correlation at least this.
COPY = 0.9999
# Two columns that divide few rows alike may do so by chance; a copy is called one when chance is rarer than this.
COINCIDENCE = 1e-6
# Classes of a task that a released column may hold; columns of more values are measurements.
MOST_CLASSES = 20
DETERMINING = Code("column_determines_s", ("critical",), "Withhold more, or leave the columns out.")
REVEALING = Code("column_reveals_s", ("warning",), "Withhold more, or leave the columns out.")
WRITTEN_IN = Code("s_written_in", ("critical",), "Take another method, or leave the columns out.")


def beyond(after: Mapping[str, Evidence], budget: float | None) -> list[str]:
    """Name the columns that tell more than the budget for sure, those that tell most first.

    Parameters
    ----------
    after : mapping of str to Evidence
        Evidence of each released column.
    budget : float or None
        Nats; None: no column tells more than that.

    Examples
    --------
    >>> sure, less = Evidence(0.1, 0.14, 0.6, 1e-9, 0.06), Evidence(0.06, 0.09, 0.55, 1e-9, 0.04)
    >>> beyond({"a": less, "b": sure}, 0.05)
    ['b']
    """
    return [] if budget is None else [column for column in _significant(after) if after[column].low > budget]


def _significant(after: Mapping[str, Evidence]) -> list[str]:
    """Name the columns that survive Holm's test over all of them, those that tell most first."""
    columns = list(after)
    told = [c for c, sure in zip(columns, holm([after[c].p_value for c in columns]), strict=True) if sure]
    return sorted(told, key=lambda c: -after[c].share)


def single_columns(
    name: str,
    after: Mapping[str, Evidence],
    before: Mapping[str, Evidence],
    told_by_class: Callable[[str], bool] = lambda column: False,
    budget: float | None = None,
) -> list[Finding]:
    """Name the columns that determine or reveal the attribute, and those that do so only since the release.

    Parameters
    ----------
    name : str
        The sensitive attribute.
    after, before : mapping of str to Evidence
        Evidence of each released column, and of the column of the original that it came from, where there is one.
    told_by_class : callable
        Whether a column tells no more than the class of a task that the release is made for, or holds: that is not the
        doing of whoever made the release.
    budget : float or None
        Columns that tell more than this many nats are named however small a share of all it is.

    Examples
    --------
    >>> strong, none = Evidence(0.69, 1.0, 1.0, 1e-9), Evidence(0.0, 0.0, 0.5, 0.7)
    >>> [f.code for f in single_columns("sex", {"age": strong}, {"age": none})]
    ['column_determines_s', 's_written_in']
    """
    found = _significant(after)
    determining = [c for c in found if after[c].share >= DETERMINES]
    over = beyond(after, budget)
    revealing = [c for c in found if c not in determining and (after[c].share >= REVEALS or c in over)]
    out = []
    if determining:
        text = f"S can be read from single columns: {listed(determining)} ({len(determining)} of {len(after)}) "
        text += f"{verb(determining, 'determines', 'each determine')} {name}."
        out.append(DETERMINING.found(text, determining))
    if revealing:
        parts = [f"'{c}' {percent(after[c].share)}{_before(before.get(c))}" for c in revealing[:5]]
        more = f" and {len(revealing) - 5} more" if len(revealing) > 5 else ""
        text = f"Single columns reveal part of {name} (share of its entropy): {', '.join(parts)}{more}."
        out.append(REVEALING.found(text, revealing))
    new = [c for c in found if c in before and after[c].share - before[c].share >= REVEALS and not told_by_class(c)]
    if new:
        top = new[0]
        columns = verb(new, "column", "columns")
        text = (
            f"The sanitiser encoded {name} in {columns} {listed(new)} ('{top}': {percent(before[top].share)} before, "
        )
        text += f"{percent(after[top].share)} after)."
        out.append(WRITTEN_IN.found(text, new))
    return out


def within_class(after: Reading, before: Reading, s: Codes, folds: Codes, classes: Iterable[Codes]) -> bool:
    """Whether, among records of one class, a column tells no more of `s` than it did in the original.

    A release drawn for each class of a task shows the class in every column, and with it what the class tells of S.

    Parameters
    ----------
    after, before : Reading
        The released column and the one it came from.
    s, folds : ndarray of int, shape (n,)
        Class of the sensitive attribute, -1 where unknown; fold of each row.
    classes : iterable of ndarray of int, shape (n,)
        Class of each record in each task, -1 where unknown.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> rng, s = np.random.default_rng(0), np.arange(2000) % 2
    >>> u = np.where(rng.random(2000) < 0.2, 1 - s, s)
    >>> table = pa.table({"before": rng.integers(0, 4, 2000), "by u": u, "by s": s})
    >>> before, *released = read_columns(table)
    >>> [within_class(after, before, s, np.arange(2000) // 2 % 5, [u]) for after in released]
    [True, False]
    """
    entropy = plug_in_entropy(np.bincount(s[s >= 0]))
    for u in classes:
        gain = _beyond(after, u, s, folds) - _beyond(before, u, s, folds)
        if gain < REVEALS * entropy:
            return True
    return False


def _beyond(reading: Reading, u: Codes, s: Codes, folds: Codes) -> float:
    """Nats that a column tells of `s` beyond what `u` tells."""
    many = int(u.max()) + 2
    both = [lookup(cells * many + u + 1, s, folds).information for cells in cellings(reading)]
    return max(0.0, max(both, default=0.0) - lookup(u + 1, s, folds).information)


def copies(readings: Iterable[Reading], attribute: Attribute) -> list[str]:
    """Name the columns that are the attribute itself, renamed or recoded.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> sex = read_attributes(["f", "m"] * 20)[0]
    >>> copies(read_columns(pa.table({"age": [31, 58] * 10 + [7] * 20, "gender": [1, 2] * 20})), sex)
    ['gender']
    """
    return list(dict.fromkeys(r.source for r in readings if _is_equal(r, attribute) or _is_copy(r, attribute)))


def _is_equal(reading: Reading, attribute: Attribute) -> bool:
    """Whether a column holds the very values, in every row: however few rows, that is the attribute."""
    if attribute.kind == "continuous":
        return reading.numbers is not None and np.array_equal(reading.numbers, attribute.values, equal_nan=True)
    if len(reading.levels) != attribute.n_classes:
        return False
    try:
        kind = float if reading.kind == "number" else str
        place = {kind(level): code for code, level in enumerate(attribute.levels)}
    except ValueError:
        return False
    code = np.array([*(place.get(kind(level), -2) for level in reading.levels.tolist()), -1])
    return bool(np.array_equal(code[reading.codes], attribute.codes))


def _is_copy(reading: Reading, attribute: Attribute) -> bool:
    known = attribute.known & ~reading.missing
    if known.sum() < 10 or known.sum() < 0.5 * attribute.known.sum():
        return False
    if attribute.kind == "continuous":
        if reading.numbers is None or len(np.unique(reading.codes[known])) < 10:
            return False
        x, y = (np.unique(v[known], return_inverse=True)[1] for v in (reading.numbers, attribute.values))
        return bool(abs(np.corrcoef(x, y)[0, 1]) > COPY)
    n = attribute.n_classes
    if len(reading.levels) > 4 * n:  # far more levels than classes is no copy; saves a sort
        return False
    s = attribute.codes[known]
    pairs = np.unique(reading.codes[known].astype(np.int64) * n + s)
    n_levels, n_classes = len(np.unique(reading.codes[known])), len(np.unique(s))
    return bool(n_classes > 1 and len(pairs) == n_levels == n_classes) and _chance(np.bincount(s)) < COINCIDENCE


def _chance(counts: npt.NDArray[np.int64]) -> float:
    """Probability that shuffled rows fall into the same parts of these sizes, times the ways to name the parts."""
    log = gammaln(counts + 1.0).sum() - gammaln(counts.sum() + 1.0) + gammaln((counts > 0).sum() + 1.0)
    return float(np.exp(min(0.0, log)))


def _before(evidence: Evidence | None) -> str:
    return "" if evidence is None else f" (before: {percent(evidence.share)})"


def _kept_classes(asked: Asked) -> list[Codes]:
    """Return the columns of few classes that were released as they were and tell of S: a task, declared or not."""
    origin = asked.rows.origin
    return [
        reading.codes.astype(np.int64)
        for reading in asked.rows.after
        if reading.name in origin
        and len(reading.levels) <= MOST_CLASSES
        and asked.told[reading.name].share >= REVEALS
        and reading.levels.tolist() == origin[reading.name].levels.tolist()
        and np.array_equal(reading.codes, origin[reading.name].codes)
    ]


def _look(scene: Scene, asked: Asked) -> list[Finding]:
    rows = scene.rows
    columns = {reading.name: reading for reading in rows.after}
    tasks = [classes(one) for one in rows.utility] + _kept_classes(asked)

    def told_by_class(name: str) -> bool:
        return within_class(columns[name], rows.origin[name], asked.s, rows.folds, tasks)

    return single_columns(asked.name, asked.told, asked.told_before, told_by_class, scene.budgets.of(asked.name))


FINDER = Finder.of_each((DETERMINING, REVEALING, WRITTEN_IN), _look, place=40)
