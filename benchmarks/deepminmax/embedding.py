"""A frozen embedding of rotated digits: hide the rotation, keep the digit; DeepMinMax with and without `y`, and LEACE.

Three encoder seeds by three sanitiser seeds. Fitted on 20,000 training embeddings, 10,000 more train the attackers by
the strong reading, scored on the 10,000 test embeddings.

    python benchmarks/deepminmax/embedding.py [--encoder N ...] [--seed N ...] [--effort standard]
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger, data_dir
from rotated_digits import embed

import withhold

FIT, MORE = 20_000, 10_000
METHODS = {
    "raw": lambda seed: None,
    "LEACE": lambda seed: withhold.LEACE(),
    "DeepMinMax": lambda seed: withhold.DeepMinMax(random_state=seed, noise_seed=seed),
    "DeepMinMax with y": lambda seed: withhold.DeepMinMax(random_state=seed, noise_seed=seed),
}


def measure(method: str, data: dict[str, np.ndarray], seed: int, effort: str) -> dict:
    """Fit, release all rows, audit; figures of one row."""
    z = np.concatenate([data["z"][: FIT + MORE], data["z_test"]])
    y = np.concatenate([data["y"][: FIT + MORE], data["y_test"]])
    s = np.concatenate([data["s"][: FIT + MORE], data["s_test"]])
    fit = np.arange(len(z)) < FIT
    sanitizer = METHODS[method](seed)
    release = z
    if sanitizer is not None:
        sanitizer.fit(z[fit], y[fit] if method.endswith("with y") else None, sensitive_features=s[fit])
        release = np.asarray(sanitizer.transform(z))
    record = withhold.audit_release(
        release, sensitive_features={"rotation": s}, utility={"digit": y.astype(str)}, original=z, fit_rows=fit,
        utility_in_release=False, effort=effort, random_state=seed,
    )  # fmt: skip
    found = record.sensitive["rotation"]
    return {
        "balanced_accuracy": found.balanced_accuracy,
        "chance": found.chance,
        "leakage": found.leakage.value,
        "digit_raw": record.utility["digit"].score.raw,
        "digit": record.utility["digit"].score.release,
        "effective_rank": getattr(sanitizer, "diagnostics_", {}).get("effective_rank"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", action="append", type=int)
    parser.add_argument("--seed", action="append", type=int)
    parser.add_argument("--effort", default="quick")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    ledger = Ledger("deepminmax_embedding")
    for encoder in options.encoder or (0, 1, 2):
        data = None
        for method in METHODS:
            for seed in (options.seed or (0, 1, 2)) if method.startswith("DeepMinMax") else (0,):
                key = f"{method} / encoder {encoder} / {seed}"
                if key not in ledger.cases and data is None:
                    data = embed(data_dir(), encoder)
                ledger.measure(key, lambda m=method, r=seed, d=data: measure(m, d, r, options.effort))


if __name__ == "__main__":
    main()
