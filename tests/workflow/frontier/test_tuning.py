"""The search of settings: rows that are judged are never looked at, a kill loses one trial, and time is kept."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.errors import InvalidParameterError, MissingExtraError
from withhold.contracts.frontier_record import FrontierRecord
from withhold.contracts.quantity import Quantity
from withhold.data.frames import to_frame
from withhold.workflow.choosing.trial import Candidate, Trial
from withhold.workflow.frontier import tuning
from withhold.workflow.frontier.compare import compare
from withhold.workflow.frontier.tuning import Search, cells_found, commands, searched_for, tune
from withhold.workflow.job import job_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

optuna = pytest.importorskip("optuna", reason="the extra 'tune' is not installed")

pytestmark = pytest.mark.usefixtures("one_reader", "brief_audit")
N, FIT = 300, 200
TIMELESS = {"seconds", "fit_seconds"}


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    part = np.where(np.arange(N) < FIT, "fit", "audit")
    return pd.DataFrame({"a": s + 0.5 * rng.normal(size=N), "b": rng.normal(size=N), "s": s, "part": part})


def asked(frame: pd.DataFrame, split: str | None = "part") -> tuple[Request, Source]:
    drop = () if split else ("part",)
    request = Request(Path("my data.csv"), ("s",), method="identity", split=split, drop=drop, categorical=("s",))
    return request, Source(request.data, to_frame(frame, "data").table, "", ".csv")


def found(frame: pd.DataFrame, folder: Path, trials: int, monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    monkeypatch.setattr(tuning, "MOST_TRIALS", trials)
    request, source = asked(frame)
    tune(request, source, [Candidate("noise")], [0.3], [0, 1], folder, 1e6, lambda text: None)
    files = sorted((folder / "tuning" / "seeds-0-1").iterdir())
    assert len(files) == trials
    return [{k: v for k, v in json.loads(file.read_text()).items() if k not in TIMELESS} for file in files]


def test_rows_that_are_judged_change_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clean = found(table(), tmp_path / "clean", 3, monkeypatch)
    poisoned, others = table(), np.arange(N) >= FIT
    poisoned.loc[others, ["a", "b"]] = -1e9
    poisoned.loc[others, "s"] = 1 - poisoned.loc[others, "s"]
    assert found(poisoned, tmp_path / "poisoned", 3, monkeypatch) == clean
    noticed = table()
    noticed.loc[~others, "a"] = 0.0
    assert found(noticed, tmp_path / "noticed", 1, monkeypatch)[0] not in clean


def tried(settings: tuple[str, ...], leak: float, kept: float) -> TrialRecord:
    told = Quantity(value=leak, low=leak, high=leak, kind="lower_bound", n=9)
    return TrialRecord(method="noise", settings=list(settings), fitted=1, n=2, leakage=told, retention=kept, seconds=1)


def pretend(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Let a trial cost nothing; noise of scale 2 keeps most within .3 nat. Returns what was tried."""
    seen: list[tuple[str, ...]] = []

    def attempt(part, candidate) -> Trial:
        seen.append(candidate.settings)
        scale = float(dict(one.split("=") for one in candidate.settings).get("scale", 1))
        return Trial(tried(candidate.settings, 0.6 / scale, 1 / scale), None)

    monkeypatch.setattr(tuning, "attempt", attempt)
    return seen


def test_rows_are_those_that_no_seed_judges_and_the_printed_command_audits_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch)
    looked: list[np.ndarray] = []
    divide = tuning.divided
    monkeypatch.setattr(tuning, "divided", lambda job, rows: (looked.append(rows), divide(job, rows))[1])
    monkeypatch.setattr(tuning, "MOST_TRIALS", 12)
    request, source = asked(table(), split=None)
    best = tune(request, source, [Candidate("noise")], [0.3, 1.0], [0, 1, 2], tmp_path, 1e6, lambda text: None)
    for seed in (0, 1, 2):
        assert not set(looked[0]) & set(job_of(replace(request, seed=seed), source).parts.audit_rows)
    assert len(looked[0]) > 50
    record = FrontierRecord.model_construct(tuned=best)
    typed = {one.budget: command for one, command in commands(request, record)}
    assert typed[0.3].startswith("withhold run 'my data.csv' --sensitive s")
    assert f"--set {best[0].trial.settings[0]} " in typed[0.3]
    assert "--budget 0.3 " in typed[0.3]
    assert "--seed" not in typed[0.3]  # so that its audit part is that of the first seed
    named = replace(request, method="noise", settings=tuple(best[0].trial.settings), budget=0.3)
    assert not set(looked[0]) & set(job_of(named, source).parts.audit_rows)
    assert [cell.seed for cell in cells_found(best[:1], [4, 5])] == [4, 5]


