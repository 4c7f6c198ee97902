"""How much one column alone says about an attribute: held-out lookup, with a p-value that survives many columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import chdtrc

from withhold.audit.statistics.interval import cluster_sums
from withhold.audit.view.reading import Reading
from withhold.data.attribute import Attribute
from withhold.data.shares import plug_in_entropy

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Rows of prior mixed into each cell of the lookup: a cell seen once says little.
PRIOR_ROWS = 1.0
QUANTILE_CELLS = 64
NEARLY_ALL = 0.95
# Fractions are cells only where few occur: random decimals are not a trace.
MOST_FRACTIONS = 1000
# Places behind the point that are looked up one by one, as far as a float holds them (to one part in so many), and last
# bits of the float, which are below.
PLACES, HELD, BITS = 13, 1e13, 10
# Of the level of a column, for all its digits: a class that is written in one is beyond any doubt.
DIGITS_SHARE = 0.1
# Rounding leaves a digit 6.9999999 of a 7.
UP = 0.01
# A lookup larger than this is skipped; its quantile cells remain.
MOST_ENTRIES = 20_000_000
# Continuous attributes are judged in this many cells of equal mass, fewer when rows are few.
CLASSES, ROWS_A_CLASS = 8, 25
# Cells whose expected number of rows is below this are pooled in the test of independence (Cochran's rule).
LEAST_EXPECTED = 5.0
SIGNIFICANT = 0.01
LEVEL = 0.95
# Share of rows in pooled cells beyond which classes are shuffled instead, and how often.
MOSTLY_POOLED, PERMUTATIONS = 0.5, 40


@dataclass(frozen=True)
class Evidence:
    """What a lookup of one column gives on rows it was not made of.

    Attributes
    ----------
    information : float
        Held-out mean log-ratio in nats; negative where the column says nothing.
    share : float
        `information` as a share of the entropy of the attribute, within [0, 1].
    balanced_accuracy : float
        Of the most surprising class given the cell.
    p_value : float
        Of no relation: the larger of a test on held-out log-ratios, which a rare cell of the common class deceives,
        and a test of independence or, where cells are too small for it, of shuffled classes.
    low : float
        What the column tells at least, in nats, at 95 %: the lower end of an interval over records, or over subjects.
    """

    information: float
    share: float
    balanced_accuracy: float
    p_value: float
    low: float = 0.0


NOTHING = Evidence(0.0, 0.0, 0.0, 1.0)


def classes(attribute: Attribute) -> Codes:
    """Return class codes, -1 where missing; a continuous attribute is cut into cells of equal mass.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> classes(read_attributes(["f", "m", None])[0]).tolist()
    [0, 1, -1]
    """
    if attribute.kind == "categorical":
        return attribute.codes.astype(np.int64)
    known = attribute.known
    values = attribute.values[known]
    codes = np.full(len(known), -1, np.int64)
    if len(values):
        cells = max(2, min(CLASSES, len(values) // ROWS_A_CLASS))
        edges = np.unique(np.quantile(values, np.arange(1, cells) / cells))
        codes[known] = np.unique(np.searchsorted(edges, values, side="left"), return_inverse=True)[1]
    return codes


def lookup(cells: Codes, s: Codes, folds: Codes, groups: Codes | None = None, tried: float = 1.0) -> Evidence:
    """Judge a lookup from `cells` to the classes `s`, made on the other folds.

    Parameters
    ----------
    cells, s, folds : ndarray of int, shape (n,)
        Cell, class (-1: unknown) and fold of each row.
    groups : ndarray of int, optional
        Subjects: their rows are no records of their own.
    tried : float
        Lookups of the same column among which the best is taken; p-value and lower end pay for it. More where this one
        has less than an equal share of the level.

    Examples
    --------
    >>> s = np.arange(200) % 2
    >>> found = lookup(s, s, np.arange(200) // 2 % 5)
    >>> found.share > 0.95, found.balanced_accuracy, found.p_value < 1e-6
    (True, 1.0, True)
    """
    known = s >= 0
    cells, s, folds = cells[known], s[known], folds[known]
    groups = None if groups is None else groups[known]
    n = len(s)
    if n < 10:
        return NOTHING
    cells, folds = _compact(cells), _compact(folds)
    n_cells, n_classes, n_folds = int(cells.max()) + 1, int(s.max()) + 1, int(folds.max()) + 1
    if n_cells < 2 or n_folds < 2 or n_cells * n_classes * n_folds > MOST_ENTRIES:
        return NOTHING
    counts = _counts(cells, s, folds)
    ratio, surprise = _ratios(counts)
    information = float((counts * ratio).sum() / n)
    sums = cluster_sums((ratio[folds, cells, s] - information)[:, None], groups)
    error = float(np.sqrt((sums**2).sum() * len(sums) / max(1, len(sums) - 1))) / n
    guess = np.argmax(surprise, axis=2)
    hits = np.take_along_axis(counts, guess[..., None], axis=2)[..., 0]
    per_class = np.bincount(guess.ravel(), weights=hits.ravel(), minlength=n_classes)
    sizes = counts.sum(axis=(0, 1))
    entropy = plug_in_entropy(sizes)
    p_value = float(stats.norm.sf(information / error)) if error > 0 else float(information <= 0)
    if p_value < SIGNIFICANT:
        p_other, pooled = _independence(counts.sum(axis=0))
        # With most rows in cells too small for that test, the held-out information of shuffled classes is a sum of
        # very many terms and nearly normal; where a few cells decide it is skewed, and the test above is right.
        if pooled > MOSTLY_POOLED:
            p_other = 2 * min(p_other, _permutation(information, cells, s, folds))
        p_value = min(1.0, max(p_value, p_other))
    return Evidence(
        information,
        float(np.clip(information / entropy, 0.0, 1.0)) if entropy > 0 else 0.0,
        float(np.mean(per_class[sizes > 0] / sizes[sizes > 0])),
        min(1.0, p_value * tried),
        information - float(stats.norm.isf((1 - LEVEL) / 2 / tried)) * error,
    )


def column_evidence(reading: Reading, s: Codes, folds: Codes, groups: Codes | None = None) -> Evidence:
    """Judge a column by whichever of its cellings says most; p-value and lower end pay for having tried several.

    Digits are many and rarely tell: they share a tenth of the level, and those that go with no class are not looked up.
    """
    tried, (digits, all_of_them) = list(cellings(reading)), digit_cellings(reading, s)
    rest = 1.0 - DIGITS_SHARE if all_of_them else 1.0
    found = [lookup(cells, s, folds, groups, len(tried) / rest) for cells in tried]
    found += [lookup(cells, s, folds, groups, all_of_them / DIGITS_SHARE) for cells in digits]
    return max(found, key=lambda evidence: evidence.information, default=NOTHING)


def cellings(reading: Reading) -> Iterator[Codes]:
    """Yield ways to cut a column into cells: exact values, quantiles, fractions, ends of a text.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> [cells.tolist() for cells in cellings(read_column(pa.table({"b": ["x", None, "y"]}), "b"))]
    [[1, 0, 2]]
    """
    if len(reading.levels) == 0:
        return
    cells = reading.codes.astype(np.int64) + 1
    # A value seen once cannot be looked up.
    if len(reading.levels) < NEARLY_ALL * len(cells) or len(reading.levels) <= QUANTILE_CELLS:
        yield cells
    if len(reading.levels) > QUANTILE_CELLS:
        # Levels are sorted, so the running share of rows is the quantile of a level.
        counts = reading.counts
        middle = (np.cumsum(counts) - counts / 2) / counts.sum()
        yield np.r_[0, 1 + (middle * QUANTILE_CELLS).astype(np.int64)][cells]
        if reading.kind == "number":
            levels = np.where(np.isfinite(reading.levels), reading.levels, 0.0)
            distinct, fraction = np.unique(np.round(levels % 1.0, 6) % 1.0, return_inverse=True)
            if 1 < len(distinct) <= MOST_FRACTIONS:
                yield np.r_[0, 1 + fraction][cells]
        else:
            texts = [str(level) for level in reading.levels.tolist()]
            for ends in ([t[:1] for t in texts], [t[-1:] for t in texts], [str(len(t)) for t in texts]):
                yield np.r_[0, 1 + np.unique(np.asarray(ends), return_inverse=True)[1]][cells]


def digit_cellings(reading: Reading, s: Codes) -> tuple[list[Codes], int]:
    """Return the cells of those digits of a column of many numbers that go with the classes at all, and of how many.

    Independence is what `lookup` tests last, and cheaper than the rest of it.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> digit_cellings(read_column(pa.table({"b": ["x", None, "y"]}), "b"), np.array([0, 1, 1]))
    ([], 0)
    """
    if len(reading.levels) <= QUANTILE_CELLS or reading.kind != "number":
        return [], 0
    places, known = reading.codes.astype(np.int64), s >= 0
    there = known & (places >= 0)
    read, told, width = places[there], s[there], int(s.max(initial=0)) + 1
    digits = list(last_digits(np.where(np.isfinite(reading.levels), reading.levels, 0.0)))
    level, found = SIGNIFICANT * DIGITS_SHARE / max(1, len(digits)), []
    for one in digits:
        table = np.bincount((one * width)[read] + told, minlength=(int(one.max()) + 1) * width).reshape(-1, width)
        if _independence(table)[0] < level:
            found.append(np.r_[1 + one, 0][places])
    return found, len(digits)


def last_digits(levels: Floats) -> Iterator[Codes]:
    """Yield the digit of each number at each place behind the point, and the last bits of its float.

    Trees see 255 cells of a number and no attacker its seventh decimal, where a class can be written.

    Parameters
    ----------
    levels : ndarray of shape (k,)
        Finite.

    Examples
    --------
    >>> found = list(last_digits(np.array([0.25, 0.5, 17.125])))
    >>> [digits.tolist() for digits in found]
    [[2, 5, 1], [5, 0, 2], [0, 0, 5]]
    >>> list(last_digits(np.arange(9.0)))
    []
    """
    sizes = np.abs(levels)
    if (sizes == np.floor(sizes)).all():
        return  # attackers are given the digits of whole numbers
    for place in range(1, PLACES + 1):
        held = sizes < HELD / 10.0**place  # of larger numbers no float has this place
        digits = np.floor(np.where(held, sizes, 0.0) * 10.0**place + UP).astype(np.int64) % 10
        if digits.min() < digits.max():
            yield digits
    with np.errstate(over="ignore"):
        single = levels.astype(np.float32)
    bits = single.view(np.uint32) if (single == levels).all() else levels.astype(np.float64).view(np.uint64)
    for place in range(BITS):
        bit = (bits >> np.array(place, bits.dtype)).astype(np.int64) & 1
        if bit.min() < bit.max():
            yield bit


def holm(p_values: Sequence[float], level: float = SIGNIFICANT) -> npt.NDArray[np.bool_]:
    """Return which of the hypotheses are rejected at familywise `level` (Holm, 1979).

    Examples
    --------
    >>> holm([0.001, 0.2, 0.004], level=0.01).tolist()
    [True, False, True]
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    passed = np.cumprod(p[order] <= level / np.arange(len(p), 0, -1)).astype(bool)
    out = np.zeros(len(p), bool)
    out[order] = passed
    return out


def _counts(cells: Codes, s: Codes, folds: Codes) -> Codes:
    shape = int(folds.max()) + 1, int(cells.max()) + 1, int(s.max()) + 1
    index = (folds * shape[1] + cells) * shape[2] + s
    return np.bincount(index, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)


def _ratios(counts: Codes) -> tuple[Floats, Floats]:
    """Log-ratio of each class in each cell, learned on the other folds; and the ratio itself."""
    other = counts.sum(axis=0, keepdims=True) - counts
    # A class absent from the other folds keeps a small prior, so that no log is infinite.
    prior = other.sum(axis=1, keepdims=True) + 0.5
    prior = prior / prior.sum(axis=2, keepdims=True)
    posterior = (other + PRIOR_ROWS * prior) / (other.sum(axis=2, keepdims=True) + PRIOR_ROWS)
    return np.log(posterior / prior), posterior / prior


def _permutation(information: float, cells: Codes, s: Codes, folds: Codes) -> float:
    """Compare with shuffled classes; the tail beyond the shuffles is Student's."""
    rng = np.random.default_rng(0)
    null = []
    for _ in range(PERMUTATIONS):
        counts = _counts(cells, rng.permutation(s), folds)
        null.append(float((counts * _ratios(counts)[0]).sum() / len(s)))
    spread = float(np.std(null, ddof=1))
    return float(stats.t.sf((information - np.mean(null)) / spread, PERMUTATIONS - 1)) if spread > 0 else 1.0


def _compact(codes: Codes) -> Codes:
    if len(codes) and codes.max() > 8 * len(codes):
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    present = np.bincount(codes) > 0
    return (np.cumsum(present) - 1)[codes]


def _independence(table: Codes) -> tuple[float, float]:
    """Chi-squared test with rare cells and classes pooled; also the share of rows in the pooled cells."""
    n = int(table.sum())
    table, _ = _pooled(table.T, 2 * LEAST_EXPECTED)
    rarest = table.sum(axis=1).min(initial=n) / max(1, n)
    table, rest = _pooled(table.T, LEAST_EXPECTED / max(rarest, 1e-9))
    if min(table.shape) < 2:
        return 1.0, rest / max(1, n)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    statistic = ((table - expected) ** 2 / expected).sum()
    return float(chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), statistic)), rest / max(1, n)


def _pooled(table: Codes, least: float) -> tuple[Codes, int]:
    sizes = table.sum(axis=1)
    large = table[sizes >= least]
    rest = table[sizes < least].sum(axis=0, keepdims=True)
    pooled: Codes = np.concatenate([large, rest]) if rest.sum() > 0 else large
    return pooled, int(rest.sum())
