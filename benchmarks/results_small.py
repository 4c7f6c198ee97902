"""The tables about few rows: what a cross-fitted release decides, and whether its interval holds the truth."""

import statistics
from collections.abc import Mapping

import numpy as np
from results_page import results
from tables import figure

Cases = Mapping[str, dict]


def small_rows(cases: Cases) -> list[str]:
    """Return how many runs decide with a split and cross-fitted, and how small a leak they find."""
    lines = [
        "| table | rows | budget (nat) | runs each | decided: split; cross-fitted | limit stated "
        "| smallest leak found (nat) | upper end (nat) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, int, str], dict[str, list[dict]]] = {}
    for key, case in cases.items():
        name, rows, budget, way, _ = key.split(" / ")
        groups.setdefault((name, int(rows), budget), {}).setdefault(way, []).append(case)
    for (name, rows, budget), ways in sorted(groups.items()):
        if len(ways) < 2:
            continue
        both = [ways["split"], ways["cross-fit"]]
        count = min(len(some) for some in both)
        both = [sorted(some, key=lambda case: case["seed"])[:count] for some in both]
        decided = "; ".join(str(sum(case["verdict"] in ("pass", "fail") for case in some)) for some in both)
        stated = "; ".join(str(sum(case["limit"] is not None for case in some)) for some in both)
        limits = [[case["limit"] for case in some if case["limit"] is not None] for some in both]
        found = "; ".join(figure(statistics.median(some) if some else None) for some in limits)
        highs = "; ".join(figure(statistics.median(case["high"] for case in some)) for some in both)
        lines.append(f"| {name} | {rows} | {budget} | {count} | {decided} | {stated} | {found} | {highs} |")
    return lines


def covered_rows(cases: Cases) -> list[str]:
    """Return how often intervals hold what is told: from rows alone, and with the sanitisers allowed for."""
    lines = [
        "| each fold's sanitiser | sets | told (nat) | this release within the upper end "
        "| all attackers in their intervals | what the method tells, within the upper end | mean upper end (nat) |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(key.split(" / ")[0] for key in cases):
        parts = [case for key, case in cases.items() if key.startswith(f"{name} /")]
        got = {key: np.concatenate([part[key] for part in parts]) for key, one in parts[0].items() if type(one) is list}
        told, ways = got["told"], ("alone", "folds")
        cells = [
            [f"{100 * (told <= got[f'high_{way}']).mean():.1f} %" for way in ways],
            [f"{100 * got[f'all_{way}'].mean():.1f} %" for way in ways],
            [f"{100 * (told.mean() <= got[f'high_{way}']).mean():.1f} %" for way in ways],
            [figure(float(got[f"high_{way}"].mean())) for way in ways],
        ]
        shown = " | ".join(f"{alone}; {both}" for alone, both in cells)
        lines.append(f"| {name} | {len(told)} | {figure(float(told.mean()))} | {shown} |")
    return lines


def small() -> list[str]:
    """Few rows, with a split and cross-fitted."""
    return small_rows(results("choice_small"))


def covered() -> list[str]:
    """Coverage on simulated sets."""
    return covered_rows(results("choice_coverage"))
