"""The choice for a job: rows divided, the original measured, candidates tried, the best named with its reason."""

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from withhold.audit.findings.evidence import classes, column_evidence
from withhold.audit.planning.outlook import foretell, judged_attribute
from withhold.audit.planning.telling import utility_tells
from withhold.audit.view.reading import read_columns
from withhold.contracts.choice_record import ChoiceRecord, TrialRecord
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.seeds import stream
from withhold.data.shares import plug_in_entropy
from withhold.data.splits import fold_numbers, some_rows, split_rows
from withhold.information.bounds.accuracy import attacker_accuracy
from withhold.workflow.binding import original_of
from withhold.workflow.choosing.candidates import COSTS, Ladder, ladders_for
from withhold.workflow.choosing.measure import LEVEL, Measured, measure
from withhold.workflow.choosing.objective import Objective
from withhold.workflow.choosing.search import Clock, Search
from withhold.workflow.choosing.trial import Candidate, attempt, part_of, recorded
from withhold.workflow.choosing.words import helps_of, reason_of
from withhold.workflow.goal import seconds_of
from withhold.workflow.job import Job
from withhold.workflow.plan import price_of
from withhold.workflow.plan_costs import audit_seconds, fits_of, slowness

# Share of the rows that candidates are fitted on; by the others they are compared.
FITTED = 0.6
# Rows beyond these make trials dearer and hardly better.
MOST_ROWS = 40_000
RAW = "identity"
Log = Callable[[str], None]


def choose_for(
    job: Job,
    rows: np.ndarray,
    log: Log = lambda text: None,
    known: Mapping[str, TrialRecord] | None = None,
    finished: Callable[[TrialRecord], None] = lambda trial: None,
    ladders: Sequence[Ladder] | None = None,
) -> ChoiceRecord:
    """Choose a method with settings for a job.

    Parameters
    ----------
    rows : ndarray of int
        Rows to choose by: one part of them is fitted, candidates are compared on both. No other row is looked at.
    log : callable
        Told what is tried.
    known : mapping of str to TrialRecord, optional
        Trials that an interrupted choice finished, by candidate.
    finished : callable
        Given each trial when it is done.
    ladders : sequence of Ladder, optional
        What is tried; by default what fits the job.

    Raises
    ------
    InvalidParameterError
        No method applies to these data.
    DataError
        None could be fitted.
    """
    began, kept = time.monotonic(), dict(known or {})
    ladders = ladders_for(job) if ladders is None else ladders
    if not ladders:
        raise InvalidParameterError(
            "No method keeps these records without a purpose. Add --utility COL for what they should stay useful for."
        )
    part = divided(job, rows)
    objective = Objective(job.together, job.request.target_utility, job.own_budgets, _counted(job, part))
    log(f"choosing a method on {part.table.num_rows:,} rows, {int(part.parts.fit.sum()):,} of them fitted")

    def attempted(candidate: Candidate) -> TrialRecord:
        trial = attempt(part, candidate, log).record
        log(_line(trial))
        finished(trial)
        return trial

    raw, sizes = _raw(part)
    factor = slowness()
    search = Search(
        objective,
        ladders,
        Clock(
            measuring=raw.seconds,
            usual=factor * _usual_seconds(part),
            growth=len(rows) / max(1, raw.fitted),
            judging=factor * audit_seconds(job, sizes.columns, sizes.codes, _classes(part)),
            until=_until(job, began),
        ),
        _cap(part, raw),
        attempted,
        kept,
        log=log,
    )
    best = search.run()
    if best is None:
        raise DataError(f"No method could be fitted to these rows: {search.trials[-1].failed}")
    held, commonest = objective.held(best), float(_shares(part).max(initial=0.0))
    choice = ChoiceRecord(
        method=best.method,
        settings=best.settings,
        by=objective.by,
        budget=objective.budget,
        budgets=dict(objective.each),
        target=objective.target,
        counted=objective.counted,
        held=held,
        reason=reason_of(job, objective, best, len(search.trials), search.ended, search.left, raw, commonest),
        helps=[] if held else helps_of(job, objective, best, _utility_low(part), _telling(part)),
        ended=search.ended,
        left=search.left,
        raw=raw,
        trials=search.trials,
        seconds=search.spent,
    )
    log(f"chosen: {choice.reason}")
    if choice.helps:
        log(f"what would help: {'; '.join(choice.helps)}")
    return choice


