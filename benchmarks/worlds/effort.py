"""Does more effort read more? Twenty variants of leaks audited at quick and at standard, the same rows.

    python benchmarks/worlds/effort.py [--processes N] [--shard i/k] [--deadline SECONDS] [--list]
    python benchmarks/worlds/effort.py --merge
    python benchmarks/worlds/effort.py --table

Both audits score every row, so that the difference is taken row by row; its standard error is that of its mean.
Standard must not read less than quick by more than two of them. Without a budget nothing is planted, which costs half
and changes no reading.
"""

import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

import numpy as np  # noqa: E402
from ledger import RESULTS  # noqa: E402

from known_worlds.variants.registry import BY_NAME, VARIANTS  # noqa: E402

NAME, SEED, SHAPES, MOST_ROWS = "effort", 1, 20, 3_000


def key(case: Case) -> str:
    """Name of a run in the file."""
    return f"{case[0]} / seed={case[3]}"


def chosen() -> list[Case]:
    """Twenty small variants, each kind in turn."""
    small = sorted((one for one in VARIANTS if one.n <= MOST_ROWS and not one.grouped), key=lambda one: one.n)
    turn: dict[str, int] = {}
    ranked = []
    for one in small:
        turn[one.kind] = turn.get(one.kind, 0) + 1
        ranked.append((turn[one.kind], one.n, one.name))
    return [(name, "", n, SEED) for _, n, name in sorted(ranked)[:SHAPES]]


def measure(name: str, _: str, n: int, seed: int) -> tuple[dict, float, float]:
    """Audit one variant at both efforts; return the difference and what it cost."""
    from withhold import audit_release

    drawn = BY_NAME[name].draw(seed)
    cpu, wall = time.process_time(), time.perf_counter()
    read = {}
    for effort in ("quick", "standard"):
        tables = []
        audit_release(
            drawn.release,
            sensitive_features=drawn.sensitive["s"],
            effort=effort,
            exposure=tables.append,
            progress=lambda _: None,
        )
        rows, ratio = (tables[0].column(column).to_numpy() for column in ("row", "log_ratio"))
        read[effort] = np.full(n, np.nan)
        read[effort][rows] = ratio
    off = (read["standard"] - read["quick"])[np.isfinite(read["standard"]) & np.isfinite(read["quick"])]
    about = {
        "truth": round(BY_NAME[name].truth, 4),
        "quick": round(float(np.nanmean(read["quick"])), 4),
        "standard": round(float(np.nanmean(read["standard"])), 4),
        "difference": round(float(off.mean()), 4),
        "standard_error": round(float(off.std(ddof=1) / len(off) ** 0.5), 4),
        "rows": len(off),
    }
    return about, time.process_time() - cpu, time.perf_counter() - wall


def table() -> str:
    """One line for each variant."""
    cases = json.loads((RESULTS / f"{NAME}.json").read_text())
    lines = ["| variant | truth | quick | standard | difference | standard error | |", "|---|---|---|---|---|---|---|"]
    for name, one in cases.items():
        kept = "" if one["difference"] >= -2 * one["standard_error"] else "less"
        numbers = [f"{one[word]:.4f}" for word in ("truth", "quick", "standard", "difference", "standard_error")]
        lines.append(f"| {name.rpartition(' / ')[0]} | {' | '.join(numbers)} | {kept} |")
    return "\n".join(lines)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--table", action="store_true", help="print what was found")
    given = options.parse_args()
    if given.table:
        print(table())
        return
    sys.exit(1 if work(NAME, given, chosen(), key, measure) else 0)


if __name__ == "__main__":
    main()
