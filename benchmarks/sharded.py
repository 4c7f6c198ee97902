"""Many independent cases in processes, shards and until a deadline, each kept in a ledger as it comes.

A case that is in the file is not repeated. Shards write files of their own (results/NAME.i-of-k.json); `--merge` puts
them together. Import this before numpy: every process keeps to one thread.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from ledger import Ledger  # noqa: E402

Case = tuple[str, str, int, int]


def parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of the options that all such benchmarks have."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--processes", type=int, default=1)
    made.add_argument("--shard", default="1/1", metavar="i/k")
    made.add_argument("--deadline", type=float, default=float("inf"), metavar="SECONDS", help="start no case after it")
    made.add_argument("--list", action="store_true", help="say what would be run")
    made.add_argument("--merge", action="store_true", help="put shards together and stop")
    return made


def work(
    name: str,
    given: argparse.Namespace,
    todo: Sequence[Case],
    key: Callable[[Case], str],
    measure: Callable[..., tuple[dict, float, float]],
) -> int:
    """Do what the options say with the cases `todo`, in their order; return how many raised an error.

    `measure(*case)` returns values, CPU and wall seconds.
    """
    if given.merge:
        merge(name)
        return 0
    part, parts = (int(word) for word in given.shard.split("/"))
    mine = list(todo)[part - 1 :: parts]
    if given.list:
        print("\n".join(key(case) for case in mine))
        return 0
    return run(mine, Ledger(name if parts == 1 else f"{name}.{part}-of-{parts}"), given, key, measure)


def run(
    todo: Sequence[Case],
    ledger: Ledger,
    given: argparse.Namespace,
    key: Callable[[Case], str],
    measure: Callable[..., tuple[dict, float, float]],
) -> int:
    """Run what is missing in the ledger, keep each result as it comes; return how many cases raised an error."""
    waiting = [case for case in todo if key(case) not in ledger.cases]
    print(f"{len(todo) - len(waiting)} cases are in the file, {len(waiting)} to do", file=sys.stderr)
    started, failed = time.perf_counter(), 0
    with ProcessPoolExecutor(given.processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        flying: dict[Future, Case] = {}
        while waiting or flying:
            late = time.perf_counter() - started > given.deadline
            while waiting and not late and len(flying) < given.processes:
                case = waiting.pop(0)
                flying[pool.submit(measure, *case)] = case
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
        print(f"stopped at the deadline with {len(waiting)} cases to do", file=sys.stderr)
    return failed


def merge(name: str) -> None:
    """Put the shards into the one file; a case in several is taken from the shard read last."""
    whole = Ledger(name)
    for shard in sorted(whole.path.parent.glob(f"{name}.*-of-*.json")):
        whole.cases |= json.loads(shard.read_text())
    whole.path.write_text(json.dumps(whole.cases, indent=1, sort_keys=True) + "\n")
    print(f"{len(whole.cases)} cases in {whole.path}", file=sys.stderr)
