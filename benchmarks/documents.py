"""Write the tables of README.md and docs/results.md from the committed results, between their marks.

python benchmarks/documents.py [--check]

A table stands between `<!-- figures: NAME -->` and `<!-- end -->`; NAME is a function in TABLES.
"""

import re
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import results_audit
import results_choice
import results_page
import results_peers
import results_plan
import results_sentences
import results_small
import tables
from results_page import results
from worlds import rates

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    "README.md",
    "docs/results.md",
    "docs/planning.md",
    "benchmarks/fidelity/README.md",
    "benchmarks/choice/README.md",
    "benchmarks/audit/README.md",
    "benchmarks/worlds/README.md",
    "benchmarks/peers/README.md",
)
MARKED = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)
# What the README calls the releases of Adult, from the one that gives most away.
SHORT = {
    "raw": "nothing hidden (raw)",
    "CorrelationRemover (fairlearn)": "CorrelationRemover (fairlearn)",
    "LEACE, table": "LEACE, a linear eraser",
    "hard prediction of income alone": "only a yes/no prediction of income",
    "DeepMinMax": "**withhold, DeepMinMax table**",
}


def adult_short() -> list[str]:
    """Five releases of Adult as a reader meets them: how often an attacker is right, and what is left to use."""
    groups: dict[str, list[dict]] = {}
    for key, case in results("deepminmax_adult").items():
        name, _, *effort = key.split(" / ")
        if name in SHORT and not effort:
            groups.setdefault(name, []).append(case.get("table", case))
    head = "| release | attacker right, of 100 | income predicted, of 100 | other columns kept |"
    lines = [head, "|---|---|---|---|"]
    for name, label in SHORT.items():
        attack = statistics.median(case["balanced_accuracy"] for case in groups[name])
        income = statistics.median(max(case["utility"], case["utility_network"]) for case in groups[name])
        kept = statistics.median(case["retention"] for case in groups[name])
        lines.append(f"| {label} | {100 * attack:.0f} | {100 * income:.0f} | {100 * kept:.0f} % |")
    return lines


def other_tools() -> list[str]:
    """Releases of other tools: verdict, leakage, attacker."""
    lines = ["| release | verdict | leakage (nat) | best attacker |", "|---|---|---|---|"]
    cases = results("releases")
    for name in sorted(cases, key=lambda name: -cases[name]["leakage"]):
        case = cases[name]
        figures = f"{tables.figure(case['leakage'])} | {tables.figure(case['balanced_accuracy'])}"
        lines.append(f"| {name} | {case['verdict']} | {figures} |")
    return lines


def worlds() -> list[str]:
    """Rates of the audit's errors on worlds of known leak."""
    cases = list(results("worlds").values())
    runs = rates.judgements(case for case in cases if "world" in case)
    misaligned = [c for c in cases if "alignment" in c and not c["alignment"].startswith("in order")]
    return rates.bars(runs, misaligned)


TABLES: Mapping[str, Callable[[], list[str]]] = {
    "adult_short": adult_short,
    "adult": tables.adult,
    "embedding": tables.embedding,
    "throughput": tables.throughput,
    "peers": tables.peers,
    "aioi": tables.aioi,
    "other_tools": other_tools,
    "worlds": worlds,
    "filters": results_page.filters,
    "images": results_page.images,
    "windows": results_page.windows,
    "rotated": results_page.rotated,
    "coloured": results_page.coloured,
    "private_digits": results_page.private_digits,
    "nonlinear": results_sentences.nonlinear,
    "worlds_run": results_sentences.worlds_run,
    "former": results_sentences.former,
    "clean": results_sentences.clean,
    "detection": results_sentences.detection,
    "fair": results_sentences.fair,
    "private_table": results_sentences.private_table,
    "cost": results_page.cost,
    "released_tables": results_page.released_tables,
    "released_german": lambda: results_page.released_tables("german", "German credit", "credit"),
    "behind_tables": results_page.behind_tables,
    "membership": results_page.membership,
    "agreement": results_page.agreement,
    "moves": results_page.moves,
    "draws": results_page.draws,
    "predicted": results_page.predicted,
    "ceiling": results_page.ceiling,
    "small": results_small.small,
    "choices": results_choice.choices,
    "limits": results_plan.limits,
    "chances": results_plan.chances,
    "enough_rows": results_plan.enough_rows,
    "seconds": results_plan.seconds,
    "newcomer": results_plan.newcomer,
    "equal_leakage": results_peers.equal_leakage,
    "covered": results_small.covered,
    "effort": results_audit.effort,
    "cost_kinds": results_audit.cost_kinds,
}


def written(text: str) -> str:
    """Return a document with its tables as the results have them."""
    return MARKED.sub(lambda found: f"{found[1]}{chr(10).join(TABLES[found[2]]())}\n{found[3]}", text)


def main() -> int:
    stale = [name for name in DOCUMENTS if written((ROOT / name).read_text()) != (ROOT / name).read_text()]
    if "--check" not in sys.argv:
        for name in stale:
            (ROOT / name).write_text(written((ROOT / name).read_text()))
    print(f"out of date: {', '.join(stale)}" if stale else "nothing has changed")
    return bool(stale) and "--check" in sys.argv


if __name__ == "__main__":
    sys.exit(main())
