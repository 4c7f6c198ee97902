"""The output folder: everything is written beside the earlier results and put in their place at the end.

A folder is ours by a marker, which is written before any data. What of it is ours stands in two lists, the manifests
of `private` and of the results: nothing else there is moved, replaced or removed. One lock admits one run at a time.
A run that is killed leaves `DIR/.unfinished`, never half a result: once all is written, a plan is, and whoever comes
next carries out what is left of it. A result is whole when `DIR/share/manifest.json`, or that of `candidate`, exists,
which appears last.

The ledger of releases and the secret of the noise are no results: they stay in `DIR/private` from their first day on,
because other processes may enter releases at any time, and a second secret would be a second draw.
"""

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.contracts.wording import advice
from withhold.io.atomic import (
    TEMPORARY_PREFIX,
    held,
    not_a_folder,
    refuse_irreplaceable,
    remove_lock,
    sweep,
    write_text,
)
from withhold.io.image_writer import OWN
from withhold.workflow.rooms import (
    CANDIDATE,
    MANIFEST,
    MANIFESTS,
    PRIVATE,
    RESULTS,
    ROOMS,
    SHARE,
    document,
    files_in,
    in_a_room,
    listed,
    results_of,
    stays,
)

UNFINISHED = ".unfinished"
MARKER, LOCK = ".withhold", ".withhold.lock"
MARK = "withhold results 1: share/ may be sent, private/ stays\n"
# Notes that an interrupted run leaves for `--resume`, and what is left to do once all is written.
ASKED, TRIALS, CHOSEN, FITTED, PLAN = "request.json", "trials.json", "chosen.json", "fitted.json", "plan.json"


