"""Peers at equal leakage: what each tells of S and keeps of U, all tuned alike, one picture a data set.

    .venv-peers/bin/python benchmarks/peers/frontier.py [--data German ...] [--seeds 3] [--deadline SECONDS] [--draw]

Rows are divided at random: methods are fitted on 40 %; settings are compared on 30 %; what was taken is measured on the
last 30 %, which neither fit nor choice has seen, as `withhold frontier` measures (fitted rows are judged too, the worse
counts). For each budget the setting is taken that keeps most of U among those that were seen to tell no more of S; if
none is, the one that tells least. No method begins a further fit once its fits have taken LIMIT (40) CPU seconds; 90
would have taken hours more. U itself is not handed over. The picture is the product's own, with its trivial rivals and
what is possible.

Every method, data set and seed is an entry of ../results/peers_frontier.json: what is interrupted goes on there.
"""

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from gradient_reversal import BATCH
from ledger import RESULTS, Ledger
from problems import Problem, adult, compas, german

import methods
from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.frontier_record import FrontierCell, FrontierRecord
from withhold.contracts.quantity import Quantity
from withhold.data.frames import to_frame
from withhold.report.frontier import pictures
from withhold.workflow.choosing.measure import measure
from withhold.workflow.choosing.trial import Candidate, part_of, recorded
from withhold.workflow.frontier.cells import kept_information
from withhold.workflow.frontier.compare import frontier_of
from withhold.workflow.job import Job, job_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

BUDGETS, LIMIT, PARTS = (0.01, 0.03, 0.1), 40.0, (0.4, 0.3)
STEPS = (150, 1_000)
DATA = {"German": (german, 1_000), "COMPAS": (compas, 6_000), "Adult": (adult, 10_000)}
Fit = Callable[[Problem, int], methods.Transform]
RIVALS = ("raw", "hard prediction of U")


def each(fit: Callable, name: str, *values: float) -> dict[str, Fit]:
    """Return a method at several values of its one setting, the usual value first."""
    return {f"{name}={value:g}": partial(fit, **{name: value}) for value in values}


