"""Print the tables of this folder's README from the committed results.

python benchmarks/audit/tables.py
"""

import json
import statistics
from pathlib import Path

from withhold.audit.duration import Sizes, estimate_seconds
from withhold.audit.effort import EFFORTS

RESULTS = Path(__file__).parents[1] / "results"
STAGES = ("reading", "utility", "retention", "attack", "attack with U", "plants", "controls", "linkage", "findings")


def cases(name: str) -> dict[str, dict]:
    """Measured cases of one benchmark; none where it was not run."""
    path = RESULTS / f"audit_{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def table(head: list[str], rows: list[list[object]]) -> str:
    """One Markdown table."""
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def foretold(name: str, case: dict) -> float:
    """What the audit says before it starts about a case, by the code as it is now."""
    effort, size, given = name.split(" / ")
    columns = int(size.split(" x ")[1])
    utility, original = "U" in given, columns if "original" in given else 0
    sizes = Sizes(case["rows_judged"], *case["read_as"], 1 + utility, 1, int(utility), original)
    return estimate_seconds(sizes, EFFORTS[effort])


def cost() -> str:
    """Seconds by stage, and what is foretold."""
    rows = []
    for name, case in cases("cost").items():
        spent = case["audit_cpu_seconds"]
        stages = [f"{case['stages'][stage]:.0f}" if stage in case["stages"] else "–" for stage in STAGES]
        said, slow, memory = f"{foretold(name, case):.0f}", case["slowdown"], case["peak_memory_mb"]
        rows.append([name, case["read_as"][0], f"**{spent:.0f}**", said, slow, memory, *stages])
    return table(["audit", "read as", "CPU s", "foretold", "slowdown", "MB", *STAGES], rows)


def attackers_of_an_audit() -> str:
    """Seconds of each attacker, both attacks of one audit together."""
    found = {name: case for name, case in cases("cost").items() if " 50000 x 64 / U and original" in name}
    sums: dict[str, dict[str, float]] = {}
    for name, case in found.items():
        for attacker, seconds in case["attackers"].items():
            own = sums.setdefault(attacker.split(" ")[0], {})
            own[name] = own.get(name, 0.0) + seconds
    order = sorted(sums, key=lambda attacker: -max(sums[attacker].values()))
    return table(["attacker", *found], [[a, *(f"{sums[a].get(name, 0.0):.1f}" for name in found)] for a in order])


def detection() -> str:
    """Worst limit of each form over the seeds, and median readings."""
    groups: dict[str, list[dict]] = {}
    for name, case in cases("detection").items():
        groups.setdefault(name.rsplit(" / ", 1)[0], []).append(case)
    rows = []
    for name, group in groups.items():
        for form in group[0]["limit"]:
            limits = [case["limit"][form] for case in group]
            worst = "not found" if None in limits else f"{max(limits):.3g}"
            read = [statistics.median(case["read"][form][size] for case in group) for size in ("0.01", "0.03")]
            rows.append([name, form, worst, *(f"{value:.4f}" for value in read), len(group)])
    return table(["panel and release", "form", "limit (worst seed)", ".01 reads", ".03 reads", "seeds"], rows)


def attackers() -> str:
    """AUC and seconds of each attacker alone."""
    groups: dict[tuple[str, str], dict[str, dict]] = {}
    for name, case in cases("attackers").items():
        world, effort, attacker, _ = name.split(" / ")
        groups.setdefault((effort, attacker), {})[world] = case
    rows = []
    for (effort, attacker), worlds in sorted(groups.items()):
        areas = [f"{worlds[w]['auc']:.3f}" if w in worlds else "–" for w in "ABC"]
        seconds = statistics.mean(case["fit_cpu_seconds"] for case in worlds.values())
        scoring = statistics.mean(case["score_cpu_seconds"] for case in worlds.values())
        rows.append([effort, attacker, *areas, f"{seconds:.1f}", f"{scoring:.1f}"])
    best = {case_name[0]: case["best_auc"] for case_name, case in cases("attackers").items()}
    bayes = ["", "best possible", *(f"{best[w]:.3f}" if w in best else "–" for w in "ABC"), "", ""]
    return table(["effort", "attacker", "A", "B", "C", "fit CPU s", "score CPU s"], [bayes, *rows])


def main() -> None:
    for part in (cost, attackers_of_an_audit, detection, attackers):
        print(part(), end="\n\n")


if __name__ == "__main__":
    main()
