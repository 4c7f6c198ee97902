"""The main job: one table in; release, sanitiser, audit and report out."""

import math
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.contracts.images import image_names
from withhold.contracts.run_record import Landing, MethodSummary, RunRecord
from withhold.contracts.shareable import shareable
from withhold.contracts.timetable import begin
from withhold.data.arrow_types import encoded_again
from withhold.io.atomic import write_text
from withhold.io.image_writer import fits_png
from withhold.io.tables import digest, read_table, write_table
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.loading import restore
from withhold.privacy.ledger import LedgerKey, ReleaseLedger
from withhold.privacy.noise_key import NoiseKey
from withhold.report.page import render
from withhold.workflow.bounds import BINS, BUDGETS, bounds_of
from withhold.workflow.choice import method_class
from withhold.workflow.choosing.remembered import command_again, with_method
from withhold.workflow.cross_fit import artifact_name, fit_folds, refuse_obstacle
from withhold.workflow.early import stop_early
from withhold.workflow.folder import (
    ASKED,
    FITTED,
    OutputFolder,
    cannot_write,
    refuse_finished,
    refuse_same,
)
from withhold.workflow.foretold import say_columns, say_subjects
from withhold.workflow.job import Job, prepare
from withhold.workflow.manifest import keyed, private_manifest, read_run, shared_manifest
from withhold.workflow.order import ORDER, in_order, release_order
from withhold.workflow.parts import splits_table
from withhold.workflow.plan_costs import BOUNDS, FITTING, expect_run
from withhold.workflow.private_release import (
    PRIVATE_FILES,
    counted_guarantee,
    fit_and_release_afresh,
    ledger_place,
    narrowed,
)
from withhold.workflow.release import assemble, features_of, fit_and_release, unfitted
from withhold.workflow.request import Request
from withhold.workflow.roles import say_row_labels
from withhold.workflow.rooms import LEDGER, LEDGER_KEY, MANIFEST
from withhold.workflow.run_audit import EXPOSURE, audit_run
from withhold.workflow.samples import SAMPLES, samples_of
from withhold.workflow.settings import aim_told
from withhold.workflow.source import FOLDER, say_left_out

Log = Callable[[str], None]
# What lies in the private folder already, by role: a ledger of releases is not among what is put there at the end.
LEDGER_FILES = {"ledger": LEDGER, "ledger_key": LEDGER_KEY}
# The curve of more combinations of S and U takes longer than the rest of a run.
MOST_CELLS = 200


def silent(text: str) -> None:
    """Say nothing: the default of `log`."""


