"""Every world of known truth, audited: n = 2,000 with 20 seeds and n = 20,000 with 5, quick effort.

python benchmarks/worlds/run.py [--processes N] [--shard i/k] [--deadline SECONDS] [--seeds N] [--sizes 2000,20000]
                                [--worlds NAME,NAME] [--list]
python benchmarks/worlds/run.py --merge

Resumable: a run that is in the file is not repeated. Runs are ordered in rounds, so that an interrupted benchmark has
covered all worlds. Shards write files of their own (results/worlds.i-of-k.json); --merge puts them together. With
WITHHOLD_COMMIT the measured commit is given where there is no repository.
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

from case import ALIGNED, MISALIGNED, run_case  # noqa: E402
from ledger import RESULTS, Ledger  # noqa: E402

from withhold.data.worlds.registry import WORLDS  # noqa: E402

NAME = "worlds"
SEEDS = {2_000: 20, 20_000: 5}
# The sizes take turns, so that both are covered at any time: so many seeds of the small one for one of the large.
TURN = 4

Case = tuple[str, str, int, int]


def cases(names: list[str], sizes: list[int], most: int) -> list[Case]:
    """All runs, in the order in which they are started."""
    kinds = [("world", name) for name in names]
    if len(names) == len(WORLDS):
        kinds += [("alignment", how) for how in (*MISALIGNED, *ALIGNED)]
    turns = [(seed if n == min(SEEDS) else seed * TURN, n, seed) for n in sizes for seed in range(min(most, SEEDS[n]))]
    return [(kind, name, n, seed) for _, n, seed in sorted(turns) for kind, name in kinds]


def key(case: Case) -> str:
    """Name of a run in the file."""
    kind, name, n, seed = case
    return f"{kind} {name} / n={n} / seed={seed}"


def run(todo: list[Case], ledger: Ledger, processes: int, deadline: float) -> int:
    """Run what is missing, keep each result as it comes; return how many runs raised an error."""
    waiting = [case for case in todo if key(case) not in ledger.cases]
    print(f"{len(todo) - len(waiting)} runs are in the file, {len(waiting)} to do", file=sys.stderr)
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
        print(f"stopped at the deadline with {len(waiting)} runs to do", file=sys.stderr)
    return failed


def merge() -> None:
    """Put the shards into the one file; a run in several is taken from the shard read last."""
    folder = Path(os.environ.get("WITHHOLD_RESULTS", RESULTS))
    whole = Ledger(NAME)
    for shard in sorted(folder.glob(f"{NAME}.*-of-*.json")):
        whole.cases |= json.loads(shard.read_text())
    whole.path.write_text(json.dumps(whole.cases, indent=1, sort_keys=True) + "\n")
    print(f"{len(whole.cases)} runs in {whole.path}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--shard", default="1/1", metavar="i/k")
    parser.add_argument("--deadline", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--seeds", type=int, default=max(SEEDS.values()), help="at most so many seeds")
    parser.add_argument("--sizes", default=",".join(map(str, SEEDS)))
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--list", action="store_true", help="say what would be run")
    parser.add_argument("--merge", action="store_true", help="put shards together and stop")
    given = parser.parse_args()
    if given.merge:
        merge()
        return
    part, parts = (int(word) for word in given.shard.split("/"))
    todo = cases(given.worlds.split(","), [int(n) for n in given.sizes.split(",")], given.seeds)[part - 1 :: parts]
    if given.list:
        print("\n".join(key(case) for case in todo))
        return
    ledger = Ledger(NAME if parts == 1 else f"{NAME}.{part}-of-{parts}")
    sys.exit(1 if run(todo, ledger, given.processes, given.deadline) else 0)


if __name__ == "__main__":
    main()