class OutputFolder:
    """A folder being filled; a context that holds its lock.

    Parameters
    ----------
    path : Path
        DIR of the command line.
    overwrite, resume : bool
        Replace earlier results; continue an interrupted run. Without either, DIR must be new or empty.
    """

    def __init__(self, path: Path, *, overwrite: bool = False, resume: bool = False) -> None:
        self.path = path
        self.staging = path / UNFINISHED
        self._stack = ExitStack()
        _refuse_foreign(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            busy = f"Another run is writing into {path}. Wait for it, or name another folder."
            self._stack.enter_context(held(path / LOCK, busy))
            with self._stack.pop_all() as stack:
                _refuse_foreign(path)  # somebody may have come in between
                _refuse_unasked(path, overwrite or resume)
                (path / MARKER).write_text(MARK, encoding="utf-8", newline="\n")
                self._settle()
                sweep(path)
                if not resume:
                    shutil.rmtree(self.staging, ignore_errors=True)
                for folder in (self.staging, *(self.staging / room for room in ROOMS)):
                    folder.mkdir(exist_ok=True)
                # The key and the splits are in there from the first moment.
                os.chmod(self.staging, 0o700)
                os.chmod(self.private, 0o700)
                for folder in (self.staging, *(place / room for place in (self.staging, path) for room in ROOMS)):
                    sweep(folder)  # what a killed command was writing
                self._stack = stack.pop_all()
        except FileError:
            raise
        except OSError as error:
            raise cannot_write(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others in."""
        self._stack.close()

    @property
    def share(self) -> Path:
        """Where files that may be sent are written for now."""
        return self.staging / SHARE

    @property
    def private(self) -> Path:
        """Where files that stay are written for now."""
        return self.staging / PRIVATE

    @property
    def whole(self) -> bool:
        """Whether an earlier run finished here."""
        return results_of(self.path) is not None

    def results(self, cleared: bool) -> Path:
        """Return where the results are written for now, empty: a killed run may have come to another verdict."""
        for room in RESULTS:
            shutil.rmtree(self.staging / room, ignore_errors=True)
        chosen = self.staging / (SHARE if cleared else CANDIDATE)
        chosen.mkdir()
        return chosen

    def remember(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a note for a later `--resume`."""
        write_text(self.staging / name, json.dumps(content))

    def recall(self, name: str) -> dict[str, Any] | None:
        """Read a note of an interrupted run, None where there is none."""
        return document(self.staging / name)

    def publish(self) -> None:
        """Put what the new manifests list in the place of what the earlier ones do."""
        new = [name for name in (*listed(self.staging), *MANIFESTS) if os.path.lexists(self.staging / name)]
        old = [*listed(self.path), *(name for name in MANIFESTS if files_in(self.path / name) is not None)]
        self.remember(PLAN, {"old": [name for name in old if not stays(name)], "new": new})
        self._settle()

    def promote(self) -> None:
        """Put the candidate into `share`: what was written anew for it from here, the rest from where it lies.

        Raises
        ------
        FileError
            If a file that is not ours lies where one of them belongs; nothing was moved then.
        """
        waiting = [name for name in listed(self.path) if name.startswith(f"{CANDIDATE}/")]
        moved = {f"{SHARE}/{name.partition('/')[2]}": name for name in waiting}
        anew = [name for name in (*moved, *MANIFESTS) if os.path.lexists(self.staging / name)]
        kept = {name: source for name, source in moved.items() if name not in anew}
        new = [*(name for name in anew if name not in MANIFESTS), *kept, *(name for name in MANIFESTS if name in anew)]
        old = [*waiting, *(name for name in MANIFESTS if files_in(self.path / name) is not None)]
        self._refuse_strangers(new, old, "Move it away, then approve again.")
        self.remember(PLAN, {"old": [name for name in old if name not in kept.values()], "new": new, "from": kept})
        self._settle()

    def foreign(self) -> list[str]:
        """Return what lies beside the results: whoever sends the folder sends it along."""
        ours = {*listed(self.path), *MANIFESTS}
        rooms = [room for room in RESULTS if (self.path / room).is_dir()]
        found = [f"{room}/{entry.name}" for room in rooms for entry in (self.path / room).iterdir()]
        return sorted(name for name in found if name not in ours)

    def discard(self) -> None:
        """Remove what was written; earlier results are untouched."""
        shutil.rmtree(self.staging, ignore_errors=True)
        if {entry.name for entry in self.path.iterdir()} <= {MARKER, LOCK}:
            _remove(self.path / MARKER)
            remove_lock(self.path / LOCK)
            self.close()
            remove_lock(self.path / LOCK)
            if not any(self.path.iterdir()):
                self.path.rmdir()

    def _settle(self) -> None:
        """Carry out a plan, or what a killed run left of it: each step may be done twice."""
        plan = self.recall(PLAN)
        if plan is None:
            return
        old, new = ([name for name in plan[part] if in_a_room(name)] for part in ("old", "new"))
        lie = {name: self.path / place for name, place in plan.get("from", {}).items() if in_a_room(place)}
        sources = {name: lie.get(name, self.staging / name) for name in new}
        waiting = [name for name in new if os.path.lexists(sources[name])]
        self._refuse_strangers(waiting, old)
        try:
            for room in (PRIVATE, *{name.partition("/")[0] for name in waiting}):
                (self.path / room).mkdir(exist_ok=True)
            os.chmod(self.path / PRIVATE, 0o700)
            # The manifest of the results goes first and comes last: without it nothing looks finished.
            for name in (*MANIFESTS[1:], *old):
                if name not in new or name in waiting:
                    _remove(self.path / name)
            for name in waiting:
                if name.startswith(f"{PRIVATE}/"):
                    os.chmod(sources[name], 0o600)
                os.replace(sources[name], self.path / name)
            for room in RESULTS:
                with suppress(OSError):  # it is not there, or somebody's files are in it
                    (self.path / room).rmdir()
        except OSError as error:
            raise cannot_place(self.path, error) from error
        shutil.rmtree(self.staging, ignore_errors=True)

    def _refuse_strangers(self, names: list[str], old: list[str], remedy: str = "") -> None:
        for name in names:
            place = self.path / name
            inside = [entry for entry in place.iterdir() if not _an_image(entry)] if place.is_dir() else []
            strange = inside if name in old or stays(name) else [place] if os.path.lexists(place) else []
            if strange:
                kept = f"They are kept in {self.staging}: move {strange[0].name} away, then run again with --resume."
                raise FileError(
                    f"{strange[0]} was not written by withhold, and the new results need its place. {remedy or kept}"
                )


def _remove(path: Path) -> None:
    """Remove a file, a link or a folder of images of ours; what else is in the folder stays."""
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    for entry in path.iterdir():
        if _an_image(entry):
            entry.unlink()
    if not any(path.iterdir()):
        path.rmdir()


def _an_image(entry: Path) -> bool:
    """Whether this is a file that a folder of images of ours holds."""
    return bool(OWN.fullmatch(entry.name)) and (entry.is_file() or entry.is_symlink())


def _ours(path: Path) -> bool:
    """Whether a folder has our marker, or what the version before the marker wrote."""
    try:
        marked = MARK.startswith((path / MARKER).read_text(encoding="utf-8"))  # a kill may have cut it
    except (OSError, ValueError):
        marked = False
    result, asked = document(path / SHARE / MANIFEST) or {}, document(path / UNFINISHED / ASKED) or {}
    return marked or {"schema_version", "method", "files"} <= set(result) or {"sensitive", "version"} <= set(asked)


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder that is not ours, or that would lead elsewhere."""
    if not path.exists():
        return
    if not path.is_dir():
        raise FileError(f"{path} is a file. Name a folder: several files are written there.")
    for inside in (path / MARKER, path / LOCK, *(path / room for room in ROOMS), path / UNFINISHED, *_within(path)):
        what = not_a_folder(inside)
        if what and (inside.is_symlink() or inside.name in (UNFINISHED, *ROOMS)):
            raise FileError(
                f"{inside} is {what}, and results are only written into {path} itself. Remove it, or name another "
                "folder."
            )
    if (there := _contents(path)) and not _ours(path):
        raise InvalidParameterError(
            f"{path} holds {there}, and nothing says that withhold made it. Name a new or empty folder."
        )
    if (path / UNFINISHED / "old").is_dir():
        raise FileError(
            f"An earlier version of withhold was killed while it replaced the results in {path}. They are in "
            f"{path / UNFINISHED / 'old'}: move share and private from there back into {path}, then run again."
        )


def refuse_finished(path: Path, allowed: bool) -> None:
    """Refuse a folder with the results of a finished run before anything is read, as the run itself would."""
    if results_of(path) is not None:
        _refuse_unasked(path, allowed)


def _refuse_unasked(path: Path, allowed: bool) -> None:
    """Refuse a folder with earlier results unless they are to be replaced or continued."""
    there = _contents(path)
    if allowed or not there or (there == PRIVATE and _only_ledger(path / PRIVATE)):
        return
    if there == UNFINISHED:
        raise InvalidParameterError(
            f"{path} holds only an interrupted run. Pass --resume to continue it, --overwrite to discard it, or name "
            "another folder."
        )
    raise InvalidParameterError(
        f"{path} holds earlier results ({there}). Pass --overwrite to replace them, --resume to continue an "
        "interrupted run, or name another folder."
    )


def _contents(path: Path) -> str:
    """Name what is in a folder beside our marker and lock."""
    names = [entry.name for entry in path.iterdir() if entry.name not in (MARKER, LOCK)]
    shown = sorted(name for name in names if not name.startswith(TEMPORARY_PREFIX))
    return f"{', '.join(shown[:5])}{' and more' if len(shown) > 5 else ''}"


def _within(path: Path) -> list[Path]:
    """Return what a killed run left: a link in it would lead what is written next elsewhere."""
    return [*(path / UNFINISHED).rglob("*")] if not (path / UNFINISHED).is_symlink() else []


def _only_ledger(private: Path) -> bool:
    """Whether a private room has nothing but a ledger: that of a first run which came to no result."""
    return all(stays(inside.name) for inside in private.iterdir())


def remains(path: Path) -> str:
    """Say what an interrupted run left in an output folder, for the person who stopped it.

    Examples
    --------
    >>> remains(Path("no-such-folder"))
    'Nothing was written.'
    """
    staging = path / UNFINISHED
    if not (staging / ASKED).exists():
        return "Nothing was written." if not path.exists() else f"Earlier results in {path} are intact."
    before = "" if results_of(path) is None else f" Earlier results in {path} are intact."
    if (staging / FITTED).exists():
        return f"The fitted sanitiser is kept: run again with --resume to go on with the audit.{before}"
    if (staging / TRIALS).exists() and not (staging / CHOSEN).exists():
        return f"The methods that were tried so far are kept: run again with --resume to go on choosing.{before}"
    return f"The fit was not finished: run again with --resume to start it again under the same key.{before}"


def cannot_place(path: Path, error: OSError) -> FileError:
    """Say that results are complete but not where they belong.

    Examples
    --------
    >>> print(cannot_place(Path("out"), PermissionError(13, "Permission denied")))
    The results are complete, but could not be moved from out/.unfinished into out ('Permission denied'). ...
    """
    reason = error.strerror or str(error)
    return FileError(
        f"The results are complete, but could not be moved from {path / UNFINISHED} into {path} ({reason!r}). Close "
        "programs that have the earlier ones open, then run again with --resume."
    )


def cannot_write(path: Path, error: OSError) -> FileError:
    """Turn the system's refusal into a sentence.

    Examples
    --------
    >>> print(cannot_write(Path("out"), OSError(28, "No space left on device")))
    Cannot write 'out' (No space left on device). Earlier results are intact. ...
    """
    reason = error.strerror or str(error)
    return FileError(
        f"Cannot write {str(path)!r} ({reason}). Earlier results are intact. Free space or name another place, then "
        "run again with --resume."
    )


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Refuse to replace a file unasked, and a ledger or a key at all.

    Examples
    --------
    >>> refuse_existing(Path("no-such-file"), overwrite=False)
    """
    if path.exists() and not overwrite:
        how = advice("overwrite=True", "--overwrite")
        raise InvalidParameterError(f"{path} exists. Pass {how} to replace it, or name another file.")
    refuse_irreplaceable(path)


def refuse_same(out: Path, others: Mapping[str, Path | None]) -> None:
    """Refuse an output that is, under whatever name, a file that is read or another output, or lies in what is read.

    Examples
    --------
    >>> refuse_same(Path("a.key"), {"where the key is written": Path("a.key")})
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: a.key is where the key is written. Name another file.
    """
    place = Path(os.path.realpath(out))
    for what, other in others.items():
        if other is None:
            continue
        linked = out.exists() and other.exists() and out.samefile(other)
        if linked or place == Path(os.path.realpath(other)):
            raise InvalidParameterError(f"{out} is {what}. Name another file.")
        if other.is_dir() and place.is_relative_to(os.path.realpath(other)):
            raise InvalidParameterError(
                f"{out} lies in {other}, which is {what} and would hold more the next time. Name a place outside."
            )
