"""A frontier in the terminal: what to take first, then every setting, and nothing below zero."""

import io
from pathlib import Path

from contracts.test_frontier_record import cell, record
from withhold.cli.frontier_summary import show_frontier


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
    over = io.StringIO()
    show_frontier(record(cell("noise", 0.2, 0.9)), Path("f"), over)
    assert over.getvalue().startswith("0.05 nat: nothing stays within it")
