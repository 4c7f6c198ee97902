"""The peers on four problems, the same attackers for all: one command, one process a case, resumable.

    .venv-peers/bin/python benchmarks/peers/compare.py [--problem NAME ...] [--method NAME ...] [--seed 7]

Every case runs in a process of its own, so its peak memory and its failures are its own.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "deepminmax"))

from ledger import Ledger

# Seeds 0 to 6 were used to choose defaults or to try settings; this one was not.
SEED = 7
ENOUGH_SECONDS, MOST_REPEATS = 0.5, 20


def peak() -> float:
    """Largest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(problem_name: str, method_name: str, seed: int) -> dict:
    """Fit, transform and attack one case in this process."""
    import torch
    from judge import read
    from probe import network_accuracy
    from problems import PROBLEMS

    from methods import METHODS

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    problem, method = PROBLEMS[problem_name](seed), METHODS[method_name]
    before, start = peak(), time.process_time()
    transform = method.fit(problem, seed)
    fit_seconds, repeats = time.process_time() - start, 0
    start = time.process_time()
    while repeats == 0 or (time.process_time() - start < ENOUGH_SECONDS and repeats < MOST_REPEATS):
        release, repeats = transform(), repeats + 1
    seconds = (time.process_time() - start) / repeats
    rows = int((~problem.fit).sum()) if method.held_only and not problem.dense else len(problem.s)
    made = {
        "fit_cpu_seconds": round(fit_seconds, 2),
        "rows_per_cpu_second": None if method_name == "raw" else int(rows / max(seconds, 1e-6)),
        "peak_memory_mb": round(peak()),
        "memory_before_fit_mb": round(before),
        "needs_s_at_transform": method.needs_s,
        "columns": int(release.shape[1]),
    }
    return (
        read(release, problem, seed)
        | {"utility_network": network_accuracy(release, problem.u, problem.fit, seed)}
        | made
    )


def in_a_process(problem: str, method: str, seed: int) -> dict:
    """Measure one case in a fresh process; what broke is the result of a case that cannot be measured."""
    command = [sys.executable, __file__, "--one", problem, method, str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1][:300]}
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    from problems import PROBLEMS

    from methods import METHODS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problem", action="append", choices=list(PROBLEMS), help="default: all")
    parser.add_argument("--method", action="append", choices=list(METHODS), help="default: all")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--one", nargs=3, metavar=("PROBLEM", "METHOD", "SEED"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one[0], options.one[1], int(options.one[2]))))
        return
    ledger = Ledger("peers")
    for problem in options.problem or PROBLEMS:
        for name in options.method or METHODS:
            if not METHODS[name].suits(problem):
                continue
            case = f"{problem} / {name} / {options.seed}"
            ledger.measure(case, lambda p=problem, m=name: in_a_process(p, m, options.seed))


if __name__ == "__main__":
    main()
