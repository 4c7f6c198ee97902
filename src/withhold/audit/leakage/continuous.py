"""Attacks on a continuous attribute: through equal-mass bins and through normal scores, each a lower bound."""

import time
from collections.abc import Sequence

import numpy as np

from withhold.audit.attackers.attacker import Attacker, Inputs, ScoreAttacker
from withhold.audit.design import Design
from withhold.audit.leakage.crossfit import cross_fit, join_pieces, matrix
from withhold.audit.leakage.functions_of_s import functions_of
from withhold.audit.leakage.log_ratios import HeldRows, LogRatios
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.statistics.normal_scores import NormalScores
from withhold.contracts.seeds import stream
from withhold.data.shares import plug_in_entropy
from withhold.training.session import one_thread

# Shares of the marginal mixed into a predicted density; the one that serves held rows best is taken.
PRIOR_WEIGHTS = (0.01, 0.05, 0.2, 0.5, 0.9, 0.99)
# Many bins multiply the trees and say little more than these attackers find.
MANY_BINS = 8
MANY_BINS_PANEL = ("logistic", "boosting", "mlp")
# Functions of the number are looked for by these; by the first alone where they have many classes.
FUNCTION_PANEL = ("logistic", "boosting")
# So many different values are classes in all but name: their own entropy is what there is to know.
FEW_VALUES = 16


def bin_codes(values: Reals, bins: int) -> Codes:
    """Cut values into equal-mass bins, ties together; -1 where missing.

    Equal values always share a bin, so a bin is a function of the value and the information about it a lower bound.

    Examples
    --------
    >>> bin_codes(np.array([3.0, 1.0, 2.0, np.nan, 4.0]), 2).tolist()
    [1, 0, 0, -1, 1]
    >>> bin_codes(np.array([1.0, 2.0, 2.0, 2.0]), 2).tolist()
    [0, 1, 1, 1]
    """
    known = ~np.isnan(values)
    edges = np.quantile(values[known], np.arange(1, bins) / bins, method="lower")
    # Where the largest value is the commonest, what lies below it is a bin: all values together would tell nothing.
    below = values[known] < values[known].max(initial=-np.inf)
    edges = np.minimum(edges, values[known][below].max(initial=-np.inf)) if below.any() else edges
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[known] = np.searchsorted(edges, values[known], side="left")
    # Bins that ties left empty are closed up.
    codes[known] = np.unique(codes[known], return_inverse=True)[1]
    return codes


def entropy_of(values: Reals, bins: int) -> tuple[float, bool]:
    """Return H(S) of a number in nats, and whether that is all there is to know of it.

    Where few values differ (a code of 1.0 and 2.0, a count) it is the entropy of the values. Where many do it is that
    of the bins as ties leave them, which bounds what attackers of bins can learn and not what there is to know.

    Examples
    --------
    >>> entropy, everything = entropy_of(np.array([1.0, 2.0, np.nan, 2.0, 1.0]), 8)
    >>> round(entropy, 3), everything
    (0.693, True)
    >>> entropy, everything = entropy_of(np.r_[np.zeros(900), np.arange(1.0, 101.0)], 8)
    >>> round(entropy, 3), everything
    (0.325, False)
    """
    known = values[~np.isnan(values)]
    counts = np.unique(known, return_counts=True)[1]
    few = len(counts) <= FEW_VALUES
    return plug_in_entropy(counts if few else np.bincount(bin_codes(known, bins))), few


def attack_bins(
    inputs: Inputs, values: Reals, bins: int, panel: Sequence[type[Attacker]], design: Design, purpose: str
) -> LogRatios | None:
    """Attack one binning; None when ties leave a single bin."""
    codes = bin_codes(values, bins)
    classes = int(codes.max()) + 1
    if classes < 2:
        return None
    chosen = [a for a in panel if classes < MANY_BINS or a.name in MANY_BINS_PANEL] or list(panel)
    return _attack_codes(inputs, codes, chosen, design, purpose, str(bins))


def attack_function(
    inputs: Inputs, name: str, codes: Codes, panel: Sequence[type[Attacker]], design: Design, purpose: str
) -> LogRatios:
    """Attack a function of the number, with those who read levels and values at little cost."""
    few = len(np.unique(codes[codes >= 0])) < MANY_BINS
    chosen = [a for a in panel if a.name in (FUNCTION_PANEL if few else FUNCTION_PANEL[:1])] or list(panel)
    return _attack_codes(inputs, codes, chosen, design, purpose, name)


