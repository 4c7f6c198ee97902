"""From how many columns on a second thread saves time: fits and releases of a matrix with one thread and with two.

    python benchmarks/throughput/threads.py [--columns 64 256 512 1024 2048] [--runs 2]

Each measurement is a process of its own; one and two threads take turns, and the least of some runs counts, which
other work on the machine disturbs least; how much of that there was stands beside it. Results: results/threads.json,
CPU and wall seconds. Source of `withhold.training.session.NARROW`.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

ROWS, ROUNDS, RELEASED = 3_000, 4, 20_000


def once(columns: int, threads: int) -> dict[str, float]:
    """Fit and release with so many threads, whatever the width."""
    import torch

    import withhold
    from withhold.training import session

    session.NARROW = -1  # the fit leaves the threads as they are
    torch.set_num_threads(threads)
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=ROWS)
    X = rng.normal(size=(ROWS, columns)).astype(np.float32)
    X[:, 0] += s
    more = np.resize(X, (RELEASED, columns))
    found = {}
    method = withhold.DeepMinMax(rounds=ROUNDS, random_state=0, noise_seed=0, device="cpu")
    method.fit(X[:500], sensitive_features=s[:500])  # imports, and threads that are started
    for name, work in (
        ("fit", lambda: method.fit(X, sensitive_features=s)),
        ("release", lambda: method.transform(more)),
    ):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        found |= {f"{name}_wall": time.perf_counter() - wall, f"{name}_cpu": time.process_time() - cpu}
    return found


def measure(columns: int, times: int) -> dict:
    runs: dict[int, list[dict[str, float]]] = {1: [], 2: []}
    for _ in range(times):
        for threads, made in runs.items():
            command = [sys.executable, __file__, "--once", str(columns), str(threads)]
            room = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=room)
            made.append(json.loads(done.stdout.splitlines()[-1]))
    return {"load": round(os.getloadavg()[1], 1), "runs": times} | {
        f"{threads} threads": {name: round(min(run[name] for run in made), 3) for name in made[0]}
        for threads, made in runs.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="*", default=[64, 256, 512, 1024, 2048])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--once", type=int, nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.once:
        print(json.dumps(once(*asked.once)))
        return
    ledger = Ledger("threads")
    for columns in asked.columns:
        ledger.measure(f"{columns} columns", lambda columns=columns: measure(columns, asked.runs))


if __name__ == "__main__":
    main()
