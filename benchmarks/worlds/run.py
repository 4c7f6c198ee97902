"""Every world of known truth, audited: n = 2,000 with 20 seeds and n = 20,000 with 5, quick effort.

python benchmarks/worlds/run.py [--processes N] [--shard i/k] [--deadline SECONDS] [--seeds N] [--sizes 2000,20000]
                                [--worlds NAME,NAME] [--list]
python benchmarks/worlds/run.py --merge

Resumable: a run that is in the file is not repeated. Runs are ordered in rounds, so that an interrupted benchmark has
covered all worlds. Shards write files of their own (results/worlds.i-of-k.json); --merge puts them together. With
WITHHOLD_COMMIT the measured commit is given where there is no repository.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

from case import ALIGNED, MISALIGNED, run_case  # noqa: E402

from known_worlds.registry import WORLDS  # noqa: E402

NAME = "worlds"
SEEDS = {2_000: 20, 20_000: 5}
# The sizes take turns, so that both are covered at any time: so many seeds of the small one for one of the large.
TURN = 4


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


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=max(SEEDS.values()), help="at most so many seeds")
    options.add_argument("--sizes", default=",".join(map(str, SEEDS)))
    options.add_argument("--worlds", default=",".join(WORLDS))
    given = options.parse_args()
    todo = cases(given.worlds.split(","), [int(n) for n in given.sizes.split(",")], given.seeds)
    sys.exit(1 if work(NAME, given, todo, key, run_case) else 0)


if __name__ == "__main__":
    main()
