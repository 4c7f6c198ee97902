"""The table of choices: what a run that chooses keeps and costs, beside every method alone."""

from collections.abc import Mapping

from results_page import results
from tables import figure

from withhold.workflow.choosing.objective import TIE


def alone(case: Mapping) -> dict[str, dict]:
    """The methods that ran alone."""
    return {name: one for name, one in case.items() if isinstance(one, dict) and "seconds" in one and name != "auto"}


def best_alone(case: Mapping, budget: float) -> str | None:
    """The method that keeps most with its upper end within the budget; None where none has it there."""
    within = {name: one for name, one in alone(case).items() if one["high"] is not None and one["high"] <= budget}
    return max(within, key=lambda name: within[name]["utility"], default=None)


def rows(cases: Mapping[str, dict]) -> list[str]:
    """Return a line for each table and budget."""
    lines = [
        "| table, hidden | budget | rows | chosen | at most (nat) | verdict | U, original | best method alone, its U "
        "| CPU time |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for key in sorted(cases, key=lambda key: (key.split()[:2], -float(key.split()[2]))):
        case, (name, hidden, budget, *more) = cases[key], key.split()
        hidden += " (one purpose)" if "purpose" in more else ""
        auto, best = case["auto"], best_alone(case, float(budget))
        verdict = auto["verdict"] if not auto["cause"] else f"{auto['verdict']} ({auto['cause'].replace('_', ' ')})"
        kept = "none within the budget" if best is None else f"{best}, {figure(case[best]['utility'])}"
        # Where no method holds the budget, time is compared with the default's; of images, which it does not take, with
        # that of the method that was chosen.
        usual = "deepminmax" if "seconds" in case["deepminmax"] else auto["method"].split()[0]
        ratio = auto["seconds"] / case[best or usual]["seconds"]
        lines.append(
            f"| {name}, {hidden} | {budget} | {case['rows']:,} | {auto['method']} | {figure(auto['high'])} | {verdict} "
            f"| {figure(auto['utility'])}, {figure(auto['raw_utility'])} | {kept} | {ratio:.1f} |"
        )
    return lines


def sentence(cases: Mapping[str, dict]) -> str:
    """Count the cases that keep what the best method alone keeps, and those whose upper end is within the budget."""
    budgets = {key: float(key.split()[2]) for key in cases}
    best = {key: best_alone(case, budgets[key]) for key, case in cases.items()}
    compared = [key for key in cases if best[key] is not None]
    as_good = [key for key in compared if cases[key]["auto"]["utility"] >= cases[key][best[key]]["utility"] - TIE]
    within = [key for key in cases if cases[key]["auto"]["high"] <= budgets[key]]
    passed = [key for key in cases if cases[key]["auto"]["verdict"] == "pass"]
    return (
        f"In {len(within)} of {len(cases)} cases the upper end of the chosen release is within the budget, "
        f"and {len(passed)} passed; the verdict says why the others did not. In {len(as_good)} of the {len(compared)} "
        f"cases where a method alone has its upper end within the budget, the chosen one keeps as much of U as the "
        f"best of these, to {TIE:g}."
    )


def choices() -> list[str]:
    """The table, and its counts."""
    cases = results("choice_auto")
    return [*rows(cases), "", sentence(cases)]
