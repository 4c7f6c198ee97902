"""DiscreteChannel on Adult, COMPAS and German credit: the symbol alone, and the rows that stand for it.

Judged as in `tables.py`: fitted on one part, audited on the other by the strong reading, the release holds no U. Beside
the audit's figures stand what the fit itself said: plug-in and corrected held-out leakage, number of cells and symbols.

    python benchmarks/aioi/channel_tables.py [--data NAME ...] [--form NAME ...] [--seed N ...] [--table]
"""

import argparse
import os
import sys
from pathlib import Path

import pandas as pd
import torch

# Both folders have a `tables`: that of this one is meant.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from ledger import Ledger, cpu_seconds  # noqa: E402
from tables import DATA, fixed_accuracy, judge, validity  # noqa: E402

from withhold.methods.discrete_channel import DiscreteChannel  # noqa: E402

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


def table(cases: dict) -> list[str]:
    """Return one row a case."""
    lines = [
        "| data, release, budget, seed | best attacker | leakage [95 %] | fit part | own: plug-in, held out | U "
        "| kept | own column | loss above the bound | make CPU s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, case in sorted(cases.items()):
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
    parser.add_argument("--form", nargs="+", choices=list(FORMS), default=["symbol", "rows"])
    parser.add_argument("--budget", nargs="+", type=float)
    parser.add_argument("--seed", nargs="+", type=int, default=[0])
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    ledger = Ledger(NAME)
    if options.table:
        print("\n".join(table(ledger.cases)))
        return
    for seed in options.seed:
        for data in options.data:
            for budget in options.budget or BUDGETS[data]:
                for form in options.form:
                    key = f"{data} / {form} / {budget:g} / {seed}"
                    arguments = (data, form, budget, seed, options.effort)
                    ledger.measure(key, lambda a=arguments: measure(*a))


if __name__ == "__main__":
    main()
