"""The session of a training: where and in which precision it computes, its own randomness, one progress bar."""

import logging
from typing import TYPE_CHECKING, Any

import torch

from withhold.contracts.checks import refused
from withhold.contracts.timetable import watching

if TYPE_CHECKING:
    from lightning_fabric import Fabric
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Self

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from threadpoolctl import threadpool_limits

DEVICES = ("auto", "cpu", "cuda", "mps")
PRECISIONS = ("32-true", "64-true", "bf16-mixed", "bf16-true", "16-mixed")


def make_fabric(device: str = "auto", precision: str = "32-true") -> "Fabric":
    """Return a Fabric for one device.

    Parameters
    ----------
    device : {"auto", "cpu", "cuda", "mps"} or "cuda:N"
        "auto" takes an accelerator that is there.
    precision : str
        One of "32-true", "64-true", "bf16-mixed", "bf16-true", "16-mixed".

    Examples
    --------
    >>> make_fabric("cpu").device
    device(type='cpu')
    """
    kind, _, number = str(device).partition(":")
    available = {"auto": True, "cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not available.get(kind, False) or not (number.isdigit() or not number):
        raise refused("device", " or ".join(repr(name) for name in DEVICES if available[name]), device)
    if precision not in PRECISIONS:
        raise refused("precision", " or ".join(map(repr, PRECISIONS)), precision)
    # Imported here: Fabric loads torch's compiler, seconds that `withhold transform` need not wait for.
    from lightning_fabric import Fabric
    from lightning_fabric.plugins.environments.lightning import LightningEnvironment

    devices: Any = [int(number)] if number else 1
    # Fabric reports its choices through the logger; a library says nothing unasked. One process, so no cluster.
    logger = logging.getLogger("lightning_fabric")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        return Fabric(accelerator=kind, devices=devices, precision=precision, plugins=[LightningEnvironment()])  # type: ignore[arg-type]
    finally:
        logger.setLevel(level)


# Columns up to which a fit keeps to one thread. On a machine that others use too, a second one made fits of 64, 256 and
# 1,024 columns take 9, 9 and 4 times as long, at 16, 14 and 7 times the work (benchmarks/results/threads.json). Images,
# whose convolutions may gain from threads, have more. Releases of 256 and 1,024 columns took as long with either.
NARROW = 512


@contextmanager
def one_thread(width: int = 0) -> Iterator[None]:
    """Pin numerical libraries to one thread, so that sums come in the same order on every machine.

    Parameters
    ----------
    width : int
        Columns of what is computed with; above `NARROW` the threads stay as they are.

    Examples
    --------
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    if width > NARROW:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(limits=1):
            yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def private_randomness(device: torch.device, seed: int) -> Iterator[None]:
    """Seed torch's generators within the block and give them back as they were.

    Layers such as dropout draw from the global generator and cannot be handed one of their own.

    Examples
    --------
    >>> before = torch.get_rng_state()
    >>> with private_randomness(torch.device("cpu"), 0):
    ...     _ = torch.rand(3)
    >>> bool((torch.get_rng_state() == before).all())
    True
    """
    kept = generator_states(device)
    seed_all(device, seed)
    try:
        yield
    finally:
        restore_generators(device, kept)


def seed_all(device: torch.device, seed: int) -> None:
    """Seed the generator of the processor and that of `device`, and no other."""
    torch.default_generator.manual_seed(seed % (1 << 63))
    if device.type == "cuda":
        with torch.cuda.device(device):
            torch.cuda.manual_seed(seed % (1 << 63))
    elif device.type == "mps":
        torch.mps.manual_seed(seed % (1 << 63))


def generator_states(device: torch.device) -> dict[str, np.ndarray]:
    """Return the states of the generators as byte arrays."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return {name: state.cpu().numpy().copy() for name, state in states.items()}


def restore_generators(device: torch.device, states: dict[str, np.ndarray]) -> None:
    """Take back what `generator_states` returned."""
    torch.set_rng_state(torch.from_numpy(states["cpu"].copy()))
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(torch.from_numpy(states["cuda"].copy()), device)
    elif device.type == "mps" and "mps" in states:
        torch.mps.set_rng_state(torch.from_numpy(states["mps"].copy()))


class Progress(AbstractContextManager["Progress"]):
    """A bar of `total` steps; silent unless stderr is a terminal. Where a command has a bar of its own, that moves on.

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
        self._timetable = watching()
        self._enabled = (sys.stderr.isatty() and self._timetable is None) if enabled is None else enabled
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
        if self._timetable is not None and self.total > 0:
            self._timetable.report(self.done / self.total)
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done, note=self.note)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
