"""Somebody's decision to share a release that no audit cleared: it moves from `candidate` to `share`, with the reason.

Nothing is made anew but the page and the two manifests, which say so. A kill at any moment leaves a plan that whoever
comes next carries out (`workflow.folder`), and a second approval of the same release changes nothing.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from withhold.contracts.errors import DataError, FileError, InvalidParameterError
from withhold.contracts.run_record import Approval, RunRecord
from withhold.contracts.wording import printable
from withhold.io.atomic import write_text
from withhold.io.tables import digest
from withhold.report.page import render
from withhold.workflow.folder import ASKED, MARKER, PLAN, OutputFolder, cannot_write
from withhold.workflow.manifest import private_manifest, read_private, read_run, shared_manifest
from withhold.workflow.rooms import CANDIDATE, MANIFEST, SHARE, results_of

# Of the command that a run prints.
PLACEHOLDER = "WHY"
# A reason stands on a page.
MOST_CHARACTERS = 1000
WHOLE = "whole_audit"


def approve(out: Path, because: str, log: Callable[[str], None] = lambda text: None) -> RunRecord:
    """Move a release into `share/` although its audit did not pass, and write down why.

    Parameters
    ----------
    out : Path
        The folder of a run.
    because : str
        The reason; it stands on the page and in the manifest that are shared.
    log : callable
        Called with one line per step.

    Returns
    -------
    RunRecord
        As it is shared. Of a release that passed, or was approved before, as it was.

    Raises
    ------
    InvalidParameterError
        Without a reason, or a folder in which nothing waits.
    DataError
        If a file is not the one that was audited.
    FileError
        If a run is at work there, or a file that is not ours is in the way.
    """
    reason = _checked(because)
    if not out.is_dir():
        raise FileError(f"Folder not found: {str(out)!r}.")
    if not (out / MARKER).exists():
        raise InvalidParameterError(f"{out} holds no finished run. Name the folder that `withhold run` wrote (--out).")
    with OutputFolder(out, resume=True) as folder:  # carries out what a killed approval left
        if folder.recall(ASKED) is not None:
            raise InvalidParameterError(_interrupted(out, folder.whole))
        try:
            return _approved(folder, reason, log)
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise cannot_write(out, error) from error
        finally:
            if folder.recall(PLAN) is None:  # else whoever comes next carries it out
                folder.discard()


def _interrupted(out: Path, whole: bool) -> str:
    """Return what is there after a run that was killed, and what to type."""
    there = (
        f"{out} holds a finished release, and a later run that was interrupted before it had one of its own."
        if whole
        else f"{out} holds a run that was interrupted before it had a release: there is nothing to approve yet."
    )
    return f"{there} Type the command of that run again, with --resume to go on or with --overwrite to start anew."


def _checked(because: str) -> str:
    """Return a reason as it is written down.

    Examples
    --------
    >>> _checked(" Known to the board. ")
    'Known to the board.'
    """
    reason = printable(because.strip())
    if not reason or len(reason) > MOST_CHARACTERS:
        got = f"{len(reason):,} characters" if reason else "nothing"
        raise InvalidParameterError(
            f"--because takes a reason of up to {MOST_CHARACTERS:,} characters (got {got}): it stands on the page."
        )
    if reason == PLACEHOLDER:
        raise InvalidParameterError(f"Write your own reason in place of {PLACEHOLDER}: it stands on the page.")
    return reason


def _approved(folder: OutputFolder, reason: str, log: Callable[[str], None]) -> RunRecord:
    room = results_of(folder.path)
    if room is None:
        raise InvalidParameterError(
            f"{folder.path} holds no finished run. Name the folder that `withhold run` wrote (--out)."
        )
    record, _ = read_run(folder.path)
    if room.name == SHARE and not record.cleared and record.approval is None:
        raise InvalidParameterError(
            f"{room} is of an earlier version of withhold, which put every release there: its audit did not pass. Run "
            "again with --overwrite, then approve."
        )
    if room.name == SHARE:
        why = "it was approved before" if record.approval is not None else "nothing had to be approved"
        log(f"{room} may be sent already: {why}; nothing was done")
        return record
    private = read_private(folder.path)
    _refuse_changed(folder.path, record, private["digests"])
    decided = datetime.now(UTC).isoformat(timespec="seconds")
    files = {role: name.replace(f"{CANDIDATE}/", f"{SHARE}/", 1) for role, name in record.files.items()}
    what = {None: "without a verdict", "pass": "against a critical finding"}
    said = f"approved {what.get(record.audit.verdict, 'against the verdict')}"
    approval = Approval(what=said, decided=decided, because=reason)
    record = record.model_copy(update={"approval": approval, "files": files})
    results = folder.results(cleared=True)
    # The page cannot hold its own digest; the manifest does.
    page = results / Path(files["report"]).name
    shown = {role: value for role, value in record.digests.items() if role != "report"}
    write_text(page, render(record.model_copy(update={"digests": shown})))
    record = record.model_copy(update={"digests": {**shown, "report": digest(page)}})
    write_text(results / MANIFEST, shared_manifest(record))
    digests = {**private["digests"], "report": digest(page), "manifest": digest(results / MANIFEST)}
    kept = {role: private[role] for role in ("files", "data", "request")}
    write_text(folder.private / MANIFEST, private_manifest(digests=digests, **kept))
    folder.promote()
    log(f"wrote {folder.path / SHARE}")
    if foreign := folder.foreign():
        log(f"{folder.path} also holds {foreign[0]!r}, which withhold did not write: move that away before you send it")
    return record


def _refuse_changed(path: Path, record: RunRecord, known: Mapping[str, Any]) -> None:
    """Refuse a candidate that is not, file for file, what was audited."""
    for role, name in record.files.items():
        if not name.startswith(f"{CANDIDATE}/") and role != WHOLE:  # which the page is made from
            continue
        place, told = path / name, {known.get(role), record.digests.get(role)} - {None}
        now = digest(place) if place.exists() else None
        if told != {now}:
            what = "is missing" if now is None else "is not the file that the run wrote"
            raise DataError(
                f"{place} {what}, so nobody audited what would be shared. Put it back, or run again with --overwrite."
            )
