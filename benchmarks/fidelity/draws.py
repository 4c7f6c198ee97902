"""How much hangs on the draw: several tables drawn from one Z beside its most likely values, with other keys.

    python benchmarks/fidelity/draws.py --case compas german [--seeds 3]

One release is one draw, so that what a model loses on it, and what attackers read, is partly luck. The utility
attribute is predicted as in an audit (trained on the release, tested on originals that nothing was fitted on), in
several divisions; attackers are those of peers.py. Resumable; results/fidelity_draws.json.
"""

import argparse
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger
from make import CASES, decoded_by_mode
from peers import read

import withhold
from withhold.audit.fidelity.fidelity import measure_fidelity

DRAWS, DIVISIONS, ATTACKED = 6, 5, 3


def predicted(before: pa.Table, after: pa.Table, utility: str, fit: np.ndarray) -> tuple[float, float]:
    """Return the balanced accuracy of U by models trained on originals and on the release, over all divisions."""
    found: list[Any] = []
    for division in range(DIVISIONS):
        rng = np.random.default_rng(division)
        one = measure_fidelity(before, after, rng, trained_rows=20_000, targets=1, utility=[utility], unseen=~fit)
        score = one.columns[utility].prediction
        found += [] if score is None else [score]  # a class has too few rows in some divisions
    return statistics.mean(one.original for one in found), statistics.mean(one.release for one in found)


def measure(case: str, seed: int) -> dict:
    """Draw, predict and attack the tables of one fit."""
    table, sensitive, utility, fit, _, _ = CASES[case](seed)
    s, u = np.array(table.column(sensitive).to_pylist()).astype(str), table.column(utility)
    X = table.drop_columns([sensitive, utility])
    sanitizer = withhold.DeepMinMax(random_state=seed, noise_seed=seed, output="table")
    sanitizer.fit(X.filter(pa.array(fit)), sensitive_features=s[fit])
    _, H, records = sanitizer._read(X)
    Z, folds, decoder = sanitizer._release(H, records), sanitizer.decoder_.folds_of(records), sanitizer.decoder_
    drawn = []
    for key in range(DRAWS):
        uniform = np.random.default_rng(key).random((len(Z), decoder.uniforms))
        drawn.append(decoder.decode(Z, sanitizer.codec_, folds=folds, uniform=uniform))
    mode = decoded_by_mode(sanitizer, X, H, Z, fit, seed)
    before = X.append_column(utility, u)
    scores = [predicted(before, one.append_column(utility, u), utility, fit) for one in (mode, *drawn)]
    attacked = [read(one, X, s, (sensitive, utility), fit) for one in (Z, mode, *drawn[:ATTACKED])]
    leakage = [one["leakage"] for one in attacked]
    return {
        "utility": {"original": scores[0][0], "mode": scores[0][1], "drawn": [one[1] for one in scores[1:]]},
        "leakage": {"representation": leakage[0], "mode": leakage[1], "drawn": leakage[2:]},
        "rows": [int(fit.sum()), int((~fit).sum())],
    }


def main() -> None:
    """Measure all seeds of the cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", nargs="+", default=["compas", "german"], choices=list(CASES))
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    ledger = Ledger("fidelity_draws")
    for seed in range(asked.seeds):
        for case in asked.case:
            ledger.measure(f"{case} / seed {seed}", lambda case=case, seed=seed: measure(case, seed))


if __name__ == "__main__":
    main()
