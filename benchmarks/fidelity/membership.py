"""Whether rows of the fit are told from others by the table that was made of them, by who decoded them or otherwise.

The audit's own attack, on parts of the 401(k) survey, half of each fitted: balanced accuracy from the release and, for
comparison, from the originals. Positive control: every row decoded by the decoder that was fitted on it.

    python benchmarks/fidelity/membership.py [--rows 920] [--seeds 20]
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

import withhold
from withhold.audit.attackers.registry import choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.attack import Panel
from withhold.audit.people.membership import membership
from withhold.data.demo_table import demo_table

CASES = ("sample", "mode", "control: decoded by who was fitted on it")


def measure(case: str, rows: int, seed: int) -> dict:
    """Fit on half of the rows, release all, attack; figures of one seed."""
    table, _, sensitive, utility = demo_table()
    rng = np.random.default_rng(seed)
    table = table.take(pa.array(rng.permutation(table.num_rows)[:rows]))
    X, s = table.drop_columns([sensitive, utility]), table.column(sensitive)
    member = np.zeros(rows, bool)
    member[rng.permutation(rows)[: rows // 2]] = True
    sanitizer = withhold.DeepMinMax(
        decode="mode" if case == "mode" else "sample", random_state=seed, noise_seed=seed, device="cpu"
    )
    sanitizer.fit(X.filter(pa.array(member)), sensitive_features=s.filter(pa.array(member)).to_numpy())
    release = sanitizer.transform(X)
    if case.startswith("control"):
        _, H, records = sanitizer._read(X)
        folds = sanitizer.decoder_.folds_of(records)
        release = sanitizer._decode(sanitizer._release(H, records), 1 - folds, records)
    names = release.column_names
    everywhere = np.ones(rows, bool)
    design = Design(np.zeros(rows, np.int64), None, (0,), everywhere, everywhere, EFFORTS["quick"], seed)
    found = membership(release, X.select(names), member, Panel(choose_panel(None), []), design)
    return {
        "balanced_accuracy": found.balanced_accuracy,
        "of_originals": found.control_balanced_accuracy,
        "excess": [found.excess.low, found.excess.value, found.excess.high],
        "attacker": found.attacker,
    }


def main() -> None:
    """Measure all cases, and print means over seeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=920)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--cases", nargs="*", default=CASES)
    asked = parser.parse_args()
    ledger = Ledger("fidelity_membership")
    for seed in range(asked.seeds):
        for case in asked.cases:
            ledger.measure(f"{asked.rows} rows, {case}, seed {seed}", lambda c=case, i=seed: measure(c, asked.rows, i))
    for case in asked.cases:
        found = [ledger.cases[f"{asked.rows} rows, {case}, seed {seed}"] for seed in range(asked.seeds)]
        means = [np.mean([one[name] for one in found]) for name in ("balanced_accuracy", "of_originals")]
        print(f"{case}: {means[0]:.3f}, originals {means[1]:.3f}, {len(found)} seeds")


if __name__ == "__main__":
    main()
