"""After an inconclusive audit, does the budget that is printed lead to a verdict when it is typed?

    python benchmarks/choice/again.py [--case PART ...] [--method leace ...] [--seeds 5] [--table]

A run of 1,000 or 2,000 random rows with a budget that they decide less often than not: three quarters of the smallest
that a plan says they can. Where it ends inconclusive, the first command that it prints is typed to the letter; one
verdict more is what counts. Nothing is permuted: releases tell what they tell.

Every run is an entry of ../results/choice_again.json: what is interrupted goes on where it was.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from choice.auto import CASES
from ledger import Ledger

from withhold import plan

TABLES = {"german sex": 1_000, "401k marr": 2_000, "compas race": 2_000, "adult sex": 2_000}
SHORT = 0.75
COMMAND = "withhold run t.parquet --sensitive {s} --utility {u} --drop-utility --method {method} --effort quick"


def judged(folder: Path, command: str) -> dict:
    """Type a command and return its verdict, and the first command it prints."""
    done = subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True)
    printed = [line[19:] for line in done.stdout.splitlines() if line[19:].startswith("withhold run")]
    found: dict = {"code": done.returncode, "next": printed[0] if printed else None}
    place = folder / "o" / "private" / "audit.json"
    if place.exists() and done.returncode in (0, 1, 4):
        record = json.loads(place.read_text())
        (result,) = record["sensitive"].values()
        found |= {key: result[key] for key in ("cause", "decidable_budget", "cross_fit_budget", "corrected_high")}
        found |= {"verdict": record["verdict"], "budget": record["budget"]}
    else:
        found["error"] = done.stderr[-300:]
    return found


def case(name: str, method: str, seed: int) -> dict:
    """Run with too small a budget, then with what is printed."""
    load, s, u, _ = CASES[name]
    table = load()
    rows = np.random.default_rng([7, seed]).permutation(len(table))[: TABLES[name]]
    table = table.iloc[rows].reset_index(drop=True)
    asked = {"sensitive": s, "utility": u, "drop_utility": True, "effort": "quick", "seed": seed}
    least = plan(table, **asked).power.decidable_budget
    if least is None:
        return {"skipped": "no budget is decided"}
    with tempfile.TemporaryDirectory() as place:
        table.to_parquet(Path(place) / "t.parquet")
        command = COMMAND.format(s=s, u=u, method=method)
        first = judged(Path(place), f"{command} --budget {SHORT * least:.2g} --seed {seed} --out o")
        typed = first.get("verdict") == "inconclusive" and first["next"] is not None
        second = judged(Path(place), first["next"]) if typed else None
    return {"decidable": least, "first": first, "second": second}


def table() -> None:
    """Print how often the second run decided."""
    print(
        "| table | method | runs | decided at once | stopped before the fit | nothing printed | typed | then decided |"
    )
    print("|---|---|---|---|---|---|---|---|")
    rows: dict[tuple[str, str], list[dict]] = {}
    for key, one in Ledger("choice_again").cases.items():
        if "first" in one:
            name, method, _ = key.split(" / ")
            rows.setdefault((name, method), []).append(one)
    for (name, method), ones in sorted(rows.items()):
        open_ones = [one for one in ones if one["first"].get("verdict") == "inconclusive"]
        stopped = sum("verdict" not in one["first"] for one in ones)
        typed = [one for one in open_ones if one["second"] is not None]
        decided = sum(one["second"].get("verdict") in ("pass", "fail") for one in typed)
        told = [
            len(ones),
            len(ones) - len(open_ones) - stopped,
            stopped,
            len(open_ones) - len(typed),
            len(typed),
            decided,
        ]
        print(f"| {name} | {method} | {' | '.join(map(str, told))} |")


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", nargs="*", default=[""])
    parser.add_argument("--method", nargs="*", default=["leace"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which no run is begun")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    ledger, began = Ledger("choice_again"), time.monotonic()
    for seed in range(options.seeds) if not options.table else ():
        for method in options.method:
            for name in TABLES:
                if any(part in name for part in options.case) and time.monotonic() - began < options.deadline:
                    ledger.measure(f"{name} / {method} / {seed}", lambda a=(name, method, seed): case(*a))
    table()


if __name__ == "__main__":
    main()
