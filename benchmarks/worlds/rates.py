"""Rates over all runs of the worlds, with Clopper-Pearson intervals, and the table of attackers against worlds.

python benchmarks/worlds/rates.py [FILE]

A bar fails only if the whole 95 % interval of the rate lies beyond it.
"""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from scipy.stats import beta

RESULTS = Path(__file__).parents[1] / "results" / "worlds.json"
ORDER = (
    "logistic", "qda", "pairs", "boosting", "lookup", "neighbours", "cells", "periods", "words", "links",
    "mlp", "pixels", "cnn", "mixture",
)  # fmt: skip
SCORES = ("linear_gaussian", "boosted_gaussian", "quantile")


def clopper_pearson(hits: int, runs: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a rate."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(beta.ppf(1 - tail, hits + 1, runs - hits))
    return low, high


def judgements(runs: Iterable[dict]) -> list[dict]:
    """Each run; with several S each alone beside the joint one; with subjects what all records of one tell."""
    out = []
    for run in runs:
        out.append(run)
        for name, one in run.get("each", {}).items():
            out.append({**run, **one, "world": f"{run['world']} ({name} alone)", "form": None})
        if "subject_truth" in run and "subject" in run:
            apart = {"truth": run["subject_truth"], "form": None, "verdict": None}
            out.append({**run, **run["subject"], **apart, "world": f"{run['world']} (a subject's records together)"})
    return out


def rate(label: str, runs: list[dict], hit: Callable[[dict], bool], bar: float) -> str:
    """One row of the table of bars."""
    hits = sum(hit(run) for run in runs)
    if not runs:
        return f"| {label} | no runs | | | |"
    low, high = clopper_pearson(hits, len(runs))
    verdict = "beyond the bar" if low > bar else ("within" if high <= bar else "not beyond")
    figures = f"{hits} of {len(runs)} | {100 * hits / len(runs):.2f} % | {100 * low:.2f} - {100 * high:.2f} %"
    return f"| {label} | {figures} | <= {100 * bar:g} %: {verdict} |"


def above_truth(run: dict) -> bool:
    """The lower end claims more than there is."""
    return run["low"] is not None and run["low"] > run["truth"] + run["truth_error"]


def _silent(run: dict) -> bool:
    """Nothing leaks; where a record tells nothing and all records of a subject tell, a fail is right."""
    return run["truth"] == 0 and not run.get("subject_truth")


def bars(runs: list[dict], misaligned: list[dict]) -> list[str]:
    """The pooled rates."""
    seen = [run for run in runs if not run["blind"]]
    planted = [run for run in seen if run["form"] and run["truth"] >= 2 * run["budget"] - 1e-6]
    silent = [run for run in seen if _silent(run) and run["verdict"] is not None]
    return [
        "| over all worlds | runs | rate | 95 % interval | bar |",
        "|---|---|---|---|---|",
        rate("pass, leak in a planted form of twice the budget", planted, lambda r: r["verdict"] == "pass", 0.05),
        rate("fail, nothing leaks", silent, lambda r: r["verdict"] == "fail", 0.05),
        rate("lower end above the truth", runs, above_truth, 0.025),
        rate("pass, S not aligned", misaligned, lambda r: r["verdict"] == "pass", 0.0),
    ]


def by_world(runs: list[dict]) -> list[str]:
    """One row a world and size: what was read, and the verdicts."""
    lines = [
        "| world | n | truth | budget | read, mean | lower end, most | pass / fail / inconclusive | limit, median |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for world in dict.fromkeys(run["world"] for run in runs):
        for n in sorted({run["n"] for run in runs if run["world"] == world}):
            own = [run for run in runs if run["world"] == world and run["n"] == n]
            counts = [sum(run["verdict"] == v for run in own) for v in ("pass", "fail", "inconclusive")]
            limits = [run["detection_limit"] for run in own if run["detection_limit"] is not None]
            limit = f"{np.median(limits):.3g}" if len(limits) > len(own) / 2 else "not reached"
            lows = max((run["low"] for run in own if run["low"] is not None), default=float("nan"))
            first = own[0]
            name = f"{world} (blind spot)" if first["blind"] else world
            lines.append(
                f"| {name} | {n:,} | {first['truth']:.3f} | {first['budget']:.3f} "
                f"| {np.mean([run['value'] for run in own]):.3f} | {lows:.3f} "
                f"| {' / '.join(map(str, counts))} | {limit} |"
            )
    return lines


def by_attacker(runs: list[dict], n: int) -> list[str]:
    """Mean reading of each attacker as a share of the truth, in per cent; on truth 0 in thousandths of a nat."""
    own = [run for run in runs if run["n"] == n and "attackers" in run]
    names = [a for a in (*ORDER, *SCORES) if any(a in run["attackers"] for run in own)]
    lines = [f"| n = {n:,} | truth | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for world in dict.fromkeys(run["world"] for run in own):
        same = [run for run in own if run["world"] == world]
        truth, cells = same[0]["truth"], []
        for name in names:
            values = [run["attackers"][name][0] for run in same if name in run["attackers"]]
            if not values:
                cells.append("")
                continue
            mean = float(np.mean(values))
            cell = f"{100 * mean / truth:.0f} %" if truth > 0 else f"{1000 * mean:.1f} mnat"
            cells.append(f"**{cell}**" if name == same[0]["home"] else cell)
        lines.append(f"| {world} | {truth:.3f} | {' | '.join(cells)} |")
    return lines


def blind_spots(runs: list[dict]) -> list[str]:
    """What is printed about leaks that no attacker of the panel finds."""
    lines = ["| blind spot | n | truth | most read | verdicts | claim |", "|---|---|---|---|---|---|"]
    for run in (run for run in runs if run["blind"] and run["seed"] == 0):
        own = [r for r in runs if r["world"] == run["world"] and r["n"] == run["n"]]
        claims = "true" if all(claim_stays_true(r) for r in own) else "FALSE"
        verdicts = ", ".join(f"{sum(r['verdict'] == v for r in own)} {v}" for v in ("pass", "fail", "inconclusive"))
        most = max(r["value"] for r in own)
        lines.append(f"| {run['world']} | {run['n']:,} | {run['truth']:.3f} | {most:.4f} | {verdicts} | {claims} |")
    return lines


def claim_stays_true(run: dict) -> bool:
    """A verdict on a missed leak speaks of the attackers that were tried, and says that it is no bound."""
    words = run["statement"]
    speaks = "No attacker of this panel learned more than" in words and "not an upper bound on leakage" in words
    return run["claim"] == "tested_attackers" and (speaks or run["verdict"] == "fail")


def alignment(runs: list[dict]) -> list[str]:
    """How often each misalignment was called unproven, and every verdict."""
    lines = ["| S of another file | n | called unproven | pass / fail / inconclusive |", "|---|---|---|---|"]
    for how in dict.fromkeys(run["alignment"] for run in runs):
        for n in sorted({run["n"] for run in runs}):
            own = [run for run in runs if run["alignment"] == how and run["n"] == n]
            counts = [sum(run["verdict"] == v for run in own) for v in ("pass", "fail", "inconclusive")]
            unproven = sum(run["unproven"] for run in own)
            if own:
                lines.append(f"| {how} | {n:,} | {unproven} of {len(own)} | {' / '.join(map(str, counts))} |")
    return lines


def exceptions(runs: list[dict]) -> list[str]:
    """Every single run that broke a bar, to be looked at."""
    lines = []
    for run in runs:
        broken = [
            word
            for word, broke in (
                ("pass", run["form"] and run["truth"] >= 2 * run["budget"] - 1e-6 and run["verdict"] == "pass"),
                ("false fail", _silent(run) and run["verdict"] == "fail"),
                ("lower end above the truth", above_truth(run)),
            )
            if broke
        ]
        if broken and not run["blind"]:
            about = f"truth {run['truth']:.4f}, [{run['low']}, {run['high']}], {run['attacker']}"
            lines.append(f"- {run['world']}, n = {run['n']:,}, seed {run['seed']}: {', '.join(broken)} ({about})")
    return lines or ["- none"]


def main() -> None:
    cases = list(json.loads((Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS).read_text()).values())
    worlds = [case for case in cases if "world" in case]
    aligned = [case for case in cases if "alignment" in case]
    runs = judgements(worlds)
    misaligned = [case for case in aligned if not case["alignment"].startswith("in order")]
    sections = [
        ("Bars", bars(runs, misaligned)),
        ("Runs that broke one", exceptions(runs)),
        ("Blind spots", blind_spots(worlds)),
        ("Alignment", alignment(aligned)),
        *((f"Attackers, n = {n:,}", by_attacker(worlds, n)) for n in sorted({run["n"] for run in worlds})),
        ("Worlds", by_world(runs)),
    ]
    hours = sum(case["cpu_seconds"] for case in cases) / 3600
    for title, lines in sections:
        print(f"### {title}\n")
        print("\n".join(lines), end="\n\n")
    print(f"{len(cases)} runs, {hours:.1f} CPU hours.")


if __name__ == "__main__":
    main()