def run(
    data: Path | str,
    *,
    sensitive: Sequence[str],
    out: Path | str,
    overwrite: bool = False,
    resume: bool = False,
    anyway: bool = False,
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
        Folder for `private/`, which stays, and for the results: `share/`, which may be sent, where the audit passed,
        else `candidate/`, which waits for `withhold approve`.
    overwrite, resume : bool
        Replace earlier results; continue an interrupted run.
    anyway : bool
        Go on although it is foretold that no verdict within the budget can come out.
    log : callable
        Called with one line per step.
    **options
        The fields of `withhold.workflow.request.Request`.
    """
    listed = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    request = Request(data=Path(data), sensitive=tuple(sensitive), **listed)  # type: ignore[arg-type]
    return run_request(request, Path(out), overwrite=overwrite, resume=resume, anyway=anyway, log=log)


def run_request(
    request: Request,
    out: Path,
    *,
    overwrite: bool = False,
    resume: bool = False,
    anyway: bool = False,
    log: Log = silent,
) -> RunRecord:
    """Do what `run` does, from a request; `out`, `overwrite` and the others are as there."""
    unfitted(request)  # a wrong option is found before any file is read
    refuse_same(out, {"the data": request.data, "the test data": request.test, "the table of labels": request.labels})
    refuse_finished(out, overwrite or resume)
    job = prepare(request, log)
    refuse_obstacle(job)
    say_left_out(request.data, request.labels, log, request.reading)
    say_row_labels(job.table, job.roles, log)
    if job.groups is None:
        say_subjects(job.table, job.roles, log)
    expect_run(job)
    if not (anyway or resume):
        begin("checking")
        stop_early(job, log, out, overwrite)
    with OutputFolder(out, overwrite=overwrite, resume=resume) as folder:
        asked = {**request.fingerprint(), "digest": job.digest, "version": version("withhold")}
        before = folder.recall(ASKED)
        if before is not None:
            _same_request(before, asked)
        elif resume and folder.whole:
            folder.discard()
            record, finished = read_run(out)
            _same_request(finished, asked)
            log("this run is already complete; nothing was done")
            return record
        try:
            record = _work(job, folder, asked, log)
        except FileError:
            raise
        except OSError as error:
            raise cannot_write(out, error) from error
        except Exception:
            if folder.recall(FITTED) is None:  # nothing that a second attempt could use
                folder.discard()
            raise
    if record.choice is not None:
        again = command_again(request, record.choice, out, anyway)
        if told := aim_told(again):
            log(told)
        log(f"to fit the chosen method again: {shlex.join(again)}")
    return record


def _work(job: Job, folder: OutputFolder, asked: dict[str, object], log: Log) -> RunRecord:
    folder.remember(ASKED, asked)
    job, choice = with_method(job, folder, log)
    features, method, noise = _released(job, folder, log)
    whole, (job, features) = job, narrowed(job, features)
    rows = np.arange(job.table.num_rows) if len(job.parts.fit) == len(whole.parts.fit) else whole.parts.audit_rows
    if not job.request.keep_order:
        # Only what is released is shuffled: the fit does not hang on a draw that nobody can repeat.
        order = release_order(folder.private / ORDER, job.table.num_rows)
        rows, (job, features) = rows[order], in_order(job, features, order)
    ledger, sanitizer = _ledger(job, folder), None if job.parts.fold is not None else _sanitizer(folder)
    counted = None if ledger is None or sanitizer is None else counted_guarantee(sanitizer, job, ledger)
    audit = audit_run(job, features, sanitizer, folder.private / EXPOSURE, log, whole, counted)
    possible = _possible(job, log)
    if counted is not None:
        method = method.model_copy(update={"guarantee": counted[0]})
    public, secret = keyed(job.digest)
    record = RunRecord(
        version=version("withhold"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        data=job.summary.model_copy(update={"digest": public}),
        method=method,
        choice=choice,
        audit=audit,
        noise=noise,
        possible=possible,
        landed=landing(audit, possible),
    )
    results = folder.results(record.cleared)
    record, digests = _written(record, job, features, folder, results, rows)
    private = {role: name for role, name in record.files.items() if name.startswith("private/")}
    data = {"name": job.name, "digest": job.digest, "digest_key": secret}
    write_text(results / MANIFEST, shared_manifest(record))
    digests["manifest"] = digest(results / MANIFEST)
    write_text(folder.private / MANIFEST, private_manifest(private, digests, data, asked))
    folder.publish()
    log(f"wrote {folder.path}")
    if foreign := folder.foreign():
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        log(
            f"{folder.path} also holds {', '.join(map(repr, foreign[:3]))}{more}, which withhold did not write: move "
            "that away before you send the folder"
        )
    return record


def _possible(job: Job, log: Log) -> BoundsRecord | None:
    """Say what any release of these columns must lose, where U is given and X is a table."""
    features = job.table.select(list(job.roles.features))
    if not job.roles.utility or not job.roles.sensitive or image_names(features):
        return None
    cells = math.prod(max(attribute.n_classes, BINS) for attribute in (*job.attributes, *job.useful))
    if cells > MOST_CELLS:
        log(f"bounds are not computed for {cells:,} combinations of S and U")
        return None
    budgets = None if job.together is None else sorted({*BUDGETS, job.together})
    begin(BOUNDS)
    log(BOUNDS)
    return bounds_of(features, job.attributes, job.useful, budgets, seed=job.request.seed)


def landing(audit: AuditRecord, possible: BoundsRecord | None) -> Landing | None:
    """Return what this release leaks and loses, where the audit measured both for the attributes of the bounds."""
    if possible is None or len(possible.sensitive) > 1 or possible.sensitive[0] not in audit.sensitive:
        return None
    implied = audit.implied.get(possible.sensitive[0])
    if implied is None or [implied.utility] != possible.utility:
        return None
    lost = max(0.0, possible.mutual_information["u_x"] - implied.kept.value)
    return Landing(leaked=audit.sensitive[possible.sensitive[0]].leakage_total.value, lost=lost)


def _released(job: Job, folder: OutputFolder, log: Log) -> tuple[pa.Table, MethodSummary, str]:
    """Return the sanitised features of every row: from an interrupted run where it got that far, else made now."""
    if job.parts.fold is not None:
        return fit_folds(job, _key(job.request, folder), folder, log)
    artifact, features_path = folder.private / "sanitizer.withhold", folder.private / "features.arrow"
    done = folder.recall(FITTED)
    if done is not None and artifact.exists() and features_path.exists():
        restore(artifact)  # a damaged file is found here
        log("continuing with the sanitiser of the interrupted run")
        return read_table(features_path), MethodSummary.model_validate(done["method"]), str(done["noise"])
    known = features_of(job.table.take(job.parts.fit_rows), job.roles)
    say_columns(known, unfitted(job.request, None, job.budget), log)
    begin(FITTING)
    log(f"fitting {job.request.method} on {len(job.parts.fit_rows):,} of {job.table.num_rows:,} rows")
    if method_class(job.request.method).fresh_noise:
        sanitizer = unfitted(job.request, None, job.budget)
        fitted = fit_and_release_afresh(sanitizer, job, folder.private, folder.path / "private", log)
        log(f"released {fitted.features.num_rows:,} of {job.table.num_rows:,} rows and entered them in the ledger")
    else:
        sanitizer = unfitted(job.request, _key(job.request, folder), job.budget)
        fitted = fit_and_release(sanitizer, job.request, job.roles, job.table, job.parts, job.groups)
    sanitizer.save(artifact)
    write_table(features_path, fitted.features)
    noise = sanitizer.noise_note_
    folder.remember(FITTED, {"method": fitted.summary.model_dump(mode="json"), "noise": noise})
    return fitted.features, fitted.summary, noise


def _sanitizer(folder: OutputFolder) -> Sanitizer:
    """Return the fitted sanitiser as a reader of the output would load it, with its key."""
    key = folder.private / "key"
    return restore(folder.private / "sanitizer.withhold", noise_key=NoiseKey.from_file(key) if key.exists() else None)


def _key(request: Request, folder: OutputFolder) -> NoiseKey:
    """Return the secret of the release noise: the user's, that of earlier results here, or a new one.

    A second release of the same records under another key would be a second draw, and draws can be averaged.
    """
    known = [path for path in (folder.private / "key", folder.path / "private" / "key") if path.exists()]
    paths = known if request.noise_key is None else [request.noise_key]
    key = NoiseKey.from_file(paths[0]) if paths else NoiseKey.generate()
    key.save(folder.private / "key", overwrite=True)
    return key


def _ledger(job: Job, folder: OutputFolder) -> ReleaseLedger | None:
    """Return where the releases of a method that counts them were entered."""
    if not method_class(job.request.method).fresh_noise:
        return None
    ledger, key = ledger_place(folder.path / "private", job.request.noise_key)
    return ReleaseLedger(ledger, LedgerKey.from_file(key))


def _written(
    record: RunRecord, job: Job, features: pa.Table, folder: OutputFolder, results: Path, rows: np.ndarray
) -> tuple[RunRecord, dict[str, str]]:
    """Write the files of the result; return the record with their names and shared digests, and the digests of all."""
    release = assemble(features, job.table, job.roles, drop_utility=job.request.drop_utility)
    # What a method makes of a folder of images may be no images, and PNG files hold 8 bits.
    suffix = job.suffix if job.suffix != FOLDER or fits_png(release.schema) else ".npz"
    files = {
        "release": results / f"release{suffix}",
        "audit": results / "audit.json",
        "whole_audit": folder.private / "audit.json",
        "splits": folder.private / "splits.parquet",
        "exposure": folder.private / EXPOSURE,
        **{name: folder.private / file for name, file in PRIVATE_FILES.items() if (folder.private / file).exists()},
    }
    if job.parts.fold is None:
        files["sanitizer"] = folder.private / "sanitizer.withhold"
    else:
        of = job.parts.fits
        files |= {f"sanitizer_{number + 1}": folder.private / artifact_name(number, of) for number in range(of)}
    samples = None if job.parts.fold is not None else samples_of(job, features, _sanitizer(folder))
    if samples is not None:
        files["samples"] = folder.private / SAMPLES
        write_text(files["samples"], samples)
    write_table(files["release"], encoded_again(release), array=job.request.array or "x", reading=job.reading)
    write_table(files["splits"], splits_table(job.parts, rows))
    sent = f"sha256:{digest(files['release'])}"
    about = {"title": job.request.title, "created": record.created, "release": sent}
    record = record.model_copy(update={"audit": record.audit.model_copy(update=about)})
    write_text(files["audit"], shareable(record.audit).model_dump_json(indent=2))
    write_text(files["whole_audit"], record.audit.model_dump_json(indent=2))
    known = {role: digest(path) for role, path in files.items()}
    # Of a file that stays a digest would tell: who knows all it holds but one value could try that one out.
    shown = {role: known[role] for role, path in files.items() if path.parent == results}
    files |= {
        "report": results / "report.html",
        "manifest": results / MANIFEST,
        **({"key": folder.private / "key"} if (folder.private / "key").exists() else {}),
    }
    names = {role: path.relative_to(folder.staging).as_posix() for role, path in files.items()}
    ledger = _ledger(job, folder)
    if ledger is not None and ledger.path == folder.path / "private" / LEDGER:
        names |= {role: f"private/{name}" for role, name in LEDGER_FILES.items()}
    record = record.model_copy(update={"files": names, "digests": shown})
    write_text(files["report"], render(record))
    for made in folder.private.glob("features*.arrow"):
        made.unlink()
    # The page cannot hold its own digest; the manifest does.
    page = {"report": digest(files["report"])}
    return record.model_copy(update={"digests": {**shown, **page}}), {**known, **page}


def _same_request(before: dict[str, object], now: dict[str, object]) -> None:
    changed = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    if changed:
        shown = ", ".join(f"{name}: {before.get(name)!r} then, {now.get(name)!r} now" for name in changed[:3])
        raise InvalidParameterError(
            f"The interrupted run was of other data or options ({shown}). Repeat its options, or pass --overwrite to "
            "start again."
        )
