"""One bar over a whole command: on a terminal, with the time left; none elsewhere, and no effect on results."""

import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from withhold import audit_release
from withhold.cli.main import main
from withhold.contracts.timetable import Timetable, watched

pty = pytest.importorskip("pty")
BAR = "━"


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 300)
    table = pd.DataFrame({"sex": sex, "a": sex + rng.normal(size=300), "b": rng.normal(size=300)})
    table.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path


def command(*arguments):
    return [sys.executable, "-m", "withhold", *arguments]


def on_a_terminal(arguments, folder):
    """Return what a command writes to stderr, which is a terminal, and to stdout, which is none; and its exit code."""
    leader, follower = pty.openpty()
    made = subprocess.Popen(
        command(*arguments), cwd=folder, stdout=subprocess.PIPE, stderr=follower, env={**os.environ, "COLUMNS": "100"}
    )
    os.close(follower)
    told = b""
    while True:
        try:
            piece = os.read(leader, 65_536)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        told += piece
    os.close(leader)
    printed, _ = made.communicate()
    return told.decode(), printed.decode(), made.returncode


FIT = ("fit", "survey.csv", "--sensitive", "sex", "--set", "rounds=30", "--out", "sex.withhold")
AUDIT = (
    "audit",
    "survey.csv",
    "--sensitive",
    "sex",
    "--drop",
    "a",
    "--effort",
    "quick",
    "--budget",
    "0.2",
    "--attackers",
    "logistic",
    "--json",
)


@pytest.mark.parametrize(
    "arguments", [pytest.param(FIT, marks=pytest.mark.full, id="fit"), pytest.param(AUDIT, id="audit")]
)
def test_a_terminal_shows_a_bar_with_the_time_left(survey, arguments):
    told, printed, _ = on_a_terminal(arguments, survey)
    assert BAR in told
    assert re.search(r"\d+ %.*(second|minute)s? left", told)
    assert "fitting" in told or "attacking" in told
    assert BAR not in printed


def test_a_pipe_shows_none(survey, monkeypatch, capfd):
    monkeypatch.chdir(survey)
    assert main(["fit", "survey.csv", "--sensitive", "sex", "--method", "leace", "--out", "sex.withhold"]) == 0
    printed, told = capfd.readouterr()
    assert "sex.withhold" in printed
    assert BAR not in told + printed
    assert " left" not in told


def test_who_watches_changes_nothing():
    rng = np.random.default_rng(0)
    s, z = rng.integers(0, 2, 200), rng.normal(size=(200, 3))
    alone = audit_release(z, sensitive_features=s, budget=0.1, effort="quick", attackers=["logistic", "boosting"])
    with watched(Timetable()) as table:
        seen = audit_release(z, sensitive_features=s, budget=0.1, effort="quick", attackers=["logistic", "boosting"])
    assert [stage.took is not None for stage in table.stages].count(True) >= 3
    when = {"created", "seconds"}
    timed = {"sensitive": {"__all__": {"attackers": {"__all__": {"seconds"}}}}}
    excluded = {**dict.fromkeys(when, True), **timed}
    assert seen.model_dump(exclude=excluded) == alone.model_dump(exclude=excluded)
