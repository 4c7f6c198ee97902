"""MNIST: what a classifier learns from releases, beside what it learns from no record at all.

The flow is trained on one half of the 60,000 training digits, records of the other half are released, a classifier
is trained on the release and tested on the 10,000 original test digits.
"""

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from digits import HALF, accuracy, kept, read  # noqa: E402
from ledger import Ledger, cpu_seconds, data_dir  # noqa: E402

from withhold.methods.cadp.cadp import CADP  # noqa: E402
from withhold.methods.loading import load  # noqa: E402

CACHE = Path(os.environ.get("WITHHOLD_CACHE", Path(__file__).parents[1] / ".cache"))
ROUNDS = 2_400
BATCH = 512  # of the published code, whose norm is one for a whole batch
MECHANISMS = {
    "privunit 16": {"mechanism": "privunit", "directions": 16},
    "privunit 784": {"mechanism": "privunit", "directions": None},
    "laplace 784": {"mechanism": "laplace", "directions": None},
    "laplace 16": {"mechanism": "laplace", "directions": 16},
    "paper": {"preset": "paper"},
}
FIRST = [
    ("original", None),
    ("no record", None),
    ("privunit 16", 10),
    ("privunit 16", 1),
    ("round trip", None),
    ("paper", 0.2),
    ("paper", 1),
    ("paper", 10),
    ("laplace 784", 10),
    ("laplace 784", 1),
    ("privunit 784", 10),
    ("privunit 784", 1),
    ("published code", 10),
    ("privunit 16", 4),
    ("privunit 16", 0.2),
    ("published code", 1),
    ("laplace 16", 10),
    *[(name, epsilon) for epsilon in (0.2, 4) for name in ("laplace 784", "privunit 784")],
    ("paper", 4),
    ("published code", 0.2),
    ("published code", 4),
]


def flow(ledger, folder, seed):
    """Return the fitted method, from the cache where it was trained before."""
    path = CACHE / f"cadp_mnist_{seed}.withhold"
    if path.exists():
        return load(path)
    CACHE.mkdir(parents=True, exist_ok=True)
    (images, labels), _, _ = read(folder, seed)
    method = CADP(rounds=ROUNDS, random_state=seed, checkpoint=CACHE / f"cadp_mnist_{seed}.checkpoint")

    def train():
        method.fit(images, labels)
        return {name: round(value, 6) for name, value in method.diagnostics_.items()}

    ledger.measure(f"flow, seed {seed}", train)
    method.save(path)
    return method


def published(method, images, labels, epsilon, seed):
    """Release as the published code does: one scale for a whole batch, floating-point noise."""
    z, s = method.latents(images, labels), min(epsilon / 2, 4)
    rng, out = np.random.default_rng(seed), np.empty_like(z)
    for start in range(0, len(z), BATCH):
        block = slice(start, start + BATCH)
        norm = np.abs(z[block]).sum(axis=0).max()  # torch.linalg.norm(z, ord=1) of a matrix
        out[block] = z[block] * min(1.0, s / norm) + rng.laplace(0, s / epsilon, z[block].shape)
    return method.flow_.decode(out, labels.astype(np.int64))


def row(method, name, epsilon, data, seed, records):
    """Measure one row of the table."""
    _, (images, labels), test = data
    images, labels = images[:records], labels[:records]
    began = cpu_seconds()
    if name == "original":
        made = images
    elif name == "round trip":
        made = method.flow_.decode(method.latents(images, labels), labels.astype(np.int64))
    elif name == "no record":
        made = method.control(labels)
    elif name == "published code":
        made = published(method, images, labels, epsilon, seed)
    else:
        made = method.with_mechanism(epsilon=epsilon, **MECHANISMS[name]).transform(images, labels)
    seconds = cpu_seconds() - began
    if made.ndim == 2:
        made = np.rint(np.clip(made, 0, 1) * 255).astype(np.uint8).reshape(-1, 28, 28)
    found = {"accuracy": accuracy(made, labels, test, seed), **kept(images, made, labels)}
    return found if name == "original" else {**found, "images_a_second": round(records / seconds)}


def named(name, epsilon):
    return name if epsilon is None else f"{name}:{epsilon:g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--records", type=int, default=HALF)
    parser.add_argument("--deadline", type=float, default=float("inf"), metavar="SECONDS", help="start no row after it")
    parser.add_argument("--only", nargs="+", metavar="NAME[:EPSILON]", help="these rows, such as 'privunit 16:10'")
    given = parser.parse_args()
    rows = FIRST if given.only is None else [one for one in FIRST if named(*one) in given.only]
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    folder, ledger, started = data_dir(), Ledger("cadp_mnist"), time.perf_counter()
    for seed in given.seeds:
        method = None
        data = read(folder, seed)
        for name, epsilon in rows:
            key = f"{name}{'' if epsilon is None else f', epsilon {epsilon:g}'}, {given.records} records, seed {seed}"
            if key in ledger.cases or time.perf_counter() - started > given.deadline:
                continue
            if method is None:
                method = flow(ledger, folder, seed)
            ledger.measure(key, lambda n=name, e=epsilon, s=seed, d=data, m=method: row(m, n, e, d, s, given.records))


if __name__ == "__main__":
    main()
