"""Rotated digits, one angle left out: the form of Table 2a of iwasawa2020iidm.

python benchmarks/invariance/rotated.py [--seeds N] [--variants shared disjoint] [--processes N] [--shard i/k]
                                        [--deadline SECONDS] [--list] [--merge]
python benchmarks/invariance/rotated.py --lengths 1200 2400 [--seeds N] [--processes N] ...
python benchmarks/invariance/rotated.py --table

--lengths trains plain nets, IIDM and AII, with and without the gradient penalty, so many iterations on the shared
digits, and keeps learning curves; the paper used the penalty with IIDM. It writes results/invariance_rotated_lengths.

100 MNIST training digits a class in each of six domains, 16 x 16 pixels, turned by 0, 15, ... 75 degrees. "shared": the
same thousand digits in all domains, as in the file the paper used, so that the unseen angle shows turned copies of
digits that were learned from; "disjoint": others in each. Attackers learn the domain from the release of the rows of
the fit and guess it for 200 other digits of each of its domains. All methods have the same network, noise, length and
lambda: nothing was searched for. The paper's columns are not comparable: its network and its search differ.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads

import numpy as np  # noqa: E402
import torch  # noqa: E402
from generalisation import METHODS, Domains, build, curves, read, table  # noqa: E402
from ledger import cpu_seconds, data_dir  # noqa: E402
from scipy.ndimage import rotate  # noqa: E402

NAME = "invariance_rotated"
ANGLES = (0, 15, 30, 45, 60, 75)
VARIANTS = ("shared", "disjoint")
SETTINGS = {"rounds": 400, "lam": 1.0, "kappa": 4, "noise": 0.3, "penalty": 1.0}  # lambda, kappa, noise: defaults
LONG = "invariance_rotated_lengths"
LENGTHS = ("1200", "2400")
PENALTIES = ("ERM", "IIDM", "IIDM+GP", "AII", "AII+GP")
PER_CLASS, FRESH = 100, 20  # digits of each class and domain: learned from, and for readings alone


def digits(folder: Path, variant: str, seed: int) -> Domains:
    """Build the six domains from the training digits of MNIST."""
    data = np.load(folder / "mnist.npz")
    small = np.pad(data["x_train"], ((0, 0), (2, 2), (2, 2))).reshape(-1, 16, 2, 16, 2).mean(axis=(2, 4))
    labels, rng = data["y_train"].astype(int), np.random.default_rng([seed, 21])
    pools = [iter(rng.permutation(np.flatnonzero(labels == c))) for c in range(10)]
    take = lambda many: np.array([next(pool) for pool in pools for _ in range(many)])  # noqa: E731
    common = take(PER_CLASS)
    parts = []
    for d, angle in enumerate(ANGLES):
        rows = np.concatenate([common if variant == "shared" else take(PER_CLASS), take(FRESH)])
        turned = rotate(small[rows], angle, axes=(1, 2), reshape=False, order=1).clip(0, 255).round().astype(np.uint8)
        parts.append((turned, labels[rows], np.full(len(rows), d), np.arange(len(rows)) < 10 * PER_CLASS))
    x, y, domain, learned = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Domains(x, y, domain, learned)


def measure(method: str, variant: str, seed: int, left_out: int) -> tuple[dict, float, float]:
    """Train without one angle and read."""
    torch.set_num_threads(1)
    data = digits(data_dir(), variant, seed)
    start, wall = cpu_seconds(), time.perf_counter()
    values = read(build(method, seed, **SETTINGS), data, left_out, seed)
    return values, cpu_seconds() - start, time.perf_counter() - wall


def measure_length(method: str, rounds: str, seed: int, left_out: int) -> tuple[dict, float, float]:
    """Train for a number of iterations and read."""
    torch.set_num_threads(1)
    data = digits(data_dir(), "shared", seed)
    start, wall = cpu_seconds(), time.perf_counter()
    values = read(build(method, seed, **SETTINGS | {"rounds": int(rounds)}), data, left_out, seed)
    return values, cpu_seconds() - start, time.perf_counter() - wall


def cases(variants: Sequence[str], seeds: int, methods: Sequence[str] = METHODS) -> list[Case]:
    """All runs, one seed of everything first, the outer angles before the inner ones."""
    order = (0, 5, 3, 1, 4, 2)
    return [(m, v, seed, i) for seed in range(seeds) for v in variants for i in order for m in methods]


def key(case: Case) -> str:
    """Name of a run in the file."""
    method, variant, seed, left_out = case
    return f"{variant} / {method} / {left_out} / seed={seed}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=VARIANTS)
    options.add_argument("--table", action="store_true")
    options.add_argument("--lengths", nargs="*", metavar="ITERATIONS")
    given = options.parse_args()
    if given.lengths:
        todo = cases(given.lengths, given.seeds, PENALTIES)
        sys.exit(1 if work(LONG, given, todo, key, measure_length) else 0)
    if given.table:
        angles = [f"M{angle}" for angle in ANGLES]
        table(NAME, VARIANTS, angles)
        table(LONG, LENGTHS, angles, PENALTIES)
        curves(LONG, LENGTHS, PENALTIES)
    else:
        sys.exit(1 if work(NAME, given, cases(given.variants, given.seeds), key, measure) else 0)


if __name__ == "__main__":
    main()
