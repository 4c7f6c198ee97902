"""The bar of a whole command, with the time left: on a terminal alone, on stderr, gone when the command ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from withhold.contracts.timetable import Timetable, in_words, watched

# Times a second that the bar is drawn.
RATE = 4


@contextmanager
def shown() -> Iterator[None]:
    """Show how far the work within the block has come, and the time left where it can be foretold."""
    if not sys.stderr.isatty():
        yield
        return
    # Imported here: `withhold --help` need not wait for them.
    from rich.console import Console
    from rich.live import Live

    table = Timetable()
    table.begin("reading")
    console = Console(file=sys.stderr, force_terminal=True)
    # Lines that are written meanwhile go above the bar; stdout is stderr here.
    with (
        watched(table),
        Live(console=console, get_renderable=lambda: line(table), refresh_per_second=RATE, transient=True),
    ):
        yield


def line(table: Timetable) -> Any:
    """Return the bar as rich draws it."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    share, left = table.share(), table.left()
    row = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=1.0, completed=share, width=30, pulse=left is None)
    told = () if left is None else (f"{100 * share:.0f} %", f"{in_words(left)} left")
    row.add_row(table.name, bar, *told)
    return row
