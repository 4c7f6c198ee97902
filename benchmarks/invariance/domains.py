"""PACS at 32 x 32 pixels, one domain left out: the form of Table 2b of iwasawa2020iidm.

python benchmarks/invariance/domains.py [--seeds N] [--processes N] [--shard i/k] [--deadline SECONDS] [--list]
python benchmarks/invariance/domains.py --table

A small network of our own without pre-trained weights on images of 32 x 32 pixels: the accuracies are not comparable
with published ones, which come from AlexNet pre-trained on ImageNet at 227 x 227. A fifth of each domain is not learned
from; attackers learn the domain from the release of the rest and guess it there. All methods have the same network,
noise, length and lambda: nothing was searched for.
"""

import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

import numpy as np  # noqa: E402
import torch  # noqa: E402
from generalisation import METHODS, Domains, build, read, table  # noqa: E402
from ledger import cpu_seconds, data_dir  # noqa: E402

NAME = "invariance_domains"
COLUMNS = ["art", "cartoon", "photo", "sketch"]
SETTINGS = {"rounds": 500, "lam": 1.0, "kappa": 2, "noise": 0.1, "penalty": 1.0}


def images(folder: Path, seed: int) -> Domains:
    """Read the four domains; four fifths of each may be learned from."""
    data = np.load(folder / "pacs32.npz")
    learned = np.random.default_rng([seed, 31]).random(len(data["y"])) < 0.8
    return Domains(data["x"], data["y"].astype(int), data["domain"].astype(int), learned)


def measure(method: str, variant: str, seed: int, left_out: int) -> tuple[dict, float, float]:
    """Train without one domain and read."""
    torch.set_num_threads(1)
    data = images(data_dir(), seed)
    start, wall = cpu_seconds(), time.perf_counter()
    values = read(build(method, seed, **SETTINGS), data, left_out, seed)
    return values, cpu_seconds() - start, time.perf_counter() - wall


def key(case: Case) -> str:
    """Name of a run in the file."""
    method, variant, seed, left_out = case
    return f"{variant} / {method} / {left_out} / seed={seed}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--table", action="store_true")
    given = options.parse_args()
    if given.table:
        table(NAME, ("pacs32",), COLUMNS)
    else:
        todo = [(m, "pacs32", seed, i) for seed in range(given.seeds) for i in range(4) for m in METHODS]
        sys.exit(1 if work(NAME, given, todo, key, measure) else 0)


if __name__ == "__main__":
    main()
