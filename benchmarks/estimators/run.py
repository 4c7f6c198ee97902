"""Every estimator on every problem of known information: n = 1,000 and 10,000, five seeds.

python benchmarks/estimators/run.py [--processes N] [--shard i/k] [--deadline SECONDS] [--seeds N] [--sizes 1000,10000]
                                    [--estimators "KSG;MINE"] [--list]
python benchmarks/estimators/run.py --merge

Resumable: a fit that is in the file is not repeated. Fits are ordered in rounds of one seed and size, so that an
interrupted benchmark has covered all problems. Shards write files of their own (results/estimators.i-of-k.json);
--merge puts them together.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from case import ESTIMATORS, applies, run_case  # noqa: E402
from ledger import RESULTS, Ledger  # noqa: E402
from problems import PROBLEMS  # noqa: E402

NAME = "estimators"
SIZES, SEEDS = (1_000, 10_000), 5

Case = tuple[str, str, int, int]


def cases(sizes: list[int], seeds: int, estimators: list[str]) -> list[Case]:
    """All fits, in the order in which they are started."""
    return [
        (problem, estimator, n, seed)
        for seed in range(seeds)
        for n in sizes
        for problem in PROBLEMS
        for estimator in estimators
        if applies(estimator, problem)
    ]


def key(case: Case) -> str:
    """Name of a fit in the file."""
    problem, estimator, n, seed = case
    return f"{problem} / {estimator} / n={n} / seed={seed}"


def run(todo: list[Case], ledger: Ledger, processes: int, deadline: float) -> int:
    """Run what is missing, keep each result as it comes; return how many fits raised an error."""
    waiting = [case for case in todo if key(case) not in ledger.cases]
    print(f"{len(todo) - len(waiting)} fits are in the file, {len(waiting)} to do", file=sys.stderr)
    started, failed = time.perf_counter(), 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        flying: dict[Future, Case] = {}
        while waiting or flying:
            late = time.perf_counter() - started > deadline
            while waiting and not late and len(flying) < processes:
                case = waiting.pop(0)
                flying[pool.submit(run_case, *case)] = case
            if not flying:
                break
            done, _ = wait(flying, return_when=FIRST_COMPLETED)
            for future in done:
                case = flying.pop(future)
                try:
                    ledger.keep(key(case), *future.result())
                except Exception as error:
                    failed += 1
                    print(f"{key(case)}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    if waiting:
        print(f"stopped at the deadline with {len(waiting)} fits to do", file=sys.stderr)
    return failed


def merge() -> None:
    """Put the shards into the one file."""
    folder = Path(os.environ.get("WITHHOLD_RESULTS", RESULTS))
    whole = Ledger(NAME)
    for shard in sorted(folder.glob(f"{NAME}.*-of-*.json")):
        whole.cases |= json.loads(shard.read_text())
    whole.path.write_text(json.dumps(whole.cases, indent=1, sort_keys=True) + "\n")
    print(f"{len(whole.cases)} fits in {whole.path}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--shard", default="1/1", metavar="i/k")
    parser.add_argument("--deadline", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="at most so many seeds")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--estimators", default=";".join(ESTIMATORS), help="names with ; between them")
    parser.add_argument("--list", action="store_true", help="say what would be run")
    parser.add_argument("--merge", action="store_true", help="put shards together and stop")
    given = parser.parse_args()
    if given.merge:
        merge()
        return
    part, parts = (int(word) for word in given.shard.split("/"))
    sizes, estimators = [int(n) for n in given.sizes.split(",")], given.estimators.split(";")
    todo = cases(sizes, given.seeds, estimators)[part - 1 :: parts]
    if given.list:
        print("\n".join(key(case) for case in todo))
        return
    ledger = Ledger(NAME if parts == 1 else f"{NAME}.{part}-of-{parts}")
    sys.exit(1 if run(todo, ledger, given.processes, given.deadline) else 0)


if __name__ == "__main__":
    main()
