"""Fitting a sanitiser on a whole file and saving it with its key."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from withhold.contracts.errors import WithholdError
from withhold.contracts.run_record import MethodSummary
from withhold.contracts.timetable import begin
from withhold.methods.catalogue import AUTO, DEFAULT
from withhold.methods.estimator.dropped import told_elsewhere
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.choice import method_class
from withhold.workflow.folder import cannot_write, refuse_existing, refuse_same
from withhold.workflow.foretold import say_columns, say_subjects
from withhold.workflow.job import roles_of
from withhold.workflow.plan_costs import FITTING, expect_fit
from withhold.workflow.private_release import ledger_in
from withhold.workflow.release import features_of, summary_of, unfitted, utility_for_fit
from withhold.workflow.request import Request
from withhold.workflow.roles import say_row_labels
from withhold.workflow.rooms import LEDGER_KEY
from withhold.workflow.source import (
    check_declared,
    group_codes,
    read_source,
    say_left_out,
    say_small_classes,
    sensitive_attributes,
)


def key_path(artifact: Path, counted: bool = False) -> Path:
    """Return where the secret of an artifact is looked for: beside it.

    Where releases are `counted`, it is that of the folder's ledger, one for all artifacts there: what a record costs
    adds up over them.

    Examples
    --------
    >>> key_path(Path("models/sex.withhold")).name
    'sex.key'
    """
    return artifact.with_name(LEDGER_KEY) if counted else artifact.with_suffix(".key")


def fit_file(
    request: Request, save: Path, *, overwrite: bool = False, log: Callable[[str], None] = lambda text: None
) -> MethodSummary:
    """Fit a method on every row of a file and save it.

    Parameters
    ----------
    request : Request
        The data, the columns and the method; what concerns the audit is not used.
    save : Path
        The artifact; its key goes beside it, readable by the owner only. A ledger's key that is there stays.
    overwrite : bool
        Replace existing files.
    log : callable
        Called with one line per step.
    """
    if request.method == AUTO:  # without an audit there is nothing to choose by
        request = replace(request, method=DEFAULT)
    counted = method_class(request.method).fresh_noise
    secret = key_path(save, counted)
    read = {"the data": request.data, "the table of labels": request.labels}
    refuse_same(save, {**read, "where the key is written": secret})
    refuse_same(secret, read)
    refuse_existing(save, overwrite)
    if not counted:
        if not overwrite:
            refuse_existing(secret, overwrite)
        NoiseKey.refuse_other(secret)
    unfitted(request)
    source = read_source(request.data, request.array, request.labels, reading=request.reading, log=log)
    check_declared(request.reading, source.table.column_names, source.name)
    say_left_out(request.data, request.labels, log, request.reading)
    roles = roles_of(request, source)
    say_row_labels(source.table, roles, log)
    say_small_classes(sensitive_attributes(source.table, roles.sensitive, request.kinds), log)
    groups = group_codes(source.table, roles.groups)
    if groups is None:
        say_subjects(source.table, roles, log)
    key = NoiseKey.generate()
    sanitizer = unfitted(request, None if counted else key, request.budgets.least)
    features = features_of(source.table, roles)
    said = say_columns(features, sanitizer, log)
    expect_fit(request.method, source.table.num_rows)
    begin(FITTING)
    log(f"fitting {request.method} on {source.table.num_rows:,} rows")
    with told_elsewhere():
        sanitizer.fit(
            features,
            utility_for_fit(request, source.table),
            sensitive_features=source.table.select(list(roles.sensitive)) if roles.sensitive else None,
            groups=groups,
        )
    try:
        if counted:
            ledger_in(save.parent, None)
        else:
            key.save(secret, overwrite=overwrite)
        sanitizer.save(save)
    except WithholdError:
        raise
    except OSError as error:
        raise cannot_write(save, error) from error
    for found in sanitizer.findings_:
        if found.severity != "info" and found.text not in said:
            log(f"{found.text} ({found.code})")
    log(f"wrote {save} and {secret.name}, which is secret")
    return summary_of(sanitizer)
