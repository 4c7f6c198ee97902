"""A cross-fitted release: K sanitisers, each fitted on all rows but those of its fold, which it releases."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_names
from withhold.contracts.run_record import MethodSummary
from withhold.contracts.timetable import begin, report
from withhold.contracts.wording import option
from withhold.data.schema import without_index
from withhold.io.tables import read_table, write_table
from withhold.methods.catalogue import AUTO, DEFAULT
from withhold.methods.estimator.artifact import write_sanitizer
from withhold.methods.estimator.drift import release_counting
from withhold.methods.estimator.dropped import told_elsewhere
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.choice import method_class
from withhold.workflow.folder import OutputFolder
from withhold.workflow.foretold import coded, say_columns
from withhold.workflow.job import Job
from withhold.workflow.parts import FEWEST
from withhold.workflow.plan_costs import FITTING
from withhold.workflow.plan_words import USUAL_FOLDS
from withhold.workflow.release import (
    Fitted,
    as_table,
    features_of,
    in_order,
    is_matrix,
    summary_of,
    unfitted,
    utility_for_fit,
)

FOLDS = "folds.json"  # a note for an interrupted run: what was said of each finished fold


def obstacle(job: Job) -> str:
    """Return why a release cannot be cross-fitted, "" where it can be."""
    method = DEFAULT if job.request.method == AUTO else job.request.method
    if image_names(job.table.select(list(job.roles.features))):
        return "is for tables, and these are images"
    if is_matrix(job.table, job.roles.features):
        return "is for tables: an array comes out as a representation, and each sanitiser would make one of its own"
    if method_class(method).fresh_noise:
        return f"adds nothing to {method}: what is promised under differential privacy does not rest on audited rows"
    return ""


def refuse_obstacle(job: Job) -> None:
    """Refuse a cross-fitted release that cannot be."""
    if job.request.cross_fit is not None and (why := obstacle(job)):
        raise InvalidParameterError(f"{option('cross_fit')} {why}. Leave it out.")


def folds_for(job: Job) -> int:
    """Return into how many folds the release of a job could be cross-fitted instead; 0: it cannot."""
    rows = job.table.num_rows // FEWEST
    units = rows if job.groups is None else min(rows, len(np.unique(job.groups)))
    request = job.request
    asked = request.output != "representation" and request.target_utility is None and job.parts.source == "run"
    return USUAL_FOLDS if asked and units >= USUAL_FOLDS and not obstacle(job) else 0


def artifact_name(number: int, of: int) -> str:
    """Return the file of one of several sanitisers.

    Examples
    --------
    >>> artifact_name(0, 5)
    'sanitizer-1-of-5.withhold'
    """
    return f"sanitizer-{number + 1}-of-{of}.withhold"


def fit_folds(
    job: Job, key: NoiseKey, folder: OutputFolder, log: Callable[[str], None]
) -> tuple[pa.Table, MethodSummary, str]:
    """Fit a sanitiser for each fold on all other rows and let it release the fold; finished folds are kept.

    Parameters
    ----------
    job : Job
        With folds.
    key : NoiseKey
        The same for all: a record has one draw, from the one sanitiser that releases it.

    Returns
    -------
    pyarrow.Table
        Sanitised features of every row.
    MethodSummary
    str
        What is said of the noise.
    """
    parts, folds = job.parts, job.parts.fits
    say_columns(features_of(job.table, job.roles), unfitted(job.request, None, job.budget), log)
    job = with_same_columns(job)
    begin(FITTING)
    done, tables = folder.recall(FOLDS) or {}, []
    for number in range(folds):
        place, name = folder.private / f"features-{number}.arrow", artifact_name(number, folds)
        if str(number) not in done:
            rows = len(parts.held(number).fit_rows)
            log(f"fitting {job.request.method} for fold {number + 1} of {folds}, on the {rows:,} other rows")
            fitted = _fold(job, key, number)
            write_sanitizer(fitted.sanitizer, folder.private / name, fold=(number + 1, folds))
            write_table(place, fitted.features)
            said = {"method": fitted.summary.model_dump(mode="json"), "noise": fitted.sanitizer.noise_note_}
            done = {**done, str(number): said}
            folder.remember(FOLDS, done)
        tables.append(read_table(place))
        report((number + 1) / folds)
    features = in_order(tables, [np.flatnonzero(parts.fold == number) for number in range(folds)])
    told = [done[str(number)] for number in range(folds)]
    return features, summary_of_all([MethodSummary.model_validate(one["method"]) for one in told]), told[0]["noise"]


def _fold(job: Job, key: NoiseKey, number: int) -> Fitted:
    """Fit one sanitiser and release the rows that it has not seen."""
    held = job.parts.held(number)
    known, unseen = job.table.take(held.fit_rows), job.table.take(held.audit_rows)
    sanitizer, started = unfitted(job.request, key, job.budget), time.perf_counter()
    with told_elsewhere():
        sanitizer.fit(
            features_of(known, job.roles),
            utility_for_fit(job.request, known),
            sensitive_features=known.select(list(job.roles.sensitive)),
            groups=None if job.groups is None else job.groups[held.fit_rows],
        )
    seconds = time.perf_counter() - started
    # Rows are dealt to folds at random, so that none is unlike those of its fit: no drift is counted.
    released = release_counting(sanitizer, features_of(unseen, job.roles), None)
    return Fitted(sanitizer, as_table(released, job.roles, sanitizer), summary_of(sanitizer, seconds))


def with_same_columns(job: Job) -> Job:
    """Return a job in which all folds release the same columns, those that a fit of all rows would.

    Which columns look like identifiers or free text may differ by fold, and a gap would tell the fold of a row.
    """
    sanitizer, rows = unfitted(job.request, None, job.budget), job.table.select(list(job.roles.features))

    def left_out(table: pa.Table) -> set[str]:
        return {column.name for column in coded(without_index(table), sanitizer).schema.dropped}

    never = left_out(rows)
    some = set[str]().union(*(left_out(rows.take(job.parts.held(k).fit_rows)) for k in range(job.parts.fits)))
    features = tuple(name for name in job.roles.features if name not in never)
    keep = (*job.request.keep, *sorted(some - never))
    return replace(job, roles=replace(job.roles, features=features), request=replace(job.request, keep=keep))


def summary_of_all(folds: Sequence[MethodSummary]) -> MethodSummary:
    """Describe the sanitisers of a cross-fitted release as one: means of their figures, all their findings."""
    first, count = folds[0], len(folds)
    # A claim whose assumptions fail in one fold holds for no release.
    worst = next((one for one in folds if one.guarantee is not None and one.guarantee.holds is False), first)
    figures = {name: [one.diagnostics[name] for one in folds if name in one.diagnostics] for name in first.diagnostics}
    # Of one thing said of several folds in other figures, the first.
    notes = {(note.code, note.column): note for one in reversed(folds) for note in reversed(one.findings)}
    curves = {name: [one.curves[name] for one in folds if name in one.curves] for name in first.curves}
    return first.model_copy(
        update={
            "sanitizers": count,
            "guarantee": worst.guarantee,
            "diagnostics": {name: float(np.mean(values)) for name, values in figures.items()},
            "curves": {name: [float(np.mean(at)) for at in zip(*some, strict=False)] for name, some in curves.items()},
            "findings": [_cross_fitted(count), *reversed(notes.values())],
            "fit_seconds": sum(one.fit_seconds or 0.0 for one in folds),
        }
    )


def _cross_fitted(count: int) -> Finding:
    text = (
        f"The release came from {count} sanitisers. Each released the rows of one fold and was fitted on all others, "
        "so no single one stands for later rows."
    )
    remedy = f"Later rows need a run of their own, without {option('cross_fit')}."
    return Finding(code="cross_fitted", severity="info", text=text, remedy=remedy)
