"""The output folder: everything is written beside the earlier results and put in their place at the end.

A run that is killed leaves `DIR/.unfinished`, never half a result under its final name. A result is whole when
`DIR/share/manifest.json` exists, which is the last thing to appear.

The ledger of releases is no result: it stays in `DIR/private` from its first charge on, and is neither moved nor
replaced, because other processes may enter releases in it at any time.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from withhold.contracts.errors import FileError, InvalidParameterError, sentence
from withhold.io.atomic import TEMPORARY_PREFIX, write_text

ROOMS = ("private", "share")
MANIFEST = "manifest.json"
UNFINISHED = ".unfinished"
LEDGER, LEDGER_KEY = "ledger.sqlite", "ledger.key"
# Within the work folder: the files of earlier results, and a note that all of them are there.
OLD, TAKEN = "old", "taken"
# Notes that an interrupted run leaves for `--resume`.
ASKED, FITTED = "request.json", "fitted.json"


class OutputFolder:
    """A folder being filled.

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
        if path.exists() and not path.is_dir():
            why = "Several files are written there."
            raise FileError(sentence("The output folder", "a folder", f"the file {path}", why, "Name another."))
        held = [] if not path.is_dir() else sorted(entry.name for entry in path.iterdir() if not _only_ledger(entry))
        if held and not (overwrite or resume):
            why = "Earlier results are never replaced unasked."
            remedy = (
                "Pass --overwrite to replace them, --resume to continue an interrupted run, or name another folder."
            )
            got = f"{path}, which holds {', '.join(held[:5])}{' and more' if len(held) > 5 else ''}"
            if held == [UNFINISHED]:
                got = f"{path}, which holds only an interrupted run ({UNFINISHED})"
                why = "What that run finished would be lost."
                remedy = "Pass --resume to continue it, --overwrite to discard it, or name another folder."
            raise InvalidParameterError(sentence("The output folder", "new or empty", got, why, remedy))
        self._settle()
        if not resume:
            shutil.rmtree(self.staging, ignore_errors=True)
        try:
            for folder in (path, self.staging, *(self.staging / room for room in ROOMS)):
                folder.mkdir(parents=True, exist_ok=True)
            # The key and the splits are in there from the first moment.
            os.chmod(self.staging, 0o700)
            os.chmod(self.private, 0o700)
            for torn in [*self.staging.rglob(f"{TEMPORARY_PREFIX}*")]:  # what a killed run was writing
                if torn.is_dir():
                    shutil.rmtree(torn)
                else:
                    torn.unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(path, error) from error

    @property
    def share(self) -> Path:
        """Where files that may be sent are written for now."""
        return self.staging / "share"

    @property
    def private(self) -> Path:
        """Where files that stay are written for now."""
        return self.staging / "private"

    @property
    def whole(self) -> bool:
        """Whether an earlier run finished here."""
        return (self.path / "share" / MANIFEST).exists()

    def remember(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a note for a later `--resume`."""
        write_text(self.staging / name, json.dumps(content))

    def recall(self, name: str) -> dict[str, Any] | None:
        """Read a note of an interrupted run, None where there is none."""
        try:
            content: dict[str, Any] = json.loads((self.staging / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return content

    def publish(self) -> None:
        """Put the new results in the place of the earlier ones."""
        old = self.staging / OLD
        try:
            old.mkdir(exist_ok=True)
            # `share` goes first and comes last: without it nothing looks finished.
            if (self.path / "share").exists():
                os.replace(self.path / "share", old / "share")
            _move(self.path / "private", old / "private")
            (self.staging / TAKEN).touch()
            _move(self.private, self.path / "private")
            os.replace(self.share, self.path / "share")
        except OSError as error:
            self._settle()
            raise cannot_write(self.path, error) from error
        shutil.rmtree(self.staging, ignore_errors=True)

    def discard(self) -> None:
        """Remove what was written; earlier results are untouched."""
        self._settle()
        shutil.rmtree(self.staging, ignore_errors=True)
        if self.path.is_dir() and not any(self.path.iterdir()):
            self.path.rmdir()

    def _settle(self) -> None:
        """Bring earlier results back if a run was killed between taking them away and putting new ones there."""
        old = self.staging / OLD
        if not old.is_dir() or self.whole:
            return
        if (self.staging / TAKEN).exists():  # what is there now came from the new results
            _move(self.path / "private", self.private)
            (self.staging / TAKEN).unlink()
        _move(old / "private", self.path / "private")
        if (old / "share").exists():
            os.replace(old / "share", self.path / "share")


def stays(name: str) -> bool:
    """Say whether a file of the private room is neither moved nor replaced: the ledger, its journal and its key.

    Examples
    --------
    >>> stays("ledger.sqlite-journal"), stays("splits.parquet")
    (True, False)
    """
    return name == LEDGER_KEY or name.startswith(LEDGER)


def _only_ledger(entry: Path) -> bool:
    """Whether this is a private room with nothing but a ledger: that of a first run which came to no result."""
    return entry.name == "private" and entry.is_dir() and all(stays(inside.name) for inside in entry.iterdir())


def _move(source: Path, target: Path) -> None:
    """Move the files of a private room, but for those that stay."""
    if source.is_dir():
        target.mkdir(mode=0o700, exist_ok=True)
        for entry in sorted(source.iterdir()):
            if not stays(entry.name):
                os.replace(entry, target / entry.name)


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
    before = "" if not (path / "share").exists() else f" Earlier results in {path} are intact."
    if (staging / FITTED).exists():
        return f"The fitted sanitiser is kept: run again with --resume to go on with the audit.{before}"
    return f"The fit was not finished: run again with --resume to start it again under the same key.{before}"


def cannot_write(path: Path, error: OSError) -> FileError:
    """Turn the system's refusal into a sentence.

    Examples
    --------
    >>> print(cannot_write(Path("out"), OSError(28, "No space left on device")))
    The output 'out' must be writable. Got 'No space left on device'. Earlier results are intact. ...
    """
    remedy = "Free space or name another place, then run again with --resume."
    reason = error.strerror or str(error)
    return FileError(
        sentence(f"The output {str(path)!r}", "writable", repr(reason), "Earlier results are intact.", remedy)
    )


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Refuse to replace a file unasked.

    Examples
    --------
    >>> refuse_existing(Path("no-such-file"), overwrite=False)
    """
    if path.exists() and not overwrite:
        why = "Earlier results are never replaced unasked."
        remedy = "Pass --overwrite, or name another file."
        raise InvalidParameterError(sentence("The output file", "new", f"{path}, which exists", why, remedy))
