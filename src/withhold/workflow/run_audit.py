"""The audit inside a run, and what it adds for releases under differential privacy."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.audit.kept.images import compare_images
from withhold.audit.kept.transfer import transfer
from withhold.audit.people.likelihood import likelihood_membership
from withhold.audit.people.linkage import link
from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.differential_privacy import rounded_up
from withhold.contracts.finding import Finding, Severity
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.images import image_column
from withhold.contracts.seeds import stream
from withhold.data.attributes import Attributes
from withhold.io.tables import write_table
from withhold.methods.estimator.drift import drift_of
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.job import Job
from withhold.workflow.recipient import latent_table, possess, with_drift, with_latent_linkage
from withhold.workflow.release import as_table, assemble, features_of
from withhold.workflow.request import declared
from withhold.workflow.source import read_utility

# Rows of each part whose likelihood is looked at.
ASKED = 2_000
TRAINED_ON = {
    "public": "These rows are public or not released, by declaration; as far as this goes, a copy of the sanitiser "
    "tells whose rows they were.",
    "same-data": "These records are released: who has the sanitiser learns it of them, beside what the release tells.",
}
# A control that is as good to this much shows no use of the records.
SAME = 0.01
# What an attribute with two values holds at most, in nats.
YES_OR_NO = math.log(2)


def with_no_record(
    record: AuditRecord, job: Job, features: pa.Table, sanitizer: Sanitizer, utility: Attributes
) -> AuditRecord:
    """Add what a model trained on the release, or on no record at all, is worth on originals.

    Parameters
    ----------
    record : AuditRecord
    job : Job
        About the released rows.
    features : pyarrow.Table
        The release of each.
    sanitizer : CADP
        Fitted.
    utility : Attributes
        As they are released.
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
    found, notes = dict(record.utility), list(record.findings)
    for attribute in utility:
        if attribute.name not in found:
            continue
        asked = job.request
        result = transfer(
            attribute, original, features, control, groups=job.groups, effort=asked.effort, seed=asked.seed
        )
        found[attribute.name] = found[attribute.name].model_copy(update={"transfer": result})
        if result is not None and result.no_record is not None and result.release < result.no_record + SAME:
            text = (
                f"Trained on the release, '{attribute.name}' of originals is predicted with {result.release:.3f}; "
                f"trained on what the generator makes without any record, with {result.no_record:.3f}: the released "
                "records themselves add nothing to it."
            )
            notes.append(Finding(code="no_more_than_no_record", severity="warning", text=text))
    return record.model_copy(update={"utility": found, "findings": notes})


def with_latents(record: AuditRecord, job: Job, features: pa.Table, sanitizer: Sanitizer) -> AuditRecord:
    """Add how often a release finds its original among latents, which is where the noise was added."""
    classes = job.table.select([job.roles.utility[0]]) if job.roles.utility else None
    before = latent_table(sanitizer.latents(features_of(job.table, job.roles), classes, kept=True))
    as_released = (
        features if sanitizer.codec_ is not None or sanitizer.encoding_.image is not None else _array(features)
    )
    after = latent_table(sanitizer.latents(as_released, classes, kept=True))
    found = link(before, after, groups=job.groups, seed=job.request.seed, level=record.level)
    return (
        record if found is None else record.model_copy(update={"linkage": {**(record.linkage or {}), "latent": found}})
    )


