"""Print the tables of the README from the committed results.

python benchmarks/tables.py
"""

import json
import statistics
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
FIGURES = ("balanced_accuracy", "leakage", "leakage_fit_part", "income", "retention", "own_information")


def figure(value: float | None, digits: int = 3) -> str:
    """Format a figure without its leading zero; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}".replace("0.", ".", 1)


def adult() -> list[str]:
    """Adult: trivial rivals and peers from one seed, DeepMinMax as medians of its seeds."""
    cases = json.loads((RESULTS / "deepminmax_adult.json").read_text())
    rows: dict[str, list[dict]] = {}
    for key, case in cases.items():
        name, _, *effort = key.split(" / ")
        if "representation" in case:
            audited = f"; {effort[0]} audit" if effort else ""
            rows.setdefault(f"**{name}, representation**{audited}", []).append(case["representation"])
            for kind, label in (("table", ""), ("table_mode", ', `decode="mode"`')):
                if kind in case:
                    rows.setdefault(f"**{name}, table**{label}{audited}", []).append(case[kind])
        else:
            rows.setdefault(name, []).append(case)
    for case in (case for group in rows.values() for case in group):
        case["income"] = max(case["utility"], case["utility_network"])
    lines = [
        "| release | best attacker | leakage (nat) | sanitiser's own rows | income | kept | own column | seeds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted(rows, key=lambda n: -statistics.median(c["leakage"] for c in rows[n])):
        one = {
            key: statistics.median(c[key] for c in rows[name]) if rows[name][0][key] is not None else None
            for key in FIGURES
        }
        cells = [figure(value) for value in one.values()]
        lines.append(f"| {name} | {' | '.join(cells)} | {len(rows[name])} |")
    return lines


def embedding() -> list[str]:
    """Embedding of rotated digits: worst and median over encoders and seeds."""
    cases = json.loads((RESULTS / "deepminmax_embedding.json").read_text())
    lines = [
        "| release | best attacker (chance .167): median, worst | digit accuracy: median, worst | runs |",
        "|---|---|---|---|",
    ]
    for method in dict.fromkeys(key.split(" / ")[0] for key in cases):
        found = [case for key, case in cases.items() if key.split(" / ")[0] == method]
        attack = [case["balanced_accuracy"] for case in found]
        digit = [max(case["digit"], case["digit_network"]) for case in found]
        lines.append(
            f"| {method} | {figure(statistics.median(attack))}, {figure(max(attack))} "
            f"| {figure(statistics.median(digit))}, {figure(min(digit))} | {len(found)} |"
        )
    return lines


def throughput() -> list[str]:
    """Rows a second and memory of `withhold transform`."""
    cases = json.loads((RESULTS / "transform_throughput.json").read_text())
    lines = [
        "| sanitiser | rows/s while streaming | rows per CPU second, start-up included | peak memory (MB) |",
        "|---|---|---|---|",
    ]
    for key, case in cases.items():
        lines.append(
            f"| {key} | {case['rows_per_second_of_streaming']:,} | {case['rows_per_cpu_second']:,} "
            f"| {case['peak_memory_mb']} |"
        )
    return lines


def peers() -> list[str]:
    """The peers, one table a problem: the worse of both parts by balanced accuracy, rows never seen by leakage."""
    cases = json.loads((RESULTS / "peers.json").read_text())
    lines = []
    for problem in dict.fromkeys(key.split(" / ")[0] for key in cases):
        lines += [
            f"**{problem}**",
            "",
            "| method | needs S | best attacker | by | leakage (nat) | fit part | U | kept | fit CPU s | rows/s | MB |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        found = {key.split(" / ")[1]: case for key, case in cases.items() if key.split(" / ")[0] == problem}
        for name in sorted(found, key=lambda n: -found[n].get("leakage", -1)):
            case = found[name]
            if "failed" in case:
                lines.append(f"| {name} | {' | '.join(['–'] * 10)} |")
                continue
            rate = case["rows_per_cpu_second"]
            cells = [
                "yes" if case["needs_s_at_transform"] else "no",
                figure(case["balanced_accuracy"]),
                case["best_attacker"],
                figure(max(0.0, case["leakage"])),
                figure(max(0.0, case["leakage_fit_part"])),
                figure(max(case["utility"], case["utility_network"])),
                figure(case["retention"]),
                f"{case['fit_cpu_seconds']:.1f}",
                "–" if rate is None else f"{rate:,}",
                str(case["peak_memory_mb"]),
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append("")
    return lines[:-1]


def releases() -> list[str]:
    """Releases of other tools: verdict and named causes."""
    cases = json.loads((RESULTS / "releases.json").read_text())
    lines = ["| release | verdict | leakage (nat) | best attacker | named causes |", "|---|---|---|---|---|"]
    for name, case in cases.items():
        named = sorted({code for severity, code, _ in case["findings"] if severity in ("critical", "warning")})
        accuracy = figure(case["balanced_accuracy"])
        causes = ", ".join(named) or "–"
        lines.append(
            f"| {name} | {case['verdict']} | {figure(case['leakage'])} | {accuracy}, {case['attacker']} | {causes} |"
        )
    return lines


def aioi() -> list[str]:
    """AIOI on tables: medians over seeds; the distance is that to the certified least loss at the leakage found."""
    cases = json.loads((RESULTS / "aioi_tables.json").read_text())
    rows: dict[str, list[dict]] = {}
    for key, case in cases.items():
        rows.setdefault(key.rsplit(" / ", 1)[0], []).append(case)
    shown = ("balanced_accuracy", "leakage", "leakage_fit_part", "u", "utility_fixed", "distance", "retention")
    shown += ("own_information", "pairs_seen")
    lines = [
        "| data / release / budget | best attacker | leakage (nat) | sanitiser's own rows | U, model trained anew "
        "| U, fixed model | distance to the bound (nat) | kept | own column | pairs seen | seeds |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted(rows):
        for case in rows[name]:
            probes = ("utility", "utility_retrained_trees", "utility_retrained_network")
            case["u"] = max(case[key] for key in probes if key in case)
        found = {key: [case[key] for case in rows[name] if case.get(key) is not None] for key in shown}
        cells = [figure(statistics.median(values) if values else None) for values in found.values()]
        lines.append(f"| {name} | {' | '.join(cells)} | {len(rows[name])} |")
    return lines


def main() -> None:
    for table in (adult, embedding, throughput, peers, releases, aioi):
        print("\n".join(table()), end="\n\n")


if __name__ == "__main__":
    main()
