"""A frontier in the terminal: what to take first, then every setting, and nothing below zero."""

import io
from pathlib import Path

from contracts.test_frontier_record import cell, record
from withhold.cli.frontier_summary import show_frontier
from withhold.contracts.frontier_record import TunedSetting


def test_what_to_take_stands_first_and_failures_are_named() -> None:
    stream = io.StringIO()
    found = record(
        cell("deepminmax", 0.005, 0.3), cell("noise", 0.2, 0.9, rival=True), cell("leace", 0, 0, failed="why")
    )
    show_frontier(found, Path("f"), stream)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "0.05 nat: deepminmax keeps most within it"
    assert any("0.005 [0.000, 0.015]" in line for line in lines)
    assert any(line.startswith("leace") and line.rstrip().endswith("why") for line in lines)
    searched = io.StringIO()
    trial = cell("deepminmax", 0.02, 0.3).trial
    tuned = [(TunedSetting(budget=0.05, held=held, trials=7, trial=trial), "withhold run t") for held in (True, False)]
    show_frontier(found, Path("f"), searched, tuned)
    assert "search    0.05 nat: the best of 7 settings of deepminmax: withhold run t\n" in searched.getvalue()
    assert "0.05 nat: none stays within it; the closest of 7 settings" in searched.getvalue()
    over = io.StringIO()
    show_frontier(record(cell("noise", 0.2, 0.9)), Path("f"), over)
    assert over.getvalue().startswith("0.05 nat: nothing stays within it")
