"""Records a second and what is left of a direction, for each mechanism: 16 and 784 dimensions, one core.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/cadp/mechanisms.py

Standard normal latents, as those of a flow. `cosine` is the mean cosine between a record and its release, `error` its
standard error, `records_per_cpu_second` the median of three runs on the same records.
Making the codebook is not counted; it takes `codebook_seconds` once.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

from withhold.privacy.discrete_laplace import DiscreteLaplace
from withhold.privacy.mechanism import Mechanism
from withhold.privacy.privunit import PrivUnit

RECORDS = {16: 4_000, 784: 2_000}
KINDS: dict[str, Callable[[float, int], Mechanism]] = {
    "privunit": PrivUnit,
    "laplace": DiscreteLaplace,
}


def measure(kind: str, epsilon: float, d: int) -> dict:
    mechanism = KINDS[kind](epsilon, d)
    found: dict = {}
    if isinstance(mechanism, PrivUnit):
        start = time.process_time()
        _ = mechanism.codebook
        found = {
            "codebook_seconds": time.process_time() - start,
            "words": mechanism.words,
            "closest": mechanism.closest,
            "expected_cosine": mechanism.expected_cosine,
        }
    z = np.random.default_rng(0).normal(size=(RECORDS[d], d))
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    rates, cosines = [], []
    for _ in range(3):
        start = time.process_time()
        released = mechanism.randomise(z)
        rates.append(len(z) / (time.process_time() - start))
        cosines.append((unit * released).sum(axis=1) / np.linalg.norm(released, axis=1))
    cosine = np.concatenate(cosines)
    return found | {
        "records_per_cpu_second": statistics.median(rates),
        "cosine": float(cosine.mean()),
        "error": float(cosine.std() / np.sqrt(cosine.size)),
    }


def main() -> None:
    ledger = Ledger("cadp_mechanisms")
    for d in RECORDS:
        for epsilon in (0.2, 1, 4, 10):
            for kind in KINDS:
                key = f"{kind} | {d} | {epsilon:g}"
                ledger.measure(key, lambda kind=kind, epsilon=epsilon, d=d: measure(kind, epsilon, d))


if __name__ == "__main__":
    main()