def divided(job: Job, rows: np.ndarray) -> Job:
    """Return the job about rows to choose by, some of them to be fitted; subjects stay together."""
    rng = stream(job.request.seed, "workflow", "choice")
    rows = rows[some_rows(len(rows), MOST_ROWS, rng, None if job.groups is None else job.groups[rows])]
    whole = part_of(job, rows, np.arange(len(rows)) < len(rows) // 2)
    judged = judged_attribute(whole.attributes)
    strata = judged.codes if judged.kind == "categorical" else None
    kept, _ = split_rows(len(rows), 1.0 - FITTED, rng, groups=whole.groups, stratify=strata)
    fit = np.zeros(len(rows), bool)
    fit[kept] = True
    return part_of(job, rows, fit)


def _raw(part: Job) -> tuple[TrialRecord, Measured]:
    """Measure the original columns as if they were released."""
    started = time.process_time()
    found = measure(part, part.table.select(list(part.roles.features)))
    return recorded(part, RAW, found, started), found


def _counted(job: Job, part: Job) -> float:
    """Return the share of the budget up to which the audit of all rows is foretold to pass an upper end.

    It is read off the rows of the choice alone; 1 where the audit is foretold to decide nothing.
    """
    budget = part.together
    if budget is None or part.request.target_utility is not None:
        return 1.0
    found = foretell(original_of(part), part.request.effort, read_raw=False, random_state=part.request.seed)
    return found.power.room(budget, found.rows * job.table.num_rows / part.table.num_rows) / budget or 1.0


def _cap(part: Job, raw: TrialRecord) -> float:
    """Return what no release can keep more than: what the original keeps, and what the certified bound leaves of H(U).

    What the original tells of U has a lower end alone, so that the bound takes its loss from all that there is to know.
    """
    shares = _shares(part)
    price = None if part.together is None or not len(shares) else price_of(part, part.together)[0]
    if price is None:
        return raw.kept
    left = max(0.0, plug_in_entropy(shares) - price.least_low)
    return min(raw.kept, attacker_accuracy(shares, left, "accuracy")[1])


def _shares(part: Job) -> np.ndarray:
    """Return the share of each value of U, none where U is not one column of classes."""
    if len(part.useful) != 1 or part.useful[0].kind != "categorical":
        return np.zeros(0)
    counts = np.bincount(part.useful[0].codes[part.useful[0].known])
    return np.asarray(counts[counts > 0] / max(1, counts.sum()))


def _usual_seconds(part: Job) -> float:
    """Return what a fit of DeepMinMax takes; for images, which it does not take, what costs as much there."""
    fits = fits_of(part)
    return fits["deepminmax"] if "deepminmax" in fits else fits["aioi"] / COSTS["aioi"]


def _classes(part: Job) -> int:
    judged = judged_attribute(part.attributes)
    return judged.n_classes if judged.kind == "categorical" else 2


def _until(job: Job, began: float) -> float | None:
    limit = seconds_of(job.request.time)
    return None if limit is None else began + limit


def _utility_low(part: Job) -> float:
    """Return what the utility attributes alone tell at least, where they are handed over."""
    if not part.roles.utility or part.request.drop_utility:
        return 0.0
    told = utility_tells(original_of(part), judged_attribute(part.attributes), LEVEL, part.request.seed)
    return told.low or 0.0


def _telling(part: Job) -> tuple[str, float] | None:
    """Return the column that alone tells most of S for certain, and how much."""
    columns: Sequence[str] = list(part.roles.features)
    codes = classes(judged_attribute(part.attributes))
    folds = fold_numbers(len(codes), 3, stream(part.request.seed, "workflow", "telling"), part.groups, codes)
    table: pa.Table = part.table.select(columns)
    found = [(one.source, column_evidence(one, codes, folds, part.groups)) for one in read_columns(table)]
    name, evidence = max(found, key=lambda pair: pair[1].low, default=("", None))
    return None if evidence is None or evidence.low <= 0 else (name, evidence.information)


def _line(trial: TrialRecord) -> str:
    if trial.failed:
        return f"{trial}: no release"
    return f"{trial}: at most {trial.most:.3f} nat learned, {trial.kept:.3f} kept, {trial.seconds:.0f} s"
