"""The timetable of a command: its stages, the seconds expected of each, and how far the one at work has come.

Whoever works says so to the timetable that somebody watches, if anybody does: nothing that is computed depends on it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

# Shares of a stage below this say nothing yet about its length.
LEAST_SHARE = 0.02
# A stage that takes longer than foretold is taken to need a tenth more of what it took.
OVERRUN = 0.1
# Later stages are foretold by how much slower the earlier ones were than foretold, within these factors, once those
# were foretold to take so many seconds.
SLOWEST, FASTEST, LEAST_SECONDS = 10.0, 0.1, 1.0


@dataclass
class Stage:
    """A stage: its name, the seconds it is expected to take (None where nobody knows), and the seconds it took."""

    name: str
    expected: float | None
    took: float | None = None


class Timetable:
    """Stages one after the other; stages that were skipped take no time.

    Parameters
    ----------
    clock : callable
        Returns seconds.

    Attributes
    ----------
    machine : float
        How many times longer this machine takes than the one that expected seconds are of.

    Examples
    --------
    >>> seconds = iter([0.0, 0.0, 30.0, 30.0])
    >>> table = Timetable(clock=lambda: next(seconds))
    >>> table.expect([("fitting", 10.0), ("auditing", 20.0)])
    >>> table.begin("fitting")
    >>> table.begin("auditing")
    >>> table.left()  # what was foretold to take 10 s took 30: the rest is foretold to take as much longer
    60.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self.machine = clock, 1.0
        self.started = self._since = clock()
        self.stages: list[Stage] = []
        self._at = -1
        self._share, self._before = 0.0, 0.0
        self._read: float | None = None
        self._shown = 0.0

    @property
    def name(self) -> str:
        """Name of the stage at work; empty before the first."""
        return self.stages[self._at].name if self._at >= 0 else ""

    def expect(self, stages: Sequence[tuple[str, float | None]]) -> None:
        """Set what is to come: in the place of stages with these names that are still to come, else at the end."""
        names = {name for name, _ in stages}
        coming = self.stages[self._at + 1 :]
        place = next((j for j, stage in enumerate(coming) if stage.name in names), len(coming))
        kept = [stage for stage in coming[place:] if stage.name not in names]
        self.stages[self._at + 1 :] = [*coming[:place], *(Stage(*stage) for stage in stages), *kept]

    def begin(self, name: str) -> None:
        """Say that a stage begins, which ends the one before; one that nobody expected takes an unknown time."""
        now = self._clock()
        if self._at >= 0:
            self.stages[self._at].took = now - self._since
        coming = self.stages[self._at + 1 :]
        place = next((j for j, stage in enumerate(coming) if stage.name == name), None)
        if place is None:
            self.stages.insert(self._at + 1, Stage(name, None))
            place = 0
        self._at += 1 + place
        self._since, self._share, self._before, self._read = now, 0.0, 0.0, None

    def report(self, share: float) -> None:
        """Say how much of one piece of the stage at work is done; a smaller share than before begins another piece."""
        spent = self._clock() - self._since
        if share < self._share:
            self._before = spent
        self._share = min(1.0, share)
        if self._share >= LEAST_SHARE:
            self._read = self._before + (spent - self._before) / self._share

    def left(self) -> float | None:
        """Return the seconds left, None where a stage to come or at work is of unknown length."""
        coming = [one.expected for one in self.stages[self._at + 1 :]]
        if self._at < 0 or None in coming:
            return None
        spent, stage = self._clock() - self._since, self.stages[self._at]
        factor = self._slowness(spent)
        known = [one for one in (self._read, None if stage.expected is None else factor * stage.expected) if one]
        if not known:
            return None
        rest = max(max(known) - spent, 0.0 if self._share == 1.0 else OVERRUN * spent)
        return rest + factor * sum(one for one in coming if one is not None)

    def share(self) -> float:
        """Return how much of everything is done, as a part of all seconds; it never goes back."""
        left, spent = self.left(), self._clock() - self.started
        if left is not None and spent > 0:
            self._shown = max(self._shown, spent / (spent + left))
        return self._shown

    def _slowness(self, spent: float) -> float:
        """Return how many times longer than expected it takes, the stage at work counted once it is late."""
        done = self.stages[: self._at]
        known = [(one.took, one.expected) for one in done if one.took is not None and one.expected]
        now = self.stages[self._at].expected
        if now and max(spent, self._read or 0.0) > self.machine * now:
            known.append((max(spent, self._read or 0.0), now))
        expected = sum(seconds for _, seconds in known)
        if expected < LEAST_SECONDS:
            return self.machine
        return min(SLOWEST, max(FASTEST, sum(took for took, _ in known) / expected))


_WATCHED: ContextVar[Timetable | None] = ContextVar("watched", default=None)


@contextmanager
def watched(table: Timetable) -> Iterator[Timetable]:
    """Let whoever works within the block report to `table`."""
    before = _WATCHED.set(table)
    try:
        yield table
    finally:
        _WATCHED.reset(before)


def watching() -> Timetable | None:
    """Return the timetable that somebody watches."""
    return _WATCHED.get()


def expect(stages: Sequence[tuple[str, float | None]]) -> None:
    """Tell the watched timetable what is to come."""
    if table := _WATCHED.get():
        table.expect(stages)


def begin(stage: str) -> None:
    """Tell the watched timetable that a stage begins."""
    if table := _WATCHED.get():
        table.begin(stage)


def report(share: float) -> None:
    """Tell the watched timetable how much of the stage at work is done."""
    if table := _WATCHED.get():
        table.report(share)


def in_words(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> in_words(7.3), in_words(100.0), in_words(900.0), in_words(8000.0)
    ('10 seconds', '2 minutes', '15 minutes', '2 hours')
    """
    if seconds < 55:
        return f"{max(5, 5 * round(seconds / 5 + 0.4)):d} seconds"
    minutes = max(1, round(seconds / 60))
    if minutes < 100:
        return f"{minutes} minute" + "s" * (minutes > 1)
    hours = max(2, round(minutes / 60))
    return f"{hours} hours"
