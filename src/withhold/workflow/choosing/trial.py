"""The trial of one method with settings: fitted on some rows of a job, released and measured on these and others."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.errors import WithholdError
from withhold.workflow.choosing.measure import Measured, measure
from withhold.workflow.job import Job
from withhold.workflow.parts import Parts, checked
from withhold.workflow.release import Fitted, fit_and_release, unfitted
from withhold.workflow.request import Request
from withhold.workflow.source import sensitive_attributes


@dataclass(frozen=True)
class Candidate:
    """A method with settings, as a command line names them.

    Attributes
    ----------
    method : str
        As in `withhold.workflow.choice.available`.
    settings : tuple of str
        KEY=VALUE, as `--set` takes it.

    Examples
    --------
    >>> str(Candidate("deepminmax", ("budget=0.02",)))
    'deepminmax budget=0.02'
    """

    method: str
    settings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.method, *self.settings))


@dataclass(frozen=True)
class Trial:
    """What came of a candidate: its record, and what was fitted, where it could be."""

    record: TrialRecord
    fitted: Fitted | None


def part_of(job: Job, rows: np.ndarray, fit: np.ndarray) -> Job:
    """Return a job about some rows alone: nothing in it hangs on a value of the others.

    Parameters
    ----------
    rows : ndarray of int
        Positions in the job's table.
    fit : ndarray of bool, shape (len(rows),)
        Those to fit on; the others are released and measured.
    """
    table = _own_levels(job.table.take(pa.array(rows)))
    return replace(
        job,
        table=table,
        attributes=sensitive_attributes(table, job.roles.sensitive, job.request.kinds),
        groups=None if job.groups is None else job.groups[rows],
        parts=checked(Parts(fit, "run")),
    )


def attempt(job: Job, candidate: Candidate, log: Callable[[str], None] = lambda text: None) -> Trial:
    """Fit a candidate on the fit part of a job, release all its rows and measure the release.

    The noise comes of the job's seed: a trial can be repeated, and its release is not for sharing.

    Parameters
    ----------
    job : Job
        About the rows of the trial: see `part_of`.
    log : callable
        Told what is tried, and why it failed.

    Returns
    -------
    Trial
        A method that cannot be fitted to these data makes a failed trial, no error.
    """
    log(f"trying {candidate}")
    started = time.process_time()
    fitted, found, failed, spent = None, Measured(), "", 0.0
    try:
        fitted = fit_candidate(job, candidate)
        spent = time.process_time() - started
        found = measure(job, fitted.features)
    except (WithholdError, ArithmeticError) as error:
        failed = str(error)
        log(f"{candidate} failed: {failed}")
    about = {"settings": list(candidate.settings), "fit_seconds": spent, "failed": failed}
    return Trial(recorded(job, candidate.method, found, started, **about), fitted)


def recorded(job: Job, method: str, found: Measured, started: float, **about: Any) -> TrialRecord:
    """Return the record of a release of a job's rows that was measured; `started` is the process's time before."""
    return TrialRecord(
        method=method,
        fitted=int(job.parts.fit.sum()),
        n=job.table.num_rows,
        leakage=found.leakage,
        each=found.each,
        utility=found.utility,
        retention=found.retention,
        seconds=time.process_time() - started,
        **about,
    )


def fit_candidate(job: Job, candidate: Candidate) -> Fitted:
    """Fit a candidate on the fit part of a job and release all its rows, with noise of the job's seed."""
    request = named(job.request, candidate.method, candidate.settings)
    sanitizer = unfitted(request, None, job.budget)
    sanitizer.noise_seed = job.request.seed
    return fit_and_release(sanitizer, request, job.roles, job.table, job.parts, job.groups)


def named(request: Request, method: str, settings: Sequence[str]) -> Request:
    """Return a request with a method named, so that nothing is to be chosen any more."""
    return replace(request, method=method, settings=tuple(settings), preset=None, target_utility=None, time=None)


def _own_levels(table: pa.Table) -> pa.Table:
    """Return a table whose dictionaries hold the values of its own rows alone."""
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and not field.type.ordered:
            column = table.column(i).combine_chunks()
            values = column.cast(field.type.value_type)
            table = table.set_column(i, field, values.dictionary_encode().cast(field.type))
    return table
