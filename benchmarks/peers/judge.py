"""The reading of one release: the attackers, folds and intervals of `audit_release` at quick effort, and what was kept.

An audit also plants leaks of known size and runs controls, which set its verdict and not its readings, and cost most of
its time; a comparison of readings needs neither.
"""

from typing import Any

import pandas as pd
from problems import Problem

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.effort import find_effort
from withhold.audit.kept.kept import measure_kept
from withhold.audit.leakage.attack import Panel, attack
from withhold.audit.leakage.material import make_material
from withhold.audit.leakage.parts import Judge, attacker_results
from withhold.audit.request import make_design, parts_of, read_request

EFFORT, LEVEL = "quick", 0.95
EMBEDDING_COLUMNS = 16  # of an embedding whose retention is measured: evenly spaced, its columns being alike


def read(release: Any, problem: Problem, seed: int) -> dict:
    """Attack `release` by the strong reading: attackers train on the released fit part with its S as well."""
    sensitive, utility = problem.names
    original = problem.table
    if problem.dense:
        original = original.iloc[:, :: original.shape[1] // EMBEDDING_COLUMNS]
    request = read_request(
        release,
        pd.DataFrame({sensitive: problem.s}),
        pd.DataFrame({utility: problem.u}),
        None,
        original,
        problem.fit,
        None,
    )
    panel = Panel(choose_panel(None), list(all_score_attackers().values()))
    design = make_design(request, find_effort(EFFORT), seed)
    judge = Judge(LEVEL, seed, None, parts_of(request))
    material = make_material(request, utility_in_release=False)
    found = attack(material.view, request.sensitive[0], panel, design, "release")
    readings = judge.read(found)
    attackers = attacker_results(judge, found, readings, panel.inputs())
    kept = measure_kept(request, material, design, lambda text: None)
    accuracies = {name: one.balanced_accuracy for name, one in attackers.items() if one.balanced_accuracy is not None}
    best = max(accuracies, key=lambda name: accuracies[name])
    score = kept.utility[utility].score
    return {
        "effort": EFFORT,
        "balanced_accuracy": accuracies[best],
        "best_attacker": best,
        "leakage": readings["audit"].value,
        "low": readings["audit"].low,
        "high": readings["audit"].high,
        "leakage_fit_part": readings["fit"].value,
        "attackers": {name: [accuracies.get(name), one.leakage.value] for name, one in attackers.items()},
        "utility": score.release,
        "retention": kept.mean_retention,
        "entropy": request.sensitive[0].entropy(),
    }
