"""The audit inside a run: the release, what it was decoded from, and the private part of what was found."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from withhold.audit.kept.image_means import compare_images
from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.io.tables import write_table
from withhold.methods.estimator.drift import drift_of
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.job import Job
from withhold.workflow.no_record import with_flow_membership, with_latents, with_no_record, with_promise
from withhold.workflow.possession import latent_table, possess, with_drift, with_latent_linkage
from withhold.workflow.private_release import draws_afresh
from withhold.workflow.release import assemble, features_of
from withhold.workflow.request import declared
from withhold.workflow.source import read_utility

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
    original, afresh = table.select(list(roles.features)), draws_afresh(sanitizer)
    record: AuditRecord = audit_release(
        assemble(features, table, roles, drop_utility=True),  # U is given apart
        sensitive_features=table.select(list(roles.sensitive)) if roles.sensitive else None,
        utility=table.select(list(roles.utility)) if roles.utility else None,
        groups=job.groups,
        original=original,
        fit_rows=job.parts.fit,
        sensitive_kinds=declared(request.kinds, (*request.sensitive, *request.utility)),
        budget=job.budget,
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
        if record.budget is not None and inside.low > record.budget and result.verdict == "pass":
            text = (
                f"The representation behind the table tells more about '{name}' ({inside.value:.3f} nat) than the "
                f"budget allows. It is not shared; of the table no attacker can learn more than that."
            )
            findings.append(Finding(code="representation_tells_more", severity="warning", text=text))
    return record.model_copy(update={"findings": [*record.findings, *findings]})
