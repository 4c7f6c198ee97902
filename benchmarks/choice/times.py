"""Are the CPU seconds that a plan promises those that the run takes, stage by stage?

    python benchmarks/choice/times.py [--case PART ...] [--effort quick] [--deadline SECONDS] [--table]

A case is one table: a plan, then the run of its default method, in one process on one core. "Promised" is what the plan
says of the whole; of single stages it is what the progress bar of `run` counts with, times this machine's slowness.
"Took" is of the whole process, the import of libraries, the check before the fit, the bounds and the page included.

Every case is an entry of its own in ../results/choice_times.json: what is interrupted goes on where it was.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from choice.auto import COPIES, pension, people, some
from choice.limits import unreserved, windows
from ledger import Ledger, cpu_seconds
from results_plan import seconds


def gaussians() -> pd.DataFrame:
    """S moves the mean of thirty numbers a little."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 1_500)
    columns = {f"x{i}": rng.normal(size=1_500) + 0.1 * s for i in range(30)}
    return pd.DataFrame({**columns, "s": s, "u": rng.integers(0, 3, 1_500)})


def calm(table: pd.DataFrame) -> pd.Series:
    """Whether a window of a watch is among the calmer half."""
    return table["spreadx"] < table["spreadx"].median()


CASES: dict[str, tuple[Callable[[], pd.DataFrame], str, str]] = {
    "german 1000": (lambda: people("german_credit", "personal_status"), "sex", "credit"),
    "401k 3000": (lambda: some(pension(), 3_000, None), "marr", "e401k"),
    "gaussian 30 1500": (gaussians, "s", "u"),
    "compas 4000": (lambda: some(people("compas_two_years", *COPIES), 4_000, None), "race", "two_year_recid"),
    "diabetes 3000": (lambda: some(unreserved().drop(columns="patient_nbr"), 3_000, None), "race", "readmitted"),
    "watches 2000": (lambda: some(windows().assign(calm=calm), 2_000, None), "s", "calm"),
    "adult 10000": (lambda: some(people("adult", "split", "fnlwgt"), 10_000, None), "sex", "income"),
}


def work(name: str, effort: str) -> dict:
    """Plan and run one case in this process."""
    from withhold import plan
    from withhold.contracts.timetable import Timetable, watched
    from withhold.workflow.run import run

    table, sensitive, utility = CASES[name]
    options = {"sensitive": [sensitive], "utility": [utility], "effort": effort, "method": "deepminmax", "budget": 0.5}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        table().to_parquet(path, index=False)
        told = plan(path, **options)
        planned, clock = cpu_seconds(), Timetable(clock=time.process_time)
        clock.begin("reading")
        with watched(clock):
            run(path, out=Path(folder) / "out", anyway=True, **options)
        clock.begin("end")
    stages: dict[str, dict] = {}
    for stage in clock.stages[:-1]:
        entry = stages.setdefault(stage.name, {"promised": 0.0, "took": 0.0})
        entry["promised"] += round(clock.machine * (stage.expected or 0.0), 2)
        entry["took"] += round(stage.took or 0.0, 2)
    promised = told.audit_seconds + (told.fit_seconds or 0.0) + told.beside_seconds
    return {
        "promised": round(promised, 1),
        "promised_fit": round(told.fit_seconds or 0.0, 1),
        "took": round(cpu_seconds() - planned + LIBRARIES, 1),
        "machine_factor": round(told.machine, 2),
        "stages": stages,
    }


# Loading what a run imports, which the plan before it has loaded here.
LIBRARIES = 4.0


def table() -> None:
    """Print what was measured."""
    print("\n".join(seconds()))
    stages: dict[str, list[tuple[float, float]]] = {}
    for _, case in sorted(Ledger("choice_times").cases.items()):
        for stage, one in case["stages"].items():
            stages.setdefault(stage, []).append((one["promised"], one["took"]))
    print("\n| stage | promised, in each case | took |\n|---|---|---|")
    for stage, pairs in stages.items():
        told, took = (", ".join(f"{one[i]:.1f}" for one in pairs) for i in (0, 1))
        print(f"| {stage} | {told} | {took} |")


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--effort", default="standard")
    parser.add_argument("--deadline", type=float, default=float("inf"))
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--work")
    asked = parser.parse_args()
    if asked.work:
        print(json.dumps(work(asked.work, asked.effort)))
        return
    began, ledger = time.monotonic(), Ledger("choice_times")
    for name in CASES if not asked.table else ():
        if asked.case and not any(part in name for part in asked.case):
            continue
        if time.monotonic() - began > asked.deadline:
            break
        command = [sys.executable, __file__, "--work", name, "--effort", asked.effort]

        def measured(command: list[str] = command) -> dict:
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            return json.loads(done.stdout.splitlines()[-1])

        ledger.measure(f"{name} / {asked.effort}", measured)
    table()


if __name__ == "__main__":
    main()
