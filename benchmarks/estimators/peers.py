"""The same problems and draws with the estimators of the public benchmark package `benchmark-mi` (czyz2023beyond).

python benchmarks/estimators/peers.py [--deadline SECONDS] [--seeds N] [--sizes 1000,10000]
                                      [--estimators "KSG;MINE"]

Needs an environment of its own: the package pins NumPy below 2 and works with jax 0.4.30 ("jax==0.4.30"
"jaxlib==0.4.30" benchmark-mi), not with the newest. Its estimators run with their defaults, float32, classes as one
column a class. Only numpy, scipy and the package are imported. Resumable.
"""

import argparse
import json
import os
import platform
import sys
import time
import warnings
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
sys.path.insert(0, str(Path(__file__).parent))

import bmi  # noqa: E402
import numpy as np  # noqa: E402
from problems import PROBLEMS  # noqa: E402

FILE = Path(os.environ.get("WITHHOLD_RESULTS", Path(__file__).parents[1] / "results")) / "estimators_peers.json"

VERSIONS = f"benchmark-mi {version('benchmark-mi')}, jax {version('jax')}, numpy {np.__version__}"

ESTIMATORS = {
    "MINE": lambda seed: bmi.estimators.MINEEstimator(verbose=False, seed=seed),
    "Donsker-Varadhan": lambda seed: bmi.estimators.DonskerVaradhanEstimator(verbose=False, seed=seed),
    "NWJ": lambda seed: bmi.estimators.NWJEstimator(verbose=False, seed=seed),
    "InfoNCE": lambda seed: bmi.estimators.InfoNCEEstimator(verbose=False, seed=seed),
    "KSG": lambda seed: bmi.estimators.KSGEnsembleFirstEstimator(neighborhoods=(5,)),
    "CCA": lambda seed: bmi.estimators.CCAMutualInformationEstimator(),
}


def numbers(x: np.ndarray) -> np.ndarray:
    """Columns of numbers; a class becomes one column for each."""
    return np.eye(int(x.max()) + 1)[x] if x.dtype.kind == "i" else x.reshape(len(x), -1)


def fit(problem: str, estimator: str, n: int, seed: int) -> dict:
    """One fit, in this process."""
    a, b = PROBLEMS[problem].draw(n, np.random.default_rng([seed, n, list(PROBLEMS).index(problem)]))
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        value = float(ESTIMATORS[estimator](seed).estimate(numbers(a), numbers(b)))
    except Exception as error:  # a failure of theirs is a result
        value, message = float("nan"), f"{type(error).__name__}: {error}"[:200]
    else:
        message = ""
    return {
        "problem": problem,
        "estimator": estimator,
        "n": n,
        "seed": seed,
        "truth": round(PROBLEMS[problem].truth, 6),
        "value": round(value, 5) if np.isfinite(value) else None,
        **({"error": message or "not finite"} if not np.isfinite(value) else {}),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "wall_seconds": round(time.perf_counter() - wall, 2),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}, {VERSIONS}",
        "measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deadline", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sizes", default="1000")
    parser.add_argument("--estimators", default="KSG;CCA;InfoNCE;MINE;NWJ;Donsker-Varadhan", help="; between names")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    cases = json.loads(FILE.read_text()) if FILE.exists() else {}
    started = time.perf_counter()
    for seed in range(given.seeds):
        for n in map(int, given.sizes.split(",")):
            for estimator in given.estimators.split(";"):
                for problem in PROBLEMS:
                    name = f"{problem} / {estimator} / n={n} / seed={seed}"
                    if name in cases:
                        continue
                    if time.perf_counter() - started > given.deadline:
                        sys.exit("stopped at the deadline")
                    cases[name] = fit(problem, estimator, n, seed)
                    FILE.write_text(json.dumps(cases, indent=1, sort_keys=True) + "\n")
                    print(name, cases[name]["value"], cases[name]["cpu_seconds"], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
