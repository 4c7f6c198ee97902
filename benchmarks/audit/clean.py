"""Sixty releases that tell nothing of S: what the audit says of them (quick, budget .05).

    python benchmarks/audit/clean.py [--processes N] [--shard i/k] [--deadline SECONDS] [--label before|after] [--list]
    python benchmarks/audit/clean.py --merge
    python benchmarks/audit/clean.py --table

Fifteen shapes of tables by four sizes, 200 to 4,000 rows: ages, heaped amounts, categories, dates, text levels, missing
values, 150 columns, visits of patients, windows of sensors that stand subject by subject; and of every kind that has a
reader of its own: keys, lists, pictures, letters, exact totals. S is drawn beside them, a subject's records sharing
it, so every finding about S is a false one. Results of two commits stand side by side under
their labels; with WITHHOLD_COMMIT the measured commit is given where there is no repository.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

import numpy as np  # noqa: E402
from clean_kinds import KINDS  # noqa: E402
from clean_tables import SIZES, TABLES  # noqa: E402
from ledger import RESULTS  # noqa: E402

NAME, BUDGET = "audit_clean", 0.05
SHAPES = {made.__name__: made for made in (*TABLES, *KINDS)}


def make(shape: str, rows: int, seed: int) -> dict[str, Any]:
    """Return the arguments of one audit."""
    return SHAPES[shape](np.random.default_rng([seed, rows, list(SHAPES).index(shape)]), rows)


def key(case: Case) -> str:
    """Name of a run in the file."""
    label, shape, rows, seed = case
    return f"{label} / {shape} / {rows} rows / seed {seed}"


def measure(label: str, shape: str, rows: int, seed: int) -> tuple[dict, float, float]:
    """Audit one release; return what was said of it and what it cost."""
    from withhold import audit_release

    given = make(shape, rows, seed)
    cpu, wall = time.process_time(), time.perf_counter()
    record = audit_release(**given, budget=BUDGET, effort="quick", progress=lambda _: None)
    (found,) = record.sensitive.values()
    about = {
        "verdict": record.verdict,
        "critical": sorted({f.code for f in record.findings if f.severity == "critical"}),
        "warnings": sorted({f.code for f in record.findings if f.severity == "warning"}),
        "leakage": round(found.leakage_total.value, 4),
        "low": None if found.leakage_total.low is None else round(found.leakage_total.low, 5),
        "high": None if found.leakage_total.high is None else round(found.leakage_total.high, 4),
        "recovery": None if found.recovery is None else round(found.recovery, 3),
        "plants": {p.form: round(p.found.value, 4) for p in reversed(found.plants)},
        "columns": record.n and given["release"].shape[1],
    }
    return about, time.process_time() - cpu, time.perf_counter() - wall


def table() -> str:
    """One line a label: verdicts, critical findings and cost, over the cases measured under every label."""
    cases = json.loads((RESULTS / f"{NAME}.json").read_text())
    labels = {name.split(" / ")[0] for name in cases}
    whole = {name.partition(" / ")[2] for name in cases}
    whole = {rest for rest in whole if all(f"{label} / {rest}" in cases for label in labels)}
    cases = {name: case for name, case in cases.items() if name.partition(" / ")[2] in whole}
    lines = ["| code | pass | inconclusive | fail | critical findings | CPU s in all |", "| --- " * 6 + "|"]
    for label in dict.fromkeys(name.split(" / ")[0] for name in sorted(cases, reverse=True)):
        own = [case for name, case in cases.items() if name.startswith(f"{label} / ")]
        verdicts = Counter(case["verdict"] for case in own)
        critical = sum(len(case["critical"]) for case in own)
        counts = " | ".join(str(verdicts[word]) for word in ("pass", "inconclusive", "fail"))
        commit = sorted({case["commit"] for case in own})
        lines.append(
            f"| {label} ({', '.join(commit)}) | {counts} | {critical} | {sum(c['cpu_seconds'] for c in own):.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--label", default="after", help="under which the results are kept")
    options.add_argument("--table", action="store_true", help="print what was found")
    given = options.parse_args()
    if given.table:
        print(table())
        return
    todo = [(given.label, shape, rows, seed) for seed, rows in enumerate(SIZES) for shape in SHAPES]
    sys.exit(1 if work(NAME, given, todo, key, measure) else 0)


if __name__ == "__main__":
    main()
