"""Does a cross-fitted release decide where a split cannot, and what else helps below 1,000 rows?

    python benchmarks/choice/small.py [--case PART ...] [--rows 300 600 900] [--budget 0.3 0.2] [--seeds 3] [--table]

Whole runs of LEACE, the quickest fit, at quick effort on random rows of three tables, S permuted: nothing is there to
be found, so that a run decides where it passes. Each is done twice on the same rows, with a split and with --cross-fit
5. COMPAS is there with all its six classes, two of which have next to no members, and with the two commonest ones and
the rest pooled into two.

Every run is an entry of ../results/choice_small.json: what is interrupted goes on where it was.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from choice.auto import COPIES, pension, people
from ledger import Ledger
from results_small import small_rows

from withhold.workflow.run import run

BUDGETS, FOLDS = (0.3, 0.2), 5


def pooled() -> pd.DataFrame:
    """COMPAS with two classes."""
    table = people("compas_two_years", *COPIES)
    return table.assign(race=np.where(table.race.astype(str) == "African-American", "African-American", "other"))


CASES: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "German credit, sex": (lambda: people("german_credit", "personal_status"), "sex"),
    "401(k), married": (pension, "marr"),
    "COMPAS, race in two classes": (pooled, "race"),
    "COMPAS, race in six classes": (lambda: people("compas_two_years", *COPIES), "race"),
}


def one_run(
    load: Callable[[], pd.DataFrame], sensitive: str, rows: int, budget: float, seed: int, folds: int | None
) -> dict:
    """Release random rows with S permuted and audit them."""
    rng = np.random.default_rng([5, seed, rows])
    table = load()
    table = table.iloc[rng.permutation(len(table))[:rows]].reset_index(drop=True)
    table[sensitive] = rng.permutation(table[sensitive].astype(str).to_numpy())
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "t.parquet"
        table.to_parquet(data)
        record = run(
            data, sensitive=[sensitive], out=Path(folder) / "o", method="leace", budget=budget, effort="quick",
            seed=seed, cross_fit=folds, anyway=True,
        )  # fmt: skip
    (result,) = record.audit.sensitive.values()
    return {
        "verdict": record.audit.verdict,
        "cause": result.cause,
        "missed": sorted(plant.form for plant in result.plants if plant.size == budget and not plant.detected),
        "limit": result.detection_limit,
        "entropy": round(result.entropy, 4),
        "high": result.leakage_total.high,
        "corrected": result.corrected_high,
        "decidable": result.decidable_budget,
        "crossed": result.cross_fit_budget,
        "needed": result.rows_needed,
        "seed": seed,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", nargs="*", default=list(CASES))
    parser.add_argument("--rows", nargs="*", type=int, default=[300, 600, 900])
    parser.add_argument("--budget", nargs="*", type=float, default=BUDGETS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--deadline", type=float, default=np.inf, help="seconds after which no run is begun")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    ledger, started = Ledger("choice_small"), time.monotonic()
    seeds, asked = range(options.seeds), options.budget
    cells = [
        (seed, budget, rows, name) for seed in seeds for budget in asked for rows in options.rows for name in CASES
    ]
    for seed, budget, rows, name in [] if options.table else cells:
        if not any(part in name for part in options.case):
            continue
        for way, folds in (("split", None), ("cross-fit", FOLDS)):
            if time.monotonic() - started < options.deadline:
                load, sensitive = CASES[name]
                arguments = (load, sensitive, rows, budget, seed, folds)
                ledger.measure(f"{name} / {rows} / {budget:g} / {way} / {seed}", lambda a=arguments: one_run(*a))
    print("\n".join(small_rows(ledger.cases)))


if __name__ == "__main__":
    main()
