"""The folder of a frontier: ours by a marker that lists what was written there, one command at a time."""

from contextlib import ExitStack
from pathlib import Path
from typing import Self

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.contracts.wording import listed
from withhold.io.atomic import held, write_text
from withhold.workflow.folder import LOCK, MARKER
from withhold.workflow.frontier.compare import ASKED
from withhold.workflow.frontier.grid import CELLS
from withhold.workflow.frontier.tuning import TUNING
from withhold.workflow.rooms import document

RECORD, PAGE, VECTOR, RASTER = OUTPUTS = "frontier.json", "frontier.html", "frontier.svg", "frontier.png"
MARK = "withhold frontier 1: what is listed here was written by withhold"
# What a file of ours holds at least.
KEYS = {CELLS: {"name", "seed", "trial"}, TUNING: {"method", "settings"}}


class FrontierFolder:
    """The folder of a frontier, ours by a marker that also lists what was written into it; a context with its lock.

    Of `cells` and `tuning` those files are ours that hold a cell or a trial. Nothing else is replaced or removed.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.marker = path, path / MARKER
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Refuse a folder that is not ours, and take the lock of one that is."""
        if self.path.exists():
            self._refuse_foreign()
            self._lock()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def begin(self, overwrite: bool) -> None:
        """Make the folder ours before anything is written, and empty it of earlier cells where asked to."""
        if not self.path.exists():
            self.path.mkdir(parents=True)
            self._lock()
        if not self.marker.exists():
            write_text(self.marker, "\n".join([MARK, *(name for name in OUTPUTS if (self.path / name).exists())]))
        if overwrite:
            (self.path / ASKED).unlink(missing_ok=True)
            for name in (CELLS, TUNING):
                for file in sorted((self.path / name).rglob("*.json")):
                    if KEYS[name] <= set(document(file) or {}):
                        file.unlink()

    def place(self, name: str) -> Path:
        """Return where an output goes, once the list says that it is ours."""
        known = self.marker.read_text("utf-8").splitlines()
        if name not in known:
            if (self.path / name).exists():
                raise FileError(f"{self.path / name} was not written by withhold. Move it away, then pass --resume.")
            write_text(self.marker, "\n".join([*known, name]))
        return self.path / name

    def _lock(self) -> None:
        busy = f"Another frontier is being written into {self.path}. Wait for it, or name another folder."
        self._stack.enter_context(held(self.path / LOCK, busy))

    def _refuse_foreign(self) -> None:
        if not self.path.is_dir():
            raise InvalidParameterError(f"{self.path} is a file. Name a folder.")
        for inside in (self.marker, self.path / LOCK, self.path / ASKED, self.path / CELLS, self.path / TUNING):
            if inside.is_symlink():
                raise FileError(f"{inside} is a symbolic link. Remove it, or name another folder.")
        others = [one.name for one in self.path.iterdir() if one.name not in (LOCK, MARKER)]
        if others and not self._ours():
            raise InvalidParameterError(
                f"{self.path} holds {listed(sorted(others)[:5])}, and nothing says that withhold made it. Name an "
                "empty folder, or a new one."
            )

    def _ours(self) -> bool:
        """Whether the marker is there, or the request of a version that wrote none."""
        try:
            return self.marker.read_text("utf-8").startswith(MARK)
        except (OSError, ValueError):
            return {"digest", "version", "sensitive"} <= set(document(self.path / ASKED) or {})