def trained(fit: Callable, name: str, *values: float) -> dict[str, Fit]:
    """Return a method at several values of its weight, each trained for one of STEPS: few rows make short epochs."""

    def made(steps: int, value: float) -> Fit:
        def fit_long(problem: Problem, seed: int) -> methods.Transform:
            batches = max(1, int(problem.fit.sum()) // BATCH)
            return fit(problem, seed, epochs=math.ceil(steps / batches), **{name: value})

        return fit_long

    return {f"{name}={value:g}, {steps} steps": made(steps, value) for value in values for steps in STEPS}


METHODS: dict[str, dict[str, Fit]] = {
    "raw": {"": methods.raw},
    "hard prediction of U": {"": methods.hard_prediction},
    "LEACE": {"": methods.leace},
    "INLP": each(methods.null_space, "iterations", 35, 10, 3, 1),
    "LFR (AIF360)": each(methods.fair_representation, "Az", 50, 500, 5),
    "AdversarialFairness (fairlearn)": trained(methods.adversarial_fairness, "alpha", 1, 3, 10, 0.3),
    "gradient reversal": trained(methods.reversal, "weight", 1, 3, 10, 0.3),
    "DeepMinMax, table": {
        f"budget={budget:g}": methods.deepminmax(budget=budget, decode="sample") for budget in (0.025, 0.008, 0.08)
    },
    "DeepMinMax with y": {
        f"budget={budget:g}": methods.deepminmax("labels", budget=budget, output="representation")
        for budget in (0.025, 0.008, 0.08)
    },
}


@dataclass(frozen=True)
class Division:
    """A data set with its rows divided; jobs about the fitted rows and those of one other part.

    Attributes
    ----------
    problem : Problem
        Fitted rows are those of the first part.
    tuning, audit : tuple of (Job, ndarray)
        With the positions of their rows.
    """

    problem: Problem
    tuning: tuple[Job, np.ndarray]
    audit: tuple[Job, np.ndarray]

    @classmethod
    def of(cls, name: str, seed: int) -> "Division":
        """Divide a data set for a seed; of more rows than it is to have, as many at random."""
        load, most = DATA[name]
        whole = load(seed)
        rows = np.random.default_rng([seed, 11]).permutation(len(whole.s))[:most]
        table = whole.table.iloc[rows].reset_index(drop=True)
        fitted, tuned = (round(sum(PARTS[: i + 1]) * len(rows)) for i in (0, 1))
        place = np.arange(len(rows))
        problem = Problem(table, whole.s[rows], whole.u[rows], place < fitted, whole.names)
        job = job_for(problem, seed)
        some = [
            np.flatnonzero((place < fitted) | part) for part in ((place >= fitted) & (place < tuned), place >= tuned)
        ]
        tuning, audit = ((part_of(job, one, problem.fit[one]), one) for one in some)
        return cls(problem, tuning, audit)


def job_for(problem: Problem, seed: int, swapped: bool = False) -> Job:
    """Return the job of a problem; swapped, U is hidden and S useful, so that what is kept of S can be measured."""
    hidden, useful = problem.names
    table = problem.table.assign(**{hidden: problem.s, useful: problem.u})
    roles = (useful, hidden) if swapped else (hidden, useful)
    request = Request(Path("data.parquet"), (roles[0],), (roles[1],), method="identity", drop_utility=True, seed=seed)
    return job_of(request, Source(request.data, to_frame(table, "X").table, "", ".parquet"))


def table_of(released: object) -> pa.Table:
    """Return a release, table or matrix, as a table."""
    frame = released if isinstance(released, pd.DataFrame) else pd.DataFrame(np.asarray(released))
    frame = frame.rename(columns={name: f"z{name}" for name in frame if isinstance(name, int)})
    return pa.Table.from_pandas(frame, preserve_index=False)


def told_in_tuning(division: Division, released: pa.Table, seed: int) -> tuple[Quantity, Quantity]:
    """Return what a release tells of S and what it keeps of U on rows for choosing settings."""
    job, rows = division.tuning
    part = released.take(pa.array(rows))
    other = part_of(job_for(division.problem, seed, swapped=True), rows, division.problem.fit[rows])
    found = kept_information(other, part), kept_information(job, part)
    assert all(one is not None for one in found)
    return found


def case(data: str, method: str, seed: int) -> dict:
    """Fit every setting for which there is time, take one for each budget, and measure these."""
    division = Division.of(data, seed)
    seen: dict[str, dict] = {}
    made: dict[str, pa.Table] = {}
    spent = 0.0
    for setting, fit in METHODS[method].items():
        if spent > LIMIT:
            break
        started = time.process_time()
        try:
            released = table_of(fit(division.problem, seed)())
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            seen[setting] = {"failed": str(error)[:200]}
            continue
        finally:
            seconds = time.process_time() - started
            spent += seconds
        leak, kept = told_in_tuning(division, released, seed)
        made[setting] = released
        seen[setting] = {"leak": round(leak.value, 4), "kept": round(kept.value, 4), "seconds": round(seconds, 2)}
    if not made:
        return {"settings": seen, "taken": {}, "cells": {}}
    taken = {f"{budget:g}": taken_for(budget, {one: seen[one] for one in made}) for budget in BUDGETS}
    job, rows = division.audit
    cells = {}
    for setting in dict.fromkeys(taken.values()):
        started, part = time.process_time(), made[setting].take(pa.array(rows))
        trial = recorded(
            job,
            method,
            measure(job, part),
            started,
            settings=[setting] if setting else [],
            fit_seconds=seen[setting]["seconds"],
        )
        kept = kept_information(job, part)
        cells[setting] = {"trial": trial.model_dump(mode="json"), "kept": kept.model_dump(mode="json")}
    return {"settings": seen, "taken": taken, "cells": cells}


def taken_for(budget: float, seen: dict[str, dict]) -> str:
    """Return the setting that keeps most within a budget; where none is within it, the one that tells least."""
    within = {name: one for name, one in seen.items() if one["leak"] <= budget}
    if within:
        return max(within, key=lambda name: within[name]["kept"])
    return min(seen, key=lambda name: seen[name]["leak"])


def record_of(data: str, cases: dict[str, dict]) -> FrontierRecord | None:
    """Put what was measured into one record, of the seeds for which every method was, beside the product's rivals."""
    cells, seeds = [], set()
    done = [{key.split(" / ")[2] for key in cases if key.startswith(f"{data} / {method} / ")} for method in METHODS]
    for key, one in cases.items():
        name, method, seed = key.split(" / ")
        if name != data or not one["cells"] or not all(seed in measured for measured in done):
            continue
        seeds.add(int(seed))
        several = len(METHODS[method]) > 1
        for budget, setting in one["taken"].items() if several else [("", next(iter(one["cells"])))]:
            measured = one["cells"][setting]
            trial = TrialRecord.model_validate(measured["trial"])
            trial = trial.model_copy(update={"settings": [f"within={budget}"] if budget else []})
            kept = Quantity.model_validate(measured["kept"])
            rival = method in RIVALS
            cells.append(FrontierCell(name=method, rival=rival, seed=int(seed), trial=trial, kept=kept))
    if not cells:
        return None
    problem = Division.of(data, 0).problem
    request = replace(job_for(problem, 0).request, method="identity")
    table = problem.table.assign(**dict(zip(problem.names, (problem.s, problem.u), strict=True)))
    source = Source(request.data, to_frame(table, "X").table, "", ".parquet")
    with tempfile.TemporaryDirectory() as folder:
        own = frontier_of(
            request, source, [Candidate("leace")], BUDGETS, seeds=1, folder=Path(folder), jobs=1, log=lambda text: None
        )
    noise = [cell for cell in own.cells if cell.rival and cell.name == "noise"]
    return own.model_copy(update={"cells": [*cells, *noise], "seeds": sorted(seeds), "notes": []})


def main() -> None:
    """Measure what is missing, then draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="*", default=list(DATA))
    parser.add_argument("--method", nargs="*", default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which no case begins")
    parser.add_argument("--draw", action="store_true", help="draw what was measured")
    options = parser.parse_args()
    ledger, began = Ledger("peers_frontier"), time.monotonic()
    cases = [
        (data, seed, method) for data in options.data for seed in range(options.seeds) for method in options.method
    ]
    for data, seed, method in cases if not options.draw else ():
        if time.monotonic() - began < options.deadline:
            ledger.measure(f"{data} / {method} / {seed}", lambda a=(data, method, seed): case(*a))
    for data in options.data if options.draw else ():
        record = record_of(data, ledger.cases)
        if record is not None:
            (RESULTS / f"peers_frontier_{data.lower()}.svg").write_text(pictures(record)[0])
            print(record.to_frame().groupby(["name", "settings"])[["leakage", "high", "kept"]].mean().round(4))


if __name__ == "__main__":
    main()
