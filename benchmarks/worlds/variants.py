"""Variants of every kind of leak, audited as a user would: what was read of the truth (quick, budget .02).

    python benchmarks/worlds/variants.py [--processes N] [--shard i/k] [--deadline SECONDS] [--shapes TEXT] [--list]
    python benchmarks/worlds/variants.py --merge
    python benchmarks/worlds/variants.py --table

Each fails, or is inconclusive with its kind named, or is declared in docs/blind-spots.md.
"""

import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

from ledger import RESULTS  # noqa: E402

from known_worlds.variants.registry import BY_NAME, VARIANTS  # noqa: E402

NAME, BUDGET, SEED = "variants", 0.02, 1


def key(case: Case) -> str:
    """Name of a run in the file."""
    return f"{case[0]} / seed={case[3]}"


def measure(name: str, _: str, n: int, seed: int) -> tuple[dict, float, float]:
    """Audit one variant; return what was said of it and what it cost."""
    from withhold import audit_release

    variant = BY_NAME[name]
    drawn = variant.draw(seed)
    cpu, wall = time.process_time(), time.perf_counter()
    record = audit_release(
        drawn.release,
        sensitive_features=drawn.sensitive["s"],
        groups=drawn.groups,
        budget=BUDGET,
        effort="quick",
        progress=lambda _: None,
    )
    (found,) = record.sensitive.values()
    whole = found.subject_level
    read = found.leakage_total if whole is None or not variant.grouped else whole.leakage
    about = {
        "kind": variant.kind,
        "truth": round(variant.truth, 4),
        "verdict": record.verdict,
        "read": round(read.value, 4),
        "low": None if read.low is None else round(read.low, 4),
        "high": None if read.high is None else round(read.high, 4),
        "of": "subject" if read is not found.leakage_total else "record",
        "attacker": read.attacker,
        "untested": sorted(found.untested),
        "named": sorted({f.code for f in record.findings if f.severity in ("critical", "warning")}),
    }
    return about, time.process_time() - cpu, time.perf_counter() - wall


def table() -> str:
    """One line for each variant."""
    cases = json.loads((RESULTS / f"{NAME}.json").read_text())
    lines = ["| variant | truth | read [95 %] | verdict | warnings |", "|---|---|---|---|---|"]
    for one in VARIANTS:
        case = cases.get(key((one.name, "", one.n, SEED)))
        if case is not None:
            ends = f"[{case['low']:.3f}, {case['high']:.3f}]"
            named = ", ".join(f"`{code}`" for code in case["named"])
            lines.append(
                f"| {one.name} | {case['truth']:.3f} | {case['read']:.3f} {ends} | {case['verdict']} | {named} |"
            )
    return "\n".join(lines)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--shapes", default="", help="only variants with this in their name")
    options.add_argument("--table", action="store_true", help="print what was found")
    given = options.parse_args()
    if given.table:
        print(table())
        return
    todo = [(one.name, "", one.n, SEED) for one in VARIANTS if given.shapes in one.name]
    sys.exit(1 if work(NAME, given, todo, key, measure) else 0)


if __name__ == "__main__":
    main()