def test_for_each_budget_what_keeps_most_within_it_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = pretend(monkeypatch)
    monkeypatch.setattr(tuning, "MOST_TRIALS", 40)
    request, source = asked(table())
    best = tune(request, source, [Candidate("noise")], [0.3, 1e-3], [0], tmp_path, 1e6, lambda text: None)
    assert seen[0] == ()  # the usual setting comes first
    scales = [float(one[0].partition("=")[2]) for one in seen[1:]]
    assert all(0.1 <= scale <= 10 for scale in scales)
    good, none = best
    assert (good.held, good.budget, good.trials) == (True, 0.3, 40)
    assert good.trial.leakage.high <= 0.3
    assert 2.0 <= float(good.trial.settings[0].partition("=")[2]) < 2.5
    assert not none.held  # nothing is within a thousandth: the closest
    assert none.trial.leakage.high == min(0.6 / scale for scale in (1.0, *scales))
    assert "rows that no cell is judged on" in searched_for(best, "5m")


def test_what_is_fixed_stays_and_the_aim_of_a_game_follows_the_budgets(tmp_path: Path) -> None:
    request, source = asked(table())
    part = job_of(request, source)
    free = Search(part, Candidate("deepminmax", ("noise=0.5",)), [0.01, 0.1], tmp_path, 1, print)._space()
    assert free == {"dimensions": (int, 4, 64), "budget": (float, pytest.approx(0.001), 0.1)}
    learns = replace(part, request=replace(request, use_utility=True, utility=("b",)))
    assert "utility_weight" in Search(learns, Candidate("deepminmax"), [0.1], tmp_path, 1, print)._space()


def test_no_trial_begins_that_would_end_too_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = pretend(monkeypatch)
    ticks = iter(range(0, 1000, 4))  # a trial takes four seconds
    request, source = asked(table())
    search = Search(job_of(request, source), Candidate("noise"), [0.3], tmp_path, 15, print, now=lambda: next(ticks))
    search.run()
    assert len(seen) == 3  # a fourth would end after 16
    assert search.spent == 12
    again = Search(job_of(request, source), Candidate("noise"), [0.3], tmp_path, 3, print)
    again.run()
    assert len(seen) == 3  # trials that are there count as what they took
    assert (again.trials, again.spent) == (search.trials[:2], 2)


def test_a_search_that_is_continued_comes_out_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = pretend(monkeypatch)
    request, source = asked(table())

    def run(most: int, folder: str) -> list[TrialRecord]:
        monkeypatch.setattr(tuning, "MOST_TRIALS", most)
        (tmp_path / folder).mkdir(exist_ok=True)
        search = Search(job_of(request, source), Candidate("noise"), [0.3], tmp_path / folder, 1e6, lambda text: None)
        search.run()
        return search.trials

    whole = run(15, "whole")
    run(6, "parts")
    before = len(seen)
    assert run(15, "parts") == whole
    assert len(seen) == before + 9


WORK = f"""
import sys; sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
from pathlib import Path
from workflow.frontier.test_tuning import work
work(Path(sys.argv[1]))
"""


def work(folder: Path) -> None:
    """Search eight settings that take a tenth of a second each, and say which they are."""

    def attempt(part, candidate) -> Trial:
        time.sleep(0.1)
        return Trial(tried(candidate.settings, 0.1, 0.5), None)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuning, "attempt", attempt)
        patched.setattr(tuning, "MOST_TRIALS", 8)
        request, source = asked(table())
        print("ready", flush=True)
        tune(request, source, [Candidate("noise")], [0.3], [0], folder, 1e6, lambda text: print(text, flush=True))


def test_a_kill_loses_one_trial(tmp_path: Path) -> None:
    place = tmp_path / "tuning" / "seeds-0"
    command = [sys.executable, "-c", WORK, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [line for line in (process.stdout.readline() for _ in range(5)) if line.startswith("trial")]
        time.sleep(0.03)  # within the next
        process.send_signal(signal.SIGKILL)
        told += [line for line in process.stdout.read().splitlines() if line.startswith("trial")]
    kept = {path.name: path.stat().st_mtime_ns for path in place.glob("*.json")}
    assert 0 < len(told) <= len(kept) < 8
    for name in kept:
        TrialRecord.model_validate_json((place / name).read_text())  # whole, never half
    work(tmp_path)
    after = {path.name: path.stat().st_mtime_ns for path in place.glob("*.json")}
    assert len(after) == 8
    assert {name: after[name] for name in kept} == kept


def test_what_cannot_be_searched_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X, s = table()[["a"]].head(60), table()["s"].head(60)
    with pytest.raises(InvalidParameterError, match="tune must be a time above zero"):
        compare(["noise"], X, sensitive_features=s, tune="soon")
    with pytest.raises(InvalidParameterError, match="judged with none of the 6 seeds, too few to search settings on"):
        compare(["noise"], X, sensitive_features=s, tune="5m", seeds=6)
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'withhold\[tune\]'"):
        compare(["noise"], X, sensitive_features=s, tune="5m")
