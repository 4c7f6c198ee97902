"""The main job: one table in; release, sanitiser, audit and report out."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa

from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.errors import InvalidParameterError, WithholdError, sentence
from withhold.contracts.run_record import DataSummary, MethodSummary, RunRecord
from withhold.data.attributes import Attributes
from withhold.io.atomic import write_text
from withhold.io.tables import digest, read_table, write_table
from withhold.methods.loading import load
from withhold.privacy.noise_key import NoiseKey
from withhold.report.page import render
from withhold.workflow.advantage import budget_in_nats
from withhold.workflow.folder import OutputFolder, cannot_write
from withhold.workflow.manifest import manifest_of, read_run
from withhold.workflow.parts import Parts, checked, draw_parts, parts_by_column, splits_table
from withhold.workflow.release import assemble, fit_and_release, unfitted
from withhold.workflow.request import Request
from withhold.workflow.roles import Roles, assign
from withhold.workflow.source import Source, group_codes, read_source, sensitive_attributes, with_test_file

Log = Callable[[str], None]


def silent(text: str) -> None:
    """Say nothing: the default of `log`."""


def run(
    data: Path | str,
    *,
    sensitive: Sequence[str],
    out: Path | str,
    overwrite: bool = False,
    resume: bool = False,
    log: Log = silent,
    **options: object,
) -> RunRecord:
    """Fit a method, release every row, audit the release and write the report.

    Parameters
    ----------
    data : path
        The table.
    sensitive : sequence of str
        Columns to hide.
    out : path
        Folder for `share/`, which may be sent, and `private/`, which stays.
    overwrite, resume : bool
        Replace earlier results; continue an interrupted run.
    log : callable
        Called with one line per step.
    **options
        The fields of `withhold.workflow.request.Request`.

    Returns
    -------
    RunRecord
    """
    listed = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    return run_request(
        Request(data=Path(data), sensitive=tuple(sensitive), **listed),  # type: ignore[arg-type]
        Path(out),
        overwrite=overwrite,
        resume=resume,
        log=log,
    )


def run_request(
    request: Request, out: Path, *, overwrite: bool = False, resume: bool = False, log: Log = silent
) -> RunRecord:
    """Do what `run` does, from a request."""
    unfitted(request)  # a wrong option is found before any file is read
    source, fit = _read(request)
    roles = _assign(request, source)
    attributes = sensitive_attributes(source.table, roles.sensitive, request.kinds)
    groups = group_codes(source.table, roles.groups)
    parts = _divide(request, source, attributes, groups, fit)
    folder = OutputFolder(out, overwrite=overwrite, resume=resume)
    asked = {**request.fingerprint(), "digest": source.digest, "version": version("withhold")}
    if resume and folder.whole and folder.recall("request.json") is None:
        record, before = read_run(out / "share")
        _same_request(before, asked)
        folder.discard()
        log("this run is already complete; nothing was done")
        return record
    try:
        return _work(request, source, roles, attributes, groups, parts, folder, asked, log)
    except WithholdError:
        raise
    except OSError as error:
        raise cannot_write(out, error) from error


def _work(
    request: Request,
    source: Source,
    roles: Roles,
    attributes: Attributes,
    groups: np.ndarray | None,
    parts: Parts,
    folder: OutputFolder,
    asked: dict[str, object],
    log: Log,
) -> RunRecord:
    before = folder.recall("request.json")
    if before is not None:
        _same_request(before, asked)
    folder.remember("request.json", asked)
    release_path = folder.share / f"release{source.suffix}"
    features, method, noise = _released(request, source, roles, parts, groups, folder, log)
    release = assemble(features, source.table, roles, drop_utility=request.drop_utility)
    write_table(release_path, release, array=request.array or "x")
    audit = _audit(request, source, roles, attributes, groups, parts, features, log)
    record = RunRecord(
        version=version("withhold"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        data=DataSummary(
            name=source.name,
            rows=source.table.num_rows,
            columns=source.table.num_columns,
            digest=source.digest,
            sensitive=list(roles.sensitive),
            utility=list(roles.utility),
            groups=roles.groups,
            dropped=list(roles.dropped),
        ),
        method=method,
        audit=audit,
        noise=noise,
    )
    record = _written(record, folder, release_path, parts)
    write_text(folder.share / "manifest.json", manifest_of(record, asked))
    folder.publish()
    log(f"wrote {folder.path}")
    return record


def _read(request: Request) -> tuple[Source, np.ndarray | None]:
    source = read_source(request.data, request.array)
    if request.test is None:
        return source, None
    return with_test_file(source, read_source(request.test, request.array))


def _assign(request: Request, source: Source) -> Roles:
    return assign(
        source.table.column_names,
        source.name,
        sensitive=request.sensitive,
        utility=request.utility,
        groups=request.groups,
        split=request.split,
        drop=request.drop,
        keep=request.keep,
    )


def _divide(
    request: Request, source: Source, attributes: Attributes, groups: np.ndarray | None, fit: np.ndarray | None
) -> Parts:
    if fit is not None:
        return checked(Parts(fit, "test_file"))
    if request.split is not None:
        return parts_by_column(source.table.column(request.split), request.split)
    return draw_parts(attributes, groups, source.table.num_rows, request.seed)


def _released(
    request: Request,
    source: Source,
    roles: Roles,
    parts: Parts,
    groups: np.ndarray | None,
    folder: OutputFolder,
    log: Log,
) -> tuple[pa.Table, MethodSummary, str]:
    """Return the sanitised features of every row: from an interrupted run where it got that far, else made now."""
    artifact, features_path = folder.private / "sanitizer.withhold", folder.private / "features.parquet"
    done = folder.recall("fitted.json")
    if done is not None and artifact.exists() and features_path.exists():
        load(artifact)  # a damaged file is found here
        log("continuing with the sanitiser of the interrupted run")
        return read_table(features_path), MethodSummary.model_validate(done["method"]), str(done["noise"])
    key = _key(request, folder)
    log(f"fitting {request.method} on {len(parts.fit_rows):,} of {source.table.num_rows:,} rows")
    fitted = fit_and_release(unfitted(request, key), request, roles, source.table, parts, groups)
    fitted.sanitizer.save(artifact)
    write_table(features_path, fitted.features)
    noise = fitted.sanitizer.noise_note_
    folder.remember("fitted.json", {"method": fitted.summary.model_dump(mode="json"), "noise": noise})
    return fitted.features, fitted.summary, noise


def _key(request: Request, folder: OutputFolder) -> NoiseKey:
    """Return the secret of the release noise: the user's, that of earlier results here, or a new one.

    A second release of the same records under another key would be a second draw, and draws can be averaged.
    """
    given = [path for path in (request.noise_key,) if path is not None]
    known = [path for path in (folder.private / "key", folder.path / "private" / "key") if path.exists()]
    paths = given or known
    key = NoiseKey.from_file(paths[0]) if paths else NoiseKey.generate()
    key.save(folder.private / "key", overwrite=True)
    return key


def _audit(
    request: Request,
    source: Source,
    roles: Roles,
    attributes: Attributes,
    groups: np.ndarray | None,
    parts: Parts,
    features: pa.Table,
    log: Log,
) -> AuditRecord:
    log(f"auditing with effort {request.effort}")
    table = source.table
    attacked = assemble(
        features, table, roles, drop_utility=True
    )  # U is given apart: the audit judges with and without
    record: AuditRecord = audit_release(
        attacked,
        sensitive_features=table.select(list(roles.sensitive)),
        utility=table.select(list(roles.utility)) if roles.utility else None,
        groups=groups,
        original=table.select(list(roles.features)),
        fit_rows=parts.fit,
        sensitive_kinds=request.kinds or None,
        budget=budget_in_nats(request.budget, request.budget_advantage, attributes),
        effort=request.effort,
        attackers=request.attackers,
        utility_in_release=bool(roles.utility) and not request.drop_utility,
        alignment="given",
        splits_source=parts.source,
        random_state=request.seed,
        progress=log,
    )
    return record


def _written(record: RunRecord, folder: OutputFolder, release_path: Path, parts: Parts) -> RunRecord:
    """Write the files of the result and return the record with their names and digests."""
    write_table(folder.private / "splits.parquet", splits_table(parts))
    write_text(folder.share / "audit.json", record.audit.model_dump_json(indent=2))
    files = {
        "release": release_path,
        "audit": folder.share / "audit.json",
        "sanitizer": folder.private / "sanitizer.withhold",
        "splits": folder.private / "splits.parquet",
    }
    known = {role: digest(path) for role, path in files.items()}
    files |= {
        "report": folder.share / "report.html",
        "manifest": folder.share / "manifest.json",
        "key": folder.private / "key",
    }
    names = {role: str(path.relative_to(folder.staging)) for role, path in files.items()}
    record = record.model_copy(update={"files": names, "digests": known})
    write_text(files["report"], render(record))
    (folder.private / "features.parquet").unlink(missing_ok=True)
    os.chmod(files["key"], 0o600)
    # The page cannot hold its own digest; the manifest does.
    return record.model_copy(update={"digests": {**known, "report": digest(files["report"])}})


def _same_request(before: dict[str, object], now: dict[str, object]) -> None:
    changed = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    if changed:
        got = ", ".join(f"{name}: {before.get(name)!r} then, {now.get(name)!r} now" for name in changed[:3])
        why = "Only the same work on the same data can be continued."
        remedy = "Use the same options, or --overwrite to start again."
        raise InvalidParameterError(sentence("The interrupted run", "of the same data and options", got, why, remedy))
