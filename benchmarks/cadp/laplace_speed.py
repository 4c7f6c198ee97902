"""One million Laplace draws: our integer sampler beside OpenDP's, in turn, in one run.

    python3 -m venv .venv-opendp && .venv-opendp/bin/python -m pip install opendp
    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/cadp/laplace_speed.py [--count 1000000] [--repeats 3]

CPU seconds. Both are exact, with cryptographic randomness, at the same scale 2^21 on the integers, which is the grid
that `DiscreteLaplace` uses at epsilon 1. OpenDP's mechanism on floats is timed too. Means of |x| / scale stand beside
the times: 1 for a Laplace law.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import ROOT, Ledger

from withhold.privacy.exact_sampling import Geometric, discrete_laplace

SCALE = 1 << 21


def ours(count: int) -> dict:
    start = time.process_time()
    drawn = discrete_laplace(Geometric(Fraction(SCALE)), count)
    return {"seconds": time.process_time() - start, "mean_size": float(np.abs(drawn).mean() / SCALE)}


def theirs(kind: str, count: int) -> dict:
    python = os.environ.get("WITHHOLD_OPENDP_PYTHON", str(ROOT / ".venv-opendp" / "bin" / "python"))
    if not Path(python).exists():
        sys.exit(f"skipped: no environment with OpenDP at {python}; see the top of this file")
    scale = SCALE if kind == "integer" else 1.0
    script = Path(__file__).parent / "opendp_laplace.py"
    done = subprocess.run(
        [python, str(script), kind, str(count), str(scale)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def measure(count: int, repeats: int) -> dict:
    """Time the three in turn, so that a busy machine is busy for all of them."""
    runs = [(ours(count), theirs("integer", count), theirs("float", count)) for _ in range(repeats)]
    mine, integer, real = ([run[k] for run in runs] for k in range(3))
    seconds = [[one["seconds"] for one in kind] for kind in (mine, integer, real)]
    middle = [statistics.median(kind) for kind in seconds]
    return {
        "count": count,
        "opendp": integer[0]["version"],
        "seconds": dict(zip(("withhold", "opendp_integer", "opendp_float"), seconds, strict=True)),
        "mean_size": {"withhold": mine[0]["mean_size"], "opendp_integer": integer[0]["mean_size"]},
        "times_faster_than_integer": middle[1] / middle[0],
        "times_faster_than_float": middle[2] / middle[0],
    }


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--count", type=int, default=1_000_000)
    given.add_argument("--repeats", type=int, default=3)
    options = given.parse_args()
    Ledger("cadp_laplace_speed").measure(f"{options.count} draws", lambda: measure(options.count, options.repeats))


if __name__ == "__main__":
    main()
