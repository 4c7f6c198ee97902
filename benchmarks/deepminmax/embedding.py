"""A frozen embedding of rotated digits: hide the rotation, keep the digit; DeepMinMax with and without `y`, and LEACE.

Three encoder seeds by three sanitiser seeds. Fitted on 20,000 training embeddings; all of them and the 10,000 test
embeddings are released, attackers train on the rest by cross-fitting, and the test part is what is reported.

    python benchmarks/deepminmax/embedding.py [--encoder N ...] [--seed N ...] [--effort quick]
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger, data_dir
from probe import network_accuracy
from rotated_digits import embed

import withhold

FIT = 20_000
METHODS = {
    "raw": lambda seed: None,
    "LEACE": lambda seed: withhold.LEACE(),
    "DeepMinMax": lambda seed: withhold.DeepMinMax(random_state=seed, noise_seed=seed),
    "DeepMinMax with y, budget .015": lambda seed: withhold.DeepMinMax(
        budget=0.015, random_state=seed, noise_seed=seed
    ),
    # .012 was chosen after one encoder and seed at the two budgets above had left .209 and .199 to the best attacker.
    "DeepMinMax, budget .012": lambda seed: withhold.DeepMinMax(budget=0.012, random_state=seed, noise_seed=seed),
    "DeepMinMax with y, budget .012": lambda seed: withhold.DeepMinMax(
        budget=0.012, random_state=seed, noise_seed=seed
    ),
}


def measure(method: str, data: dict[str, np.ndarray], seed: int, effort: str) -> dict:
    """Fit, release all rows, audit; figures of one row."""
    z = np.concatenate([data["z"][:FIT], data["z_test"]])
    y = np.concatenate([data["y"][:FIT], data["y_test"]])
    s = np.concatenate([data["s"][:FIT], data["s_test"]])
    fit = np.arange(len(z)) < FIT
    sanitizer = METHODS[method](seed)
    release = z
    if sanitizer is not None:
        sanitizer.fit(z[fit], y[fit] if "with y" in method else None, sensitive_features=s[fit])
        release = np.asarray(sanitizer.transform(z))
    record = withhold.audit_release(
        release,
        sensitive_features=pd.DataFrame({"rotation": s}),
        utility=pd.DataFrame({"digit": y.astype(str)}),
        original=z,
        fit_rows=fit,
        utility_in_release=False,
        effort=effort,
        random_state=seed,
    )
    found = record.sensitive["rotation"]
    return {
        "balanced_accuracy": found.balanced_accuracy,
        "chance": found.chance,
        "leakage": found.parts["audit"].value,
        "leakage_fit_part": found.parts["fit"].value,
        "digit_raw": record.utility["digit"].score.raw,
        "digit": record.utility["digit"].score.release,
        "digit_network": network_accuracy(release, y, fit, seed),
        "effective_rank": getattr(sanitizer, "diagnostics_", {}).get("effective_rank"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", action="append", type=int)
    parser.add_argument("--seed", action="append", type=int)
    parser.add_argument("--method", action="append", choices=METHODS, help="default: all")
    parser.add_argument("--effort", default="quick")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    ledger = Ledger("deepminmax_embedding")
    encoders, seeds = options.encoder or (0, 1, 2), options.seed or (0, 1, 2)
    embeddings: dict[int, dict] = {}
    for seed in seeds:  # one seed of everything first: an interrupted benchmark already shows the whole table
        for encoder in encoders:
            for method in options.method or METHODS:
                key = f"{method} / encoder {encoder} / {seed}"
                if key in ledger.cases or (not method.startswith("DeepMinMax") and seed != seeds[0]):
                    continue
                data = embeddings[encoder] = embeddings.get(encoder) or embed(data_dir(), encoder)
                ledger.measure(key, lambda m=method, r=seed, d=data: measure(m, d, r, options.effort))


if __name__ == "__main__":
    main()
