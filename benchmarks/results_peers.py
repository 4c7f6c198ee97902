"""The table of peers at equal leakage: what each tells and keeps of rows that neither its fit nor its settings saw."""

import statistics
from collections.abc import Mapping

from results_page import results
from tables import figure

BUDGETS = ("0.01", "0.03", "0.1")
METHODS = (
    "raw", "hard prediction of U", "LEACE", "INLP", "LFR (AIF360)", "AdversarialFairness (fairlearn)",
    "gradient reversal", "DeepMinMax, table", "DeepMinMax with y",
)  # fmt: skip
HEAD = "told, kept (nat) within {budget}"


def by_data(cases: Mapping[str, dict]) -> dict[str, dict[str, list[dict]]]:
    """Return the cases by data set and method, of the seeds for which every method was measured that was at all."""
    found: dict[str, dict[str, dict[str, dict]]] = {}
    for key, case in cases.items():
        data, method, seed = key.split(" / ")
        found.setdefault(data, {}).setdefault(method, {})[seed] = case
    common = {data: set.intersection(*map(set, methods.values())) for data, methods in found.items()}
    return {
        data: {name: [of[seed] for seed in sorted(common[data])] for name, of in methods.items()}
        for data, methods in found.items()
        if common[data]
    }


def measured(case: Mapping, budget: str) -> tuple[float, float] | None:
    """Return what the release that a method took for a budget tells and keeps; None where nothing could be fitted."""
    if not case["cells"]:
        return None
    cell = case["cells"][case["taken"][budget]]
    return cell["trial"]["leakage"]["value"], cell["kept"]["value"]


def means(cases: list[dict], budget: str) -> tuple[float, float] | None:
    """Return the means over seeds."""
    found = [measured(case, budget) for case in cases]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    return statistics.mean(one[0] for one in known), statistics.mean(one[1] for one in known)


def half_widths(methods: Mapping[str, list[dict]]) -> tuple[float, float]:
    """Return how far intervals of one seed reach up from what is told and from what is kept: medians."""
    cells = [cell for cases in methods.values() for case in cases for cell in case["cells"].values()]
    told = [cell["trial"]["leakage"]["high"] - cell["trial"]["leakage"]["value"] for cell in cells]
    kept = [cell["kept"]["high"] - cell["kept"]["value"] for cell in cells]
    return statistics.median(told), statistics.median(kept)


def winner(methods: Mapping[str, list[dict]], budget: str) -> str:
    """Return in words which method keeps most of those that tell no more than a budget in the mean, and how often."""
    found = {name: means(cases, budget) for name, cases in methods.items() if name != "raw"}
    within = {name: one[1] for name, one in found.items() if one is not None and one[0] <= float(budget)}
    if not within:
        return f"within {budget} nobody is"
    first, *others = sorted(within, key=lambda name: -within[name])
    if not others:
        return f"within {budget} only {first} is, {figure(within[first])}"
    seeds = len(methods[first])
    pairs = zip(methods[first], methods[others[0]], strict=True)
    ahead = sum(measured(one, budget)[1] > measured(two, budget)[1] for one, two in pairs)
    return (
        f"within {budget} {first} keeps {figure(within[first])} and {others[0]} {figure(within[others[0]])} "
        f"(the first is ahead in {ahead} of {seeds} seeds; {len(within)} methods are within it)"
    )


def equal_leakage() -> list[str]:
    """The table, and who keeps most at each budget."""
    lines = [
        "| data set | method | " + " | ".join(HEAD.format(budget=budget) for budget in BUDGETS) + " |",
        "|---|---|---|---|---|",
    ]
    sentences = []
    for data, methods in by_data(results("peers_frontier")).items():
        for name in METHODS:
            if name not in methods:
                lines.append(f"| {data} | {name} | not measured yet | | |")
                continue
            cells = [means(methods[name], budget) for budget in BUDGETS]
            shown = ["cannot be fitted" if one is None else ", ".join(map(figure, one)) for one in cells]
            lines.append(f"| {data} | {name} | {' | '.join(shown)} |")
        seeds = len(methods["raw"])
        told, kept = half_widths(methods)
        who = "; ".join(winner(methods, budget) for budget in BUDGETS)
        left = [name for name in METHODS if name not in methods]
        without = f", of those that are measured (without {' and '.join(left)})" if left else ""
        sentences.append(
            f"- {data}, {seeds} seed{'s' * (seeds != 1)}{without}: {who}. The interval of one seed reaches "
            f"{figure(told)} nat up from what is told and {figure(kept)} from what is kept (medians)."
        )
    return [*lines, "", *sentences]
