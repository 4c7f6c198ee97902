"""Every estimator on every problem of known information: n = 1,000 and 10,000, five seeds.

python benchmarks/estimators/run.py [--processes N] [--shard i/k] [--deadline SECONDS] [--seeds N] [--sizes 1000,10000]
                                    [--estimators "KSG;MINE"] [--list]
python benchmarks/estimators/run.py --merge

Resumable: a fit that is in the file is not repeated. Fits are ordered in rounds of one seed and size, so that an
interrupted benchmark has covered all problems. Shards write files of their own (results/estimators.i-of-k.json);
--merge puts them together.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

from case import ESTIMATORS, applies, run_case  # noqa: E402
from problems import PROBLEMS  # noqa: E402

NAME = "estimators"
SIZES, SEEDS = (1_000, 10_000), 5


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


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=SEEDS, help="at most so many seeds")
    options.add_argument("--sizes", default=",".join(map(str, SIZES)))
    options.add_argument("--estimators", default=";".join(ESTIMATORS), help="names with ; between them")
    given = options.parse_args()
    todo = cases([int(n) for n in given.sizes.split(",")], given.seeds, given.estimators.split(";"))
    sys.exit(1 if work(NAME, given, todo, key, run_case) else 0)


if __name__ == "__main__":
    main()
