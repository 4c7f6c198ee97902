"""One progress bar with time left, on stderr, and only where somebody is looking."""

import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress


class Progress(AbstractContextManager["Progress"]):
    """A bar of `total` steps; silent unless stderr is a terminal.

    Parameters
    ----------
    label : str
        What is being done, such as "Training DeepMinMax".
    total : float
        Number of steps.
    enabled : bool, optional
        Show the bar or not; by default only on a terminal.

    Examples
    --------
    >>> with Progress("Counting", total=3, enabled=False) as bar:
    ...     for _ in range(3):
    ...         bar.advance()
    >>> bar.done
    3.0
    """

    def __init__(self, label: str, total: float, *, enabled: bool | None = None) -> None:
        self.label = label
        self.total = float(total)
        self.done = 0.0
        self.note = ""
        self._enabled = sys.stderr.isatty() if enabled is None else enabled
        self._bar: RichProgress | None = None

    def __enter__(self) -> Self:
        if self._enabled:
            self._bar = RichProgress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[note]}"),
                console=Console(stderr=True, force_terminal=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.label, total=self.total, note="")
        return self

    def advance(self, steps: float = 1.0, note: str | None = None) -> None:
        """Move on by `steps`; `note` is shown beside the bar."""
        self.done += steps
        self.note = self.note if note is None else note
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done, note=self.note)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
