"""A frontier as a person reads it in the terminal: what to take at each budget, then a line for each setting."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from withhold.cli.outcome import say
from withhold.contracts.frontier_record import FrontierPoint, FrontierRecord, TunedSetting
from withhold.report.frontier import meanings

UNITS = {"nat": "nat kept", "score": "accuracy or R2", "retention": "retention"}
WIDTH = 160  # a pipe has no width; lines of text then stay whole


def show_frontier(
    record: FrontierRecord, out: Path, stream: IO[str], found: Sequence[tuple[TunedSetting, str]] = ()
) -> None:
    """Print a frontier.

    Parameters
    ----------
    found : sequence of (TunedSetting, str)
        What a search of settings found, with the command that fits and audits each.
    """
    for budget in record.budgets:
        best = record.best(budget=budget)
        text = "nothing stays within it in every seed" if best is None else f"{_named(best)} keeps most within it"
        say(f"{budget:g} nat: {text}", stream)
    table = Table(box=None, pad_edge=False)
    for title in ("release", "leaks, nat", UNITS[record.measure], ""):
        table.add_column(title)
    for one in record.points:
        if one.failed:
            table.add_row(escape(_named(one)), "", "", escape(one.failed))
        else:
            high = "?" if one.high is None else f"{one.high:.3f}"
            leak = f"{one.leakage:.3f} [{max(0.0, one.low or 0.0):.3f}, {high}]"
            table.add_row(escape(_named(one)), escape(leak), "" if one.kept is None else f"{one.kept:.3f}", "")
    Console(file=stream, highlight=False, width=None if stream.isatty() else WIDTH).print(table)
    for tuned, command in found:
        end = "the best" if tuned.held else "none stays within it; the closest"
        say(
            f"search    {tuned.budget:g} nat: {end} of {tuned.trials} settings of {tuned.trial.method}: {command}",
            stream,
        )
    for note in [*meanings(record), *record.notes]:
        say(f"note      {note}", stream)
    say(f"picture   {out / 'frontier.html'}", stream)


def _named(point: FrontierPoint) -> str:
    return " ".join((point.name, *point.settings))
