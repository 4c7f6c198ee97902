"""Random tables over every Arrow type through Python and the command line: a result, or a sentence with a remedy.

python benchmarks/types/fuzz.py [--processes N] [--shard i/k] [--deadline SECONDS] [--ways python,bounds,...] [--list]
python benchmarks/types/fuzz.py --merge | --table

2,000 tables go through fit, transform, save and load in Python; 300 each through `audit_release` and `bounds`; 150 each
through `audit` and `run`. What is drawn and tried stands in tests/laws/arrow_trials.py, of which the tests run some.
Resumable, in lots of tables: a lot that is in the file is not repeated. A crash of the process shows as a missing lot.
"""

import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests")]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

from ledger import Ledger  # noqa: E402

from laws.arrow_trials import case  # noqa: E402

NAME = "types_fuzz"
WAYS = {"python": 2000, "audit_release": 300, "bounds": 300, "audit": 150, "run": 150}
LOT = {"python": 50, "audit_release": 10, "bounds": 20, "audit": 10, "run": 5}


def lots(ways: list[str]) -> list[Case]:
    """All lots of tables, the ways taking turns."""
    every = [(first / WAYS[way], way, first) for way in ways for first in range(0, WAYS[way], LOT[way])]
    return [("tables", way, LOT[way], first) for _, way, first in sorted(every)]


def key(lot: Case) -> str:
    """Name of a lot in the file."""
    _, way, n, first = lot
    return f"{way} / {first} to {first + n - 1}"


def run_lot(kind: str, way: str, n: int, first: int) -> tuple[dict, float, float]:
    """Run some tables; return how often each type arrived and was refused, and what was raw."""
    cpu, wall = time.process_time(), time.perf_counter()
    given, refused, faults, done = Counter(), Counter(), {}, 0
    for seed in range(first, first + n):
        table, told = case(way, seed)
        kind_of = {name: str(table.schema.field(name).type) for name in table.column_names if name[0] == "c"}
        given.update(kind_of[name] for name in told.given if name in kind_of)
        refused.update(kind_of[name] for name in told.refused)
        faults |= {str(seed): told.faults} if told.faults else {}
        done += told.done
    values = {"way": way, "tables": n, "done": done, "given": dict(given), "refused": dict(refused), "faults": faults}
    return values, time.process_time() - cpu, time.perf_counter() - wall


def summary() -> None:
    """Print, for each way, how many tables went through it, what came out, and how often the rarest type did."""
    print("| way | tables | done | raw or wrong | least often a type | columns refused in a sentence | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for way in WAYS:
        found = [entry for entry in Ledger(NAME).cases.values() if entry["way"] == way]
        given, refused = Counter(), Counter()
        for entry in found:
            given.update(entry["given"])
            refused.update(entry["refused"])
        tables, done = sum(entry["tables"] for entry in found), sum(entry["done"] for entry in found)
        wrong, cpu = sum(len(entry["faults"]) for entry in found), sum(entry["cpu_seconds"] for entry in found)
        least = f"{min(given.values(), default=0)} ({len(given)} types)"
        share = f"{sum(refused.values()):,} of {sum(given.values()):,}"
        print(f"| {way} | {tables:,} | {done:,} | {wrong} | {least} | {share} | {cpu:.0f} |")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--ways", default=",".join(WAYS))
    options.add_argument("--table", action="store_true", help="print what is in the file and stop")
    given = options.parse_args()
    if given.table:
        summary()
        return
    sys.exit(1 if work(NAME, given, lots(given.ways.split(",")), key, run_lot) else 0)


if __name__ == "__main__":
    main()
