"""After an inconclusive audit, does the budget that is printed lead to a verdict when it is asked for?

    python benchmarks/choice/again.py [--case PART ...] [--seeds 3] [--deadline SECONDS] [--table]

LEACE is fitted on 70 % of 1,000 random rows and releases all. They are audited at quick effort with a budget that so
few rows hardly ever decide, and again, the same release, with the smallest budget that the first audit says they
can decide. Nothing is permuted: releases tell what they tell.

Every release is an entry of ../results/choice_again.json: what is interrupted goes on where it was.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from choice.auto import CASES
from choice.small import pooled
from ledger import Ledger

from withhold import LEACE, audit_release
from withhold.contracts.rounding import budget_up

ROWS, BUDGET = 1_000, 0.1
TABLES = {name: CASES[name] for name in ("german sex", "401k marr", "adult sex")} | {
    "compas race, two classes": (pooled, "race", "two_year_recid", None)
}


def case(name: str, seed: int) -> dict:
    """Audit one release with too small a budget, then with the one that is printed."""
    load, s, u, _ = TABLES[name]
    table = load()
    table = table.iloc[np.random.default_rng([7, seed]).permutation(len(table))[:ROWS]].reset_index(drop=True)
    fitted = np.arange(len(table)) < 0.7 * len(table)
    X, hidden = table.drop(columns=[s, u]), table[s].astype(str)
    made = LEACE(output="table").fit(X[fitted], sensitive_features=hidden[fitted]).transform(X)

    def judged(budget: float) -> dict:
        asked = {"fit_rows": fitted, "budget": budget, "effort": "quick", "random_state": seed}
        record = audit_release(made, sensitive_features=hidden, progress=lambda text: None, **asked)
        (result,) = record.sensitive.values()
        told = {key: getattr(result, key) for key in ("cause", "corrected_high", "decidable_budget", "entropy")}
        return {"budget": budget, "verdict": record.verdict, "high": result.leakage_total.high, **told}

    first = judged(BUDGET)
    least = first["decidable_budget"] if first["verdict"] == "inconclusive" else None
    return {"first": first, "second": None if least is None else judged(budget_up(least))}


def table() -> None:
    """Print how often the second audit decided."""
    print("| table | releases | decided at once | no budget is printed | printed (median, nat) | then decided |")
    print("|---|---|---|---|---|---|")
    rows: dict[str, list[dict]] = {}
    for key, one in Ledger("choice_again").cases.items():
        rows.setdefault(key.split(" / ")[0], []).append(one)
    for name, ones in sorted(rows.items()):
        again = [one["second"] for one in ones if one["second"] is not None]
        at_once = sum(one["first"]["verdict"] != "inconclusive" for one in ones)
        decided = sum(one["verdict"] in ("pass", "fail") for one in again)
        median = f"{np.median([one['budget'] for one in again]):.2g}" if again else "–"
        print(f"| {name} | {len(ones)} | {at_once} | {len(ones) - at_once - len(again)} | {median} | {decided} |")


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", nargs="*", default=[""])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which no release is made")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    ledger, began = Ledger("choice_again"), time.monotonic()
    for seed in range(options.seeds) if not options.table else ():
        for name in TABLES:
            if any(part in name for part in options.case) and time.monotonic() - began < options.deadline:
                ledger.measure(f"{name} / {seed}", lambda a=(name, seed): case(*a))
    table()


if __name__ == "__main__":
    main()
