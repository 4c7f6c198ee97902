"""Print the tables of README.md from the committed results: mean, bias and spread over seeds, seconds a fit.

python benchmarks/estimators/table.py
"""

import json
import statistics
from collections import defaultdict
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"


def load(name: str) -> dict[tuple[str, str, int], list[dict]]:
    """Fits by problem, estimator and size."""
    groups: dict[tuple[str, str, int], list[dict]] = defaultdict(list)
    file = RESULTS / f"{name}.json"
    for fit in json.loads(file.read_text()).values() if file.exists() else []:
        groups[fit["problem"], fit["estimator"], fit["n"]].append(fit)
    return groups


def number(value: float | None) -> str:
    """Three decimals without the leading zero; negative zero is zero."""
    if value is None:
        return "–"
    text = f"{value:.3f}"
    text = "0.000" if text == "-0.000" else text
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def cell(fits: list[dict]) -> str:
    """Mean and spread of the values, or why there is none."""
    values = [fit["value"] for fit in fits if fit["value"] is not None]
    if not values:
        return "fails" if fits else "–"
    spread = f" ± {number(statistics.stdev(values))}" if len(values) > 1 else ""
    return number(statistics.mean(values)) + spread


def values(name: str) -> list[str]:
    """One table a size: problems in rows, estimators in columns."""
    groups, lines = load(name), []
    problems = list(dict.fromkeys(problem for problem, _, _ in groups))
    estimators = list(dict.fromkeys(estimator for _, estimator, _ in groups))
    for n in sorted({n for _, _, n in groups}):
        seeds = max(len(fits) for (_, _, size), fits in groups.items() if size == n)
        lines += [f"n = {n:,}, up to {seeds} seeds: mean ± spread over seeds, in nats", ""]
        lines += [f"| problem | truth | {' | '.join(estimators)} |", "|---|---|" + "---|" * len(estimators)]
        for problem in problems:
            row = [groups.get((problem, estimator, n), []) for estimator in estimators]
            truth = next((fits[0]["truth"] for fits in row if fits), None)
            if truth is not None:
                lines.append(f"| {problem} | {number(truth)} | {' | '.join(map(cell, row))} |")
        lines.append("")
    return lines


def summary(name: str) -> list[str]:
    """One row an estimator: errors over all problems it takes, false bounds, coverage and time."""
    groups = load(name)
    lines = [
        "| estimator | n | fits | median bias | largest excess | low end above truth | interval holds truth "
        "| CPU s: median, most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n in sorted({n for _, _, n in groups}):
        for estimator in dict.fromkeys(e for _, e, _ in groups):
            fits = [f for (_, e, size), fs in groups.items() if (e, size) == (estimator, n) for f in fs]
            fits = [f for f in fits if f["value"] is not None]
            if not fits:
                continue
            errors = [f["value"] - f["truth"] for f in fits]
            above = held = "–"
            if "low" in fits[0]:
                above = f"{sum(f['low'] > f['truth'] for f in fits)}"
                held = f"{sum(f['low'] <= f['truth'] <= f['high'] for f in fits)}"
            seconds = [f["cpu_seconds"] for f in fits]
            lines.append(
                f"| {estimator} | {n:,} | {len(fits)} | {number(statistics.median(errors))} | {number(max(errors))} "
                f"| {above} | {held} | {statistics.median(seconds):.1f}, {max(seconds):.1f} |"
            )
    return lines


def printed(name: str) -> list[str]:
    """What training batches showed beside the held-out value, for the critics."""
    groups = load(name)
    lines = ["| problem | truth | estimator | n | last training batches | held out |", "|---|---|---|---|---|---|"]
    chosen = ("unrelated, d = 5", "Gaussian, d = 20, I = 0.1", "Gaussian, d = 20, I = 0.5")
    for (problem, estimator, n), fits in groups.items():
        if problem in chosen and estimator in ("MINE", "MINE, batches of 16") and "batch_value" in fits[0]:
            shown = number(statistics.mean(f["batch_value"] for f in fits))
            lines.append(f"| {problem} | {number(fits[0]['truth'])} | {estimator} | {n:,} | {shown} | {cell(fits)} |")
    return lines


def main() -> None:
    for part in (summary("estimators"), values("estimators"), printed("estimators"), values("estimators_peers")):
        print("\n".join(part), end="\n\n")
    print("\n".join(summary("estimators_peers")))


if __name__ == "__main__":
    main()