def _attack_codes(
    inputs: Inputs, codes: Codes, panel: Sequence[type[Attacker]], design: Design, purpose: str, what: str
) -> LogRatios:
    found = cross_fit(inputs, codes, int(codes.max()) + 1, panel, design, f"{purpose}@{what}")
    names = tuple(f"{name}@{what}" for name in found.names)
    seconds = {f"{name}@{what}": value for name, value in found.seconds.items()}
    failures = {f"{name}@{what}": value for name, value in found.failures.items()}
    held = tuple(part.renamed(f"@{what}") for part in found.held)
    return LogRatios(
        found.rows,
        names,
        found.values,
        found.least,
        found.most,
        found.inner,
        failures=failures,
        seconds=seconds,
        held=held,
    )


def attack_scores(
    inputs: Inputs, values: Reals, panel: Sequence[type[ScoreAttacker]], design: Design, purpose: str
) -> LogRatios:
    """Attack the normal score with Gaussian and quantile attackers."""
    known = ~np.isnan(values)
    pieces: list[LogRatios] = []
    failures: dict[str, str] = {}
    seconds = {member.name: 0.0 for member in panel}
    with one_thread():
        for number, train, test in design.folds(known):
            fit_rows, held_rows = design.inner(train, None, number)
            scores = NormalScores.fit(values[train])
            score = np.full(len(values), np.nan)
            used = np.concatenate([train, test])
            score[used] = scores.transform(values[used], stream(design.seed, "audit", "ties", number))
            columns, inner, least = [], np.zeros(len(panel)), np.zeros(len(panel))
            said: dict[str, Reals] = {}
            for j, member in enumerate(panel):
                started = time.process_time()
                rng = stream(design.seed, "audit", purpose, member.name, number)
                both = np.concatenate([held_rows, test])
                ratio, failure = _ratio(member(design.effort), inputs, score, fit_rows, both, rng)
                if failure:
                    failures[member.name] = failure
                mixed, least[j] = _mix(ratio, len(held_rows))
                said[member.name], rest = mixed[: len(held_rows)], mixed[len(held_rows) :]
                inner[j] = said[member.name].mean() if len(held_rows) else 0.0
                columns.append(rest)
                seconds[member.name] += time.process_time() - started
            pieces.append(
                LogRatios(
                    test,
                    tuple(member.name for member in panel),
                    np.column_stack(columns),
                    least,
                    float(np.log(max(design.effort.bins))),
                    np.broadcast_to(inner, (len(test), len(panel))),
                    held=(HeldRows(test, held_rows, said),),
                )
            )
    return join_pieces(pieces, [member.name for member in panel], failures, seconds)


def attack_continuous(
    inputs: Inputs,
    values: Reals,
    panel: Sequence[type[Attacker]],
    score_panel: Sequence[type[ScoreAttacker]],
    design: Design,
    purpose: str,
) -> LogRatios:
    """Attack a continuous attribute in every way: all bins, all score attackers, side by side on the same records."""
    found = attack_scores(inputs, values, score_panel, design, purpose)
    tried: list[bytes] = []
    for bins in design.effort.bins:
        cut = bin_codes(values, bins).tobytes()
        if cut in tried:  # few values differ, so that more bins are the same classes
            continue
        tried.append(cut)
        binned = attack_bins(inputs, values, bins, panel, design, purpose)
        if binned is not None:
            found = found.with_columns(binned, "")
    if len(np.unique(values[~np.isnan(values)])) <= FEW_VALUES:
        return found  # each value is a class already
    for name, codes in functions_of(values).items():
        found = found.with_columns(attack_function(inputs, name, codes, panel, design, purpose), "")
    return found


def _ratio(
    attacker: ScoreAttacker, inputs: Inputs, score: Reals, fit_rows: Codes, rows: Codes, rng: np.random.Generator
) -> tuple[Reals, str]:
    if len(fit_rows) < 4:
        return np.zeros(len(rows)), "fewer than four training rows"
    try:
        attacker.fit(matrix(inputs, attacker.inputs, fit_rows), score[fit_rows], rng)
        found = attacker.log_ratio(matrix(inputs, attacker.inputs, rows), score[rows])
    except (ValueError, ArithmeticError, RuntimeError) as error:
        return np.zeros(len(rows)), str(error).splitlines()[0]
    if not np.isfinite(found).all():
        return np.zeros(len(rows)), "gave numbers that are not finite"
    return found, ""


def _mix(ratio: Reals, held: int) -> tuple[Reals, float]:
    """Mix with the marginal by the weight best on the `held` first rows; return the mixed log-ratios and the least."""
    tables = [np.logaddexp(np.log1p(-w) + ratio, np.log(w)) for w in PRIOR_WEIGHTS]
    inner = [float(table[:held].mean()) if held else 0.0 for table in tables]
    best = int(np.argmax(inner)) if held else len(tables) - 1
    return tables[best], float(np.log(PRIOR_WEIGHTS[best]))
