"""Linkage: how often a released record finds its original.

The attacker holds the released records, in an order that tells nothing, and the originals of some people; for each
released record he names the likeliest original. Four attacks: "direct" compares the columns both files have; the
others know the pairs of some other records, as one has who took part himself. "weighted" learns from them how far to
trust each column, "linear" and "nonlinear" what becomes of an original, so that a release may live in another space.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from withhold.audit.people.correspondence import Correspondence
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.statistics.proportion import binomial_interval
from withhold.audit.view.shared_columns import SharedColumns
from withhold.audit.view.view import AttackView, whiten
from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import stream
from withhold.contracts.threats import LinkageResult
from withhold.data.splits import split_rows

# Candidates, and pairs to learn from. With more of either, rates move by less than their intervals.
MOST_CANDIDATES, MOST_PAIRS = 2_000, 10_000
# With fewer rows nothing is said.
LEAST_ROWS = 40
# Columns without distances that are compared: each costs a pass over all pairs of records.
MOST_CATEGORIES = 200
# Variance of deviating normal scores below which values count as equal.
LEAST_VARIANCE = 1e-6
# Scores closer than this share of their size are equal.
TIE = 1e-9


def link(
    original: pa.Table,
    release: pa.Table,
    *,
    groups: Codes | None = None,
    seed: int = 0,
    level: float = 0.95,
    most_candidates: int = MOST_CANDIDATES,
) -> LinkageResult | None:
    """Find the originals of released records.

    Parameters
    ----------
    original, release : pyarrow.Table
        The same records, row for row, without the columns judged apart; their spaces may differ.
    groups : ndarray of int, optional
        Subjects: the pairs an attacker knows are of other subjects.
    level : float
        Of the interval, over all attacks together.
    most_candidates : int
        Originals among which one is to be found.

    Returns
    -------
    LinkageResult or None
        None where there are too few rows, or nothing to compare.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = pa.table({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    >>> link(table, table).found.value
    1.0
    """
    n = original.num_rows
    if n < LEAST_ROWS or not original.num_columns or not release.num_columns:
        return None
    rng = stream(seed, "audit", "linkage")
    pairs, candidates = split_rows(n, min(0.5, most_candidates / n), rng, groups)
    pairs, candidates = _at_most(pairs, MOST_PAIRS, rng), _at_most(candidates, most_candidates, rng)
    rows = np.concatenate([pairs, candidates])
    known, asked = np.arange(len(pairs)), np.arange(len(pairs), len(rows))
    before, after = original.take(pa.array(rows)), release.take(pa.array(rows))
    shared = SharedColumns.of(before, after)
    attacks = _attacks(shared, before, after, known, asked, rng)
    share = 1.0 - (1.0 - level) / len(attacks)
    rates, ranks = {}, {}
    for name, score in attacks.items():
        hits, ranks[name] = first_and_rank(score())
        low, high = binomial_interval(float(hits.sum()), len(hits), share)
        rates[name] = Quantity(
            value=float(hits.mean()),
            low=low,
            high=high,
            kind="lower_bound",
            unit="fraction",
            level=level,
            n=len(asked),
            attacker=name,
            seed=seed,
        )
    best = max(rates.values(), key=lambda rate: rate.value)
    name = best.attacker or ""
    low = max(rate.low for rate in rates.values() if rate.low is not None)
    high = max(rate.high for rate in rates.values() if rate.high is not None)
    found = best.model_copy(update={"low": min(low, best.value), "high": high, "against": tuple(rates)})
    ten = float((ranks[name] <= 10).mean())
    low, high = binomial_interval(ten * len(asked), len(asked), level)
    return LinkageResult(
        found=found,
        chance=1.0 / len(asked),
        candidates=len(asked),
        found_in_ten=found.model_copy(update={"value": ten, "low": low, "high": high, "against": ()}),
        matcher=name,
        median_rank=float(np.median(ranks[name])),
        attacks=rates,
        identical=float(shared.identical.mean()) if shared.names else None,
        raw=_found_in_itself(before.take(pa.array(asked))),
    )


def first_and_rank(score: Reals) -> tuple[Reals, Reals]:
    """Return the chance that the true candidate, on the diagonal, is named, and its rank; ties are broken by lot.

    Examples
    --------
    >>> first_and_rank(np.array([[2.0, 1.0], [3.0, 3.0]]))
    (array([1. , 0.5]), array([1. , 1.5]))
    """
    true = np.diagonal(score)[:, None]
    margin = TIE * np.maximum(1.0, np.abs(true))
    above = (score > true + margin).sum(axis=1)
    level = (np.abs(score - true) <= margin).sum(axis=1) - 1
    return np.where(above == 0, 1.0 / (1.0 + level), 0.0), 1.0 + above + level / 2


def _found_in_itself(original: pa.Table) -> float:
    """Return how often records released as they are find themselves: of k equal rows, one does on average."""
    codes = SharedColumns.of(original, original).exact[0]
    return float(len(np.unique(codes, axis=0)) / original.num_rows)


def _at_most(rows: Codes, most: int, rng: np.random.Generator) -> Codes:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _attacks(
    shared: SharedColumns, before: pa.Table, after: pa.Table, known: Codes, asked: Codes, rng: np.random.Generator
) -> dict[str, Callable[[], Reals]]:
    """Return the attacks that apply; each gives a score for (released record, candidate)."""
    attacks: dict[str, Callable[[], Reals]] = {}
    if shared.names:
        attacks["direct"] = lambda: _compared(shared.take(asked), None)
        attacks["weighted"] = lambda: _compared(shared.take(asked), shared.take(known))
    X, Z = (whiten(AttackView.fit(table, row_order=False).dense) for table in (before, after))
    if X.shape[1] and Z.shape[1]:
        attacks["linear"] = lambda: _learned(Correspondence.fit(X[known], Z[known], rng), X[asked], Z[asked])
        attacks["nonlinear"] = lambda: _learned(Correspondence.fit(X[known], Z[known], rng, True), X[asked], Z[asked])
    return attacks


def _learned(found: Correspondence, X: np.ndarray, Z: np.ndarray) -> Reals:
    return _closeness(found.placed(Z), found.expected(X))


def _closeness(a: Reals, b: Reals) -> Reals:
    """Minus half the squared distance of every pair; differences of large numbers would lose the small ones."""
    centre = b.mean(axis=0)
    a, b = a - centre, b - centre
    return np.asarray(a @ b.T - 0.5 * (a**2).sum(axis=1)[:, None] - 0.5 * (b**2).sum(axis=1))


def _compared(asked: SharedColumns, known: SharedColumns | None) -> Reals:
    """Score pairs column by column (Fellegi and Sunter, 1969), with trust learned from known pairs or equal for all."""
    original, released = asked.scores
    if known is not None:
        # A column whose release has nothing to do with the original must add nothing: slope 0.
        before, after = known.scores
        slope = (before * after).sum(axis=0) / np.maximum((before**2).sum(axis=0), LEAST_VARIANCE)
        spread = np.sqrt(np.maximum(np.mean((after - slope * before) ** 2, axis=0), LEAST_VARIANCE))
        original, released = slope * original / spread, released / spread
    score = _closeness(released, original)
    weights = []
    for j in range(asked.categories.shape[2]):
        old, new = asked.categories[0, :, j], asked.categories[1, :, j]
        if known is None:
            weights.append(np.ones(len(new)))
            continue
        pair = known.categories[:, :, j]
        agree = ((pair[0] == pair[1]).sum() + 0.5) / (pair.shape[1] + 1.0)
        # How common the released level is among originals: agreeing on a rare one says more.
        level, counts = np.unique(np.concatenate([pair[0], old]), return_counts=True)
        place = np.minimum(np.searchsorted(level, new), len(level) - 1)
        common = (np.where(level[place] == new, counts[place], 0) + 0.5) / (counts.sum() + 1.0)
        weights.append(np.maximum(0.0, np.log(agree / common) - np.log((1 - agree) / (1 - common))))
    order = np.argsort([-float(weight.mean()) for weight in weights], kind="stable")[:MOST_CATEGORIES]
    for j in order:
        score += (asked.categories[1, :, j][:, None] == asked.categories[0, :, j]) * weights[j][:, None]
    return score