def with_flow_membership(record: AuditRecord, job: Job, sanitizer: Sanitizer) -> AuditRecord:
    """Add whether the flow's likelihood tells the rows that it was trained on from the others.

    Parameters
    ----------
    record : AuditRecord
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
        level=record.level,
    )
    if found is None:
        return record
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
    notes = [*record.findings, Finding(code=code, severity=severity, text=text)]
    return record.model_copy(update={"flow_membership": found, "findings": notes})


def with_promise(
    record: AuditRecord, guarantee: Guarantee, row_epsilon: float | None = None, named: bool = True
) -> AuditRecord:
    """Say what holds against any attacker, and claim it where that is what the record is about.

    Parameters
    ----------
    record : AuditRecord
    guarantee : Guarantee
        Of everything that is released of one person: see `withhold.workflow.private_release.counted_guarantee`.
    row_epsilon : float, optional
        What one release of one row costs, if that is less.
    named : bool
        Whether a column names persons in the ledger.

    Outputs for two records are at most epsilon apart in log-probability, so that of any attribute of the record no more
    than epsilon tanh(epsilon / 2) nats are told beyond what is released beside it, and never more than it holds.
    """
    terms = guarantee.privacy
    if terms is None:
        return record
    update: dict[str, Any] = {} if record.sensitive else {"claim": "any_attacker", "statement": guarantee.claim}
    notes, epsilon = list(record.findings), rounded_up(terms.epsilon, 4)
    one, counted = ("a person", "") if named else ("a record", " (without --key rows of equal values count as one)")
    if row_epsilon is not None:
        again = (
            f"One row in one release costs epsilon {rounded_up(row_epsilon, 4)}, but some records of this ledger were "
            f"released before or stand in a release more than once{counted}: together they have cost up to epsilon "
            f"{epsilon}, and that is what holds for them."
        )
        notes.append(Finding(code="released_again", severity="critical" if named else "warning", text=again))
        update |= {} if record.sensitive else {"statement": f"{again} {guarantee.claim}"}
    if terms.notion == "pure":
        most = terms.epsilon * math.tanh(terms.epsilon / 2)
        held = {  # of a number H(S) hangs on the bins
            name: result.entropy
            for name, result in record.sensitive.items()
            if name != "joint" and result.conditional_entropy_ratio is not None
        }
        whole = [name for name, entropy in held.items() if entropy <= most]
        vacuous = bool(whole) if held else most > YES_OR_NO
        told = ", ".join(f"{rounded_up(min(most, entropy), 3)} nat about '{name}'" for name, entropy in held.items())
        beyond = f"what is released beside it{f' ({told})' if told else ''}"
        over = ", over all rows and releases in the ledger" if row_epsilon is not None else ""
        text = (
            f"No attacker whatever learns more than {rounded_up(most, 3)} nat about any attribute of {one} beyond "
            f"{beyond}: differential privacy with epsilon {epsilon}{over}, if its assumptions hold. "
        )
        if vacuous:
            what = " and ".join(f"'{name}'" for name in whole) or "an attribute with two values"
            text += f"That is as much as there is to learn about {what}: it is not protected. "
        if not named:
            text += "A person with several rows that differ is protected less: name persons with --key COL. "
        text += "Later releases, and those that the ledger does not know, add to it."
        severity: Severity = "warning" if vacuous else "info"
        notes.append(Finding(code="bounded_for_any_attacker", severity=severity, text=text))
    return record.model_copy(update={**update, "findings": notes})


def _array(features: pa.Table) -> np.ndarray:
    return np.column_stack([column.to_numpy() for column in features.columns])


EXPOSURE = "exposure.parquet"
BEHIND = "representation behind the table (not shared)"


def audit_run(
    job: Job,
    features: pa.Table,
    sanitizer: Sanitizer,
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
    sanitizer : Sanitizer
        The fitted one, with its key.
    exposure : Path
        Where what was learned about single records is written.
    log : callable
        Called with one line per step.
    whole : Job, optional
        About all rows, where not all are released.
    counted : tuple, optional
        What `counted_guarantee` says of releases that are entered in a ledger.

    Returns
    -------
    AuditRecord
    """
    request, roles, table = job.request, job.roles, job.table
    log(f"auditing with effort {request.effort}")
    original, afresh = table.select(list(roles.features)), sanitizer.fresh_noise
    record: AuditRecord = audit_release(
        assemble(features, table, roles, drop_utility=True),  # U is given apart
        sensitive_features=table.select(list(roles.sensitive)) if roles.sensitive else None,
        utility=table.select(list(roles.utility)) if roles.utility else None,
        groups=job.groups,
        original=original,
        fit_rows=job.parts.fit,
        sensitive_kinds=declared(request.kinds, (*request.sensitive, *request.utility)),
        budget=job.budgets,
        effort=request.effort,
        attackers=request.attackers,
        utility_in_release=bool(roles.utility) and not request.drop_utility,
        hypothetical={} if afresh else behind(sanitizer, features_of(table, roles)),
        alignment="given",
        exposure=lambda found: write_table(exposure, found),
        splits_source=job.parts.source,
        random_state=request.seed,
        progress=log,
    )
    utility = read_utility(table, roles.utility, request.kinds)
    if afresh:
        log("training on the release and on no record at all")
        record = with_latents(with_no_record(record, job, features, sanitizer, utility), job, features, sanitizer)
        record = with_flow_membership(record, whole or job, sanitizer)
        guarantee, row_epsilon = counted or (sanitizer.guarantee(), None)
        record = with_promise(record, guarantee, row_epsilon, named=roles.names_records is not None)
    else:
        known = possess(sanitizer, features, original, request.effort, redraws=False)
        record = with_table_check(with_latent_linkage(record, known, job.groups, request.seed))
    averages = compare_images(features, original, (*job.attributes, *utility), job.groups)
    record = record.model_copy(update={"images": averages})
    unseen = table.take(job.parts.audit_rows)
    return with_drift(record, drift_of(sanitizer, features_of(unseen, roles)), "the audit part")


def behind(sanitizer: Sanitizer, inputs: object) -> dict[str, pa.Table]:
    """Return the representation that a table was made from; nothing where the representation itself is released."""
    return {BEHIND: latent_table(sanitizer.represent(inputs))} if sanitizer.output_ == "table" else {}


def with_table_check(record: AuditRecord) -> AuditRecord:
    """Say so where more was found in a table than in what it was made from, or much less.

    A table is made from the representation alone, so it cannot tell more: if it seems to, the attackers missed it there
    or a decoder had learned its rows by heart. If it seems to tell less, a stronger attacker could still find in the
    table what is found in the representation.
    """
    findings: list[Finding] = []
    for name, result in record.sensitive.items():
        inside = result.hypothetical.get(BEHIND)
        if inside is None or inside.low is None or inside.high is None:
            continue
        table = result.leakage_total
        if table.low is not None and table.low > inside.high:
            text = (
                f"More was found about '{name}' in the table ({table.value:.3f} nat) than in the representation it was "
                f"made from ({inside.value:.3f} nat), which cannot be: the attackers missed it there, or the decoder "
                "had learned rows by heart."
            )
            findings.append(Finding(code="table_tells_more", severity="warning", text=text))
        budget = record.budget_of(name)
        if budget is not None and inside.low > budget and result.verdict == "pass":
            text = (
                f"The representation behind the table tells more about '{name}' ({inside.value:.3f} nat) than the "
                f"budget allows. It is not shared; of the table no attacker can learn more than that."
            )
            findings.append(Finding(code="representation_tells_more", severity="warning", text=text))
    return record.model_copy(update={"findings": [*record.findings, *findings]})
