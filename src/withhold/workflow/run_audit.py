"""The audit inside a run, and what it adds for releases under differential privacy."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from withhold.audit.beside import Context, Promise, Recipient
from withhold.audit.kept.transfer import transfer
from withhold.audit.people.likelihood import likelihood_membership
from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord, TransferResult
from withhold.contracts.finding import Finding, Severity
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.images import image_column
from withhold.contracts.seeds import stream
from withhold.contracts.threats import LikelihoodMembership
from withhold.io.tables import write_table
from withhold.methods.estimator.drift import drift_of
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.cross_fit import folds_for
from withhold.workflow.job import Job
from withhold.workflow.recipient import latent_table, possess
from withhold.workflow.release import as_table, assemble, features_of

# Rows of each part whose likelihood is looked at.
ASKED = 2_000
TRAINED_ON = {
    "public": "These rows are public or not released, by declaration; as far as this goes, a copy of the sanitiser "
    "tells whose rows they were.",
    "same-data": "These records are released: who has the sanitiser learns it of them, beside what the release tells.",
}
# A control that is as good to this much shows no use of the records.
SAME = 0.01
# Of all intervals.
LEVEL = 0.95


def without_records(
    job: Job, features: pa.Table, sanitizer: Sanitizer
) -> tuple[dict[str, TransferResult], list[Finding]]:
    """Return what a model trained on the release, or on no record at all, is worth on originals.

    Parameters
    ----------
    job : Job
        About the released rows.
    features : pyarrow.Table
        The release of each.
    sanitizer : CADP
        Fitted.
    """
    original, n = job.table.select(list(job.roles.features)), features.num_rows
    classes = job.table.column(job.roles.utility[0]) if job.roles.utility else n
    made = sanitizer.control(classes)
    images = sanitizer.encoding_.image is not None
    control = (
        pa.table({features.column_names[0]: image_column(made)}) if images else as_table(made, job.roles, sanitizer)
    )
    if control.column_names != features.column_names and control.num_columns == features.num_columns:
        control = control.rename_columns(features.column_names)
    found, notes = dict[str, TransferResult](), list[Finding]()
    for attribute in job.useful:
        asked = job.request
        result = transfer(
            attribute, original, features, control, groups=job.groups, effort=asked.effort, seed=asked.seed
        )
        if result is None:
            continue
        found[attribute.name] = result
        if result.no_record is not None and result.release < result.no_record + SAME:
            text = (
                f"Trained on the release, '{attribute.name}' of originals is predicted with {result.release:.3f}; "
                f"trained on what the generator makes without any record, with {result.no_record:.3f}: the released "
                "records themselves add nothing to it."
            )
            notes.append(Finding(code="no_more_than_no_record", severity="warning", text=text))
    return found, notes


def latents_of(job: Job, features: pa.Table, sanitizer: Sanitizer) -> tuple[pa.Table, pa.Table]:
    """Return originals and releases among latents, which is where the noise was added."""
    classes = job.table.select([job.roles.utility[0]]) if job.roles.utility else None
    before = latent_table(sanitizer.latents(features_of(job.table, job.roles), classes, kept=True))
    as_released = (
        features if sanitizer.codec_ is not None or sanitizer.encoding_.image is not None else _array(features)
    )
    return before, latent_table(sanitizer.latents(as_released, classes, kept=True))


def flow_membership(job: Job, sanitizer: Sanitizer) -> tuple[LikelihoodMembership | None, list[Finding]]:
    """Return whether the flow's likelihood tells the rows that it was trained on from the others.

    Parameters
    ----------
    job : Job
        About all rows, also those that are not released.
    sanitizer : CADP
        Fitted.
    """
    rng, parts = stream(job.request.seed, "workflow", "flow membership"), job.parts
    rows = np.sort(np.concatenate([rng.permutation(part)[:ASKED] for part in (parts.fit_rows, parts.audit_rows)]))
    table = job.table.take(pa.array(rows))
    classes = table.select([job.roles.utility[0]]) if job.roles.utility else None
    found = likelihood_membership(
        sanitizer.log_likelihood(features_of(table, job.roles), classes),
        table.select(list(job.roles.features)),
        job.parts.fit[rows],
        seed=job.request.seed,
        level=LEVEL,
    )
    if found is None:
        return None, []
    low, high = found.auc.low or 0.0, found.auc.high or 1.0
    told = low > max(0.5, found.control.high or 1.0) or (low > 0.5 and (found.control.low or 0.0) <= 0.5)
    text = (
        f"The flow's likelihood tells {found.members:,} rows that it was trained on from {found.others:,} others with "
        f"AUC {found.auc.value:.3f} [{low:.3f}, {high:.3f}] (.5: not at all)"
        + (f"; a Gaussian that knows neither: {found.control.value:.3f}. " if told else ". ")
        + TRAINED_ON[sanitizer.flow_training]
    )
    severity: Severity = "warning" if told and sanitizer.flow_training != "public" else "info"
    code = "flow_remembers" if told else "flow_membership"
    return found, [Finding(code=code, severity=severity, text=text)]


def _array(features: pa.Table) -> np.ndarray:
    return np.column_stack([column.to_numpy() for column in features.columns])


EXPOSURE = "exposure.parquet"
BEHIND = "representation behind the table (not shared)"


def audit_run(
    job: Job,
    features: pa.Table,
    sanitizer: Sanitizer | None,
    exposure: Path,
    log: Callable[[str], None],
    whole: Job | None = None,
    counted: tuple[Guarantee, float | None] | None = None,
) -> AuditRecord:
    """Audit the release of a run.

    Parameters
    ----------
    job : Job
        The request with its data.
    features : pyarrow.Table
        Sanitised features of every row.
    sanitizer : Sanitizer or None
        The fitted one, with its key; None of a cross-fitted release, which came from several.
    exposure : Path
        Where what was learned about single records is written.
    log : callable
        Called with one line per step.
    whole : Job, optional
        About all rows, where not all are released.
    counted : tuple, optional
        What `counted_guarantee` says of releases that are entered in a ledger.
    """
    request, roles, table = job.request, job.roles, job.table
    original = table.select(list(roles.features))
    recipient = Recipient(utility_in_release=bool(roles.utility) and not request.drop_utility)
    context = Context(exposure=lambda found: write_table(exposure, found), splits_source=job.parts.source, planned=True)
    if sanitizer is not None:
        unseen = features_of(table.take(job.parts.audit_rows), roles)
        context = replace(context, drift=drift_of(sanitizer, unseen), whose="the audit part", folds=folds_for(job))
    if sanitizer is not None and sanitizer.fresh_noise:
        log("training on the release and on no record at all")
        worth, notes = without_records(job, features, sanitizer)
        told, more = flow_membership(whole or job, sanitizer)
        guarantee, row_epsilon = counted or (sanitizer.guarantee(), None)
        promise = Promise(guarantee, row_epsilon, named=roles.names_records is not None)
        recipient = replace(recipient, latent=latents_of(job, features, sanitizer))
        context = replace(context, transfer=worth, flow_membership=told, promise=promise, findings=(*notes, *more))
    elif sanitizer is not None:
        known = possess(sanitizer, features, original, request.effort, redraws=False)
        made = behind(sanitizer, features_of(table, roles))
        recipient = replace(recipient, latent=known.latent, hypothetical=made, behind=BEHIND)
    log(f"auditing with effort {request.effort}")
    return audit_release(
        assemble(features, table, roles, drop_utility=request.drop_utility),
        sensitive_features=job.attributes if len(job.attributes) else None,
        utility=job.useful if len(job.useful) else None,
        groups=job.groups,
        original=original,
        fit_rows=job.parts.fit if job.parts.fold is None else None,
        makers=job.parts.fold,
        budget=job.budgets,
        effort=request.effort,
        attackers=request.attackers,
        random_state=request.seed,
        level=LEVEL,
        progress=log,
        recipient=recipient,
        context=context,
    )


def behind(sanitizer: Sanitizer, inputs: object) -> dict[str, pa.Table]:
    """Return the representation that a table was made from; nothing where the representation itself is released."""
    return {BEHIND: latent_table(sanitizer.represent(inputs))} if sanitizer.output_ == "table" else {}
