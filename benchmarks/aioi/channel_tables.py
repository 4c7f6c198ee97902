"""DiscreteChannel on Adult, COMPAS and German credit: the symbol alone, and the rows that stand for it.

Judged as in `tables.py`: fitted on one part, audited on the other by the strong reading, the release holds no U. Beside
the audit's figures stand what the fit itself said: plug-in and corrected held-out leakage, number of cells and symbols.

The form "counted" needs no attacker: the symbol has few values, so what it tells is counted on the rows of the other
part, with the bias of a table of counts removed and an interval that holds near independence.

    python benchmarks/aioi/channel_tables.py [--data NAME ...] [--form NAME ...] [--seed N ...] [--table]
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch

# Both folders have a `tables`: that of this one is meant.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from ledger import Ledger, cpu_seconds  # noqa: E402
from tables import DATA, fixed_accuracy, judge, validity  # noqa: E402

from withhold.information.measures.counts import information_interval  # noqa: E402
from withhold.methods.discrete_channel.discrete_channel import DiscreteChannel  # noqa: E402

NAME = "aioi_channel_tables"
FORMS = {
    "symbol": {"output": "representation"},
    "rows": {"output": "table"},
    "drawn rows": {"output": "table", "rows": "sample"},
}
BUDGETS = {"Adult": (0.02, 0.01), "COMPAS": (0.02,), "German": (0.02,)}
OWN = ("leakage", "held_out_leakage", "aim", "utility_information", "code_utility", "code_leakage", "cells", "symbols")


def measure(data: str, form: str, budget: float, seed: int, effort: str) -> dict:
    """Make one release and judge it."""
    problem, start = DATA[data](seed), cpu_seconds()
    X, s, u, fit = problem.table, problem.s, problem.u, problem.fit
    method = DiscreteChannel(budget=budget, random_state=seed, noise_seed=seed, **FORMS[form])
    release = method.fit(X[fit], u[fit], sensitive_features=s[fit]).transform(X)
    found = {f"own_{name}": method.diagnostics_[name] for name in OWN if name in method.diagnostics_}
    found["make_cpu_seconds"] = round(cpu_seconds() - start, 1)
    if isinstance(release, pd.DataFrame):
        found |= validity(release, problem) | {"utility_fixed": fixed_accuracy(release, problem, seed)}
    return judge(release, problem, seed, effort) | found


def counted(data: str, budget: float, seed: int) -> dict:
    """What the symbol tells on rows of the other part: of S, of U, and how well either is guessed from it."""
    problem, start = DATA[data](seed), cpu_seconds()
    X, s, u, fit = problem.table, problem.s, problem.u, problem.fit
    method = DiscreteChannel(budget=budget, random_state=seed, noise_seed=seed, output="representation")
    Z = method.fit(X[fit], u[fit], sensitive_features=s[fit]).transform(X).argmax(axis=1)
    found = {f"own_{name}": method.diagnostics_[name] for name in OWN if name in method.diagnostics_}
    for name, labels in (("secret", s), ("useful", u)):
        codes = np.unique(labels, return_inverse=True)[1]
        tables = []
        for part in (fit, ~fit):
            counts = np.zeros((len(method.channel_), codes.max() + 1))
            np.add.at(counts, (Z[part], codes[part]), 1)
            tables.append(counts)
        known, new = tables
        told = information_interval(new)
        # Guesses learned from the released fit part: of the likeliest class, and by likelihood for balanced accuracy.
        given = known / np.maximum(known.sum(axis=1, keepdims=True), 1)
        best, fair = given.argmax(axis=1), (given / known.sum(axis=0)).argmax(axis=1)
        right = np.array([new[fair == c, c].sum() / max(1, new[:, c].sum()) for c in range(new.shape[1])])
        found[name] = {
            "information": told.value,
            "low": told.low,
            "high": told.high,
            "accuracy": float(new[np.arange(len(new)), best].sum() / new.sum()),
            "balanced_accuracy": float(right.mean()),
            "information_fit_part": information_interval(known).value,
        }
    found["make_cpu_seconds"] = round(cpu_seconds() - start, 1)
    return found


def counted_table(cases: dict) -> list[str]:
    """Return one row a counted case."""
    lines = [
        "| data, budget, seed | I(S;Z) counted [95 %] | fit part | own: plug-in, held out | S balanced acc "
        "| U acc | I(U;Z) | CPU s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, case in sorted(cases.items()):
        if "/ counted /" not in key:
            continue
        told, useful = case["secret"], case["useful"]
        cells = [
            f"{told['information']:.4f} [{told['low']:.4f}, {told['high']:.4f}]",
            f"{told['information_fit_part']:.4f}",
            f"{case['own_leakage']:.4f}, {case.get('own_held_out_leakage', float('nan')):.4f}",
            f"{told['balanced_accuracy']:.3f}",
            f"{useful['accuracy']:.3f}",
            f"{useful['information']:.3f}",
            f"{case['make_cpu_seconds']:.0f}",
        ]
        lines.append(f"| {key.replace(' / counted', '')} | {' | '.join(cells)} |")
    return lines


def table(cases: dict) -> list[str]:
    """Return one row a case."""
    lines = [
        "| data, release, budget, seed | best attacker | leakage [95 %] | fit part | own: plug-in, held out | U "
        "| kept | own column | loss above the bound | make CPU s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, case in sorted(cases.items()):
        if "/ counted /" in key:
            continue
        interval = f"{case['leakage']:.3f} [{case['low']:.3f}, {case['high']:.3f}]"
        held = case.get("own_held_out_leakage")
        accuracy = max(case["utility"], case["utility_retrained_trees"])
        cells = [
            f"{case['balanced_accuracy']:.3f}",
            interval,
            f"{case['leakage_fit_part']:.3f}",
            f"{case['own_leakage']:.3f}, {'–' if held is None else f'{held:.3f}'}",
            f"{accuracy:.3f}",
            f"{case['retention']:.2f}",
            "–" if case["own_information"] is None else f"{case['own_information']:.2f}",
            f"{case['distance']:.3f}",
            f"{case['make_cpu_seconds']:.0f}",
        ]
        lines.append(f"| {key} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=list(BUDGETS), default=list(BUDGETS))
    parser.add_argument("--form", nargs="+", choices=["counted", *FORMS], default=["counted", "symbol", "rows"])
    parser.add_argument("--budget", nargs="+", type=float)
    parser.add_argument("--seed", nargs="+", type=int, default=[0])
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    ledger = Ledger(NAME)
    if options.table:
        print("\n".join([*table(ledger.cases), "", *counted_table(ledger.cases)]))
        return
    for seed in options.seed:
        for data in options.data:
            for budget in options.budget or BUDGETS[data]:
                for form in options.form:
                    key = f"{data} / {form} / {budget:g} / {seed}"
                    if form == "counted":
                        ledger.measure(key, lambda a=(data, budget, seed): counted(*a))
                        continue
                    arguments = (data, form, budget, seed, options.effort)
                    ledger.measure(key, lambda a=arguments: measure(*a))


if __name__ == "__main__":
    main()
