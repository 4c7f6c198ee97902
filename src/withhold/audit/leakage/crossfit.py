"""Cross-fitting of a panel: every record is scored by attackers that were trained on other records only."""

import time
from collections.abc import Sequence

import numpy as np

from withhold.audit.attackers.attacker import Attacker, Inputs
from withhold.audit.attackers.mixture import NAME as MIXTURE
from withhold.audit.attackers.mixture import pool
from withhold.audit.design import Design
from withhold.audit.leakage.log_ratios import HeldRows, InnerPart, LogRatios
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.contracts.seeds import stream
from withhold.information.calibration import fit_calibration
from withhold.training.session import one_thread


def cross_fit(
    inputs: Inputs, s: Codes, classes: int, panel: Sequence[type[Attacker]], design: Design, purpose: str
) -> LogRatios:
    """Attack class codes `s` (-1 where unknown) with every member of `panel`.

    In each training fold the attackers are fitted on one part and calibrated on another; prior, calibration and the
    choice of the best attacker never see a scored record. Two attackers or more are also pooled into a "mixture", with
    weights from the calibration part.

    Parameters
    ----------
    inputs : Inputs
        The release.
    s : ndarray of shape (n,)
        Class codes.
    classes : int
        Number of classes.
    panel : sequence of Attacker types
        Who attacks.
    design : Design
        Folds.
    purpose : str
        Names the random streams.
    """
    known = s >= 0
    panel = able(panel, inputs)
    pieces: list[LogRatios] = []
    failures: dict[str, str] = {}
    names = [member.name for member in panel] + ([MIXTURE] if len(panel) > 1 else [])
    seconds = dict.fromkeys(names, 0.0)
    with one_thread():
        for number, train, test in design.folds(known):
            log_prior = smoothed_log_prior(s[train], classes)
            fit_rows, held_rows = design.inner(train, s, number)
            tables, usable_held = {}, {}
            said: dict[str, Reals] = {}
            for member in panel:
                started = time.process_time()
                both = np.concatenate([held_rows, test])
                rng = stream(design.seed, "audit", purpose, member.name, number)
                guess, failure = _guess(member(design.effort), inputs, s, fit_rows, both, log_prior, rng)
                if failure:
                    failures[member.name] = failure
                held, rest = guess[: len(held_rows)], guess[len(held_rows) :]
                # Whoever failed answers the prior itself, not a prior moved by the held rows.
                usable = held_rows if not failure else held_rows[:0]
                calibration = fit_calibration(held[: len(usable)], s[usable], log_prior)
                ratio = calibration.apply(held) - log_prior
                said[member.name] = ratio[np.arange(len(held)), s[held_rows]]
                tables[member.name] = calibration.apply(rest) - log_prior
                if not failure:
                    usable_held[member.name] = ratio
                seconds[member.name] += time.process_time() - started
            if MIXTURE in seconds:
                started = time.process_time()
                rng = stream(design.seed, "audit", purpose, MIXTURE, number)
                tables[MIXTURE], said[MIXTURE] = pool(usable_held, tables, s[held_rows], log_prior, rng)
                seconds[MIXTURE] += time.process_time() - started
            parts: tuple[InnerPart, ...] = ()
            if design.groups is not None:
                small = {name: table.astype(np.float32) for name, table in usable_held.items()}
                parts = (InnerPart(test, held_rows, s[held_rows], small),)
            pieces.append(piece_of(test, s[test], tables, HeldRows(test, held_rows, said), log_prior, parts))
    return join_pieces(pieces, names, failures, seconds)


def smoothed_log_prior(s: Codes, classes: int) -> Reals:
    """Return log class frequencies with half a record added to each class, so that an unseen class stays possible.

    Examples
    --------
    >>> np.exp(smoothed_log_prior(np.array([0, 1, 1]), 2)).tolist()
    [0.375, 0.625]
    """
    counts = np.bincount(s, minlength=classes) + 0.5
    return np.asarray(np.log(counts / counts.sum()))


def able(panel: Sequence[type[Attacker]], inputs: Inputs) -> Sequence[type[Attacker]]:
    """Return the members that find in `inputs` what they read; all of them where none does, to answer the prior."""
    found = [member for member in panel if getattr(inputs, member.inputs) is not None]
    return found or panel


def matrix(inputs: Inputs, kind: str, rows: Codes) -> Matrix:
    """Return rows of one view; a view without columns becomes a single constant one."""
    full: Matrix | None = getattr(inputs, kind)
    if full is None:
        raise ValueError(f"there are no {kind} to look at")
    return full[rows] if full.shape[1] else np.zeros((len(rows), 1), np.float32)


def _guess(
    attacker: Attacker,
    inputs: Inputs,
    s: Codes,
    fit_rows: Codes,
    rows: Codes,
    log_prior: Reals,
    rng: np.random.Generator,
) -> tuple[Reals, str]:
    """Fit and guess; whoever cannot be fitted answers the prior and says why."""
    prior = np.broadcast_to(log_prior, (len(rows), len(log_prior)))
    present, compact = np.unique(s[fit_rows], return_inverse=True)
    if len(present) < 2:
        return prior, "one class only among the training rows"
    if len(rows) == 0:
        return prior, ""
    try:
        attacker.fit(matrix(inputs, attacker.inputs, fit_rows), compact.astype(np.int64), rng)
        found = attacker.log_proba(matrix(inputs, attacker.inputs, rows))
    except (ValueError, ArithmeticError, RuntimeError) as error:
        return prior, str(error).splitlines()[0]
    if not np.isfinite(found).all():
        return prior, "gave numbers that are not finite"
    if len(present) == len(log_prior):
        return found, ""
    # A class absent from the training rows keeps its prior; the others share the rest as guessed.
    full = prior.copy()
    rest = np.logaddexp.reduce(log_prior[present])
    full[:, present] = found + rest
    return full, ""


def piece_of(
    test: Codes,
    s: Codes,
    tables: dict[str, Reals],
    held: HeldRows,
    log_prior: Reals,
    parts: tuple[InnerPart, ...] = (),
) -> LogRatios:
    """Return what attackers said of the rows of one fold, from their log-ratios of every class."""
    index = np.arange(len(test))
    inner = [held.values[name].mean() if len(held.rows) else 0.0 for name in tables]
    return LogRatios(
        test,
        tuple(tables),
        np.column_stack([table[index, s] for table in tables.values()]),
        np.array([table.min() for table in tables.values()]),
        float(-log_prior.min()),
        np.broadcast_to(inner, (len(test), len(tables))),
        {name: table.astype(np.float32) for name, table in tables.items()},
        s,
        parts=parts,
        held=(held,),
    )


def join_pieces(
    pieces: list[LogRatios], names: list[str], failures: dict[str, str], seconds: dict[str, float]
) -> LogRatios:
    """Put the folds of one attack together in row order."""
    rows = np.concatenate([p.rows for p in pieces])
    order = np.argsort(rows, kind="stable")
    return LogRatios(
        rows[order],
        tuple(names),
        np.vstack([p.values for p in pieces])[order],
        np.min([p.least for p in pieces], axis=0),
        max(p.most for p in pieces),
        np.vstack([p.inner for p in pieces])[order],
        {name: np.vstack([p.classes[name] for p in pieces])[order] for name in names if name in pieces[0].classes},
        None if pieces[0].truth is None else np.concatenate([p.truth for p in pieces if p.truth is not None])[order],
        failures,
        seconds,
        tuple(part for p in pieces for part in p.parts),
        tuple(part for p in pieces for part in p.held),
    )
