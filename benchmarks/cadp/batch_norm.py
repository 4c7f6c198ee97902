"""Records found again under the published code's norm, and under the clip of each record.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/cadp/batch_norm.py

The published code takes ``torch.linalg.norm(z, ord=1)`` of a batch's (batch, d) matrix, its largest column sum, divides
every record by it and adds Laplace noise of scale s / epsilon, s = min(epsilon / 2, 4). Latents are standard normal,
d = 784, batches of 16 and of 512 as the code uses, epsilon 10. An attacker who holds the latents names the one with the
largest inner product; chance is one in the number of records. The same with `audit.linkage`, in 144 dimensions, is a
test of `privacy.discrete_laplace`.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

from withhold.audit.statistics.proportion import binomial_interval
from withhold.privacy.discrete_laplace import DiscreteLaplace
from withhold.privacy.privunit import PrivUnit

DIMENSIONS, EPSILON, RADIUS, RECORDS = 784, 10, 4.0, 2_048


def shipped(z: np.ndarray, batch: int) -> np.ndarray:
    """What the published code releases."""
    parts = []
    for start in range(0, len(z), batch):
        rows = z[start : start + batch]
        parts.append(rows / max(1.0, np.linalg.norm(rows, ord=1) / RADIUS))
    return np.vstack(parts) + np.random.default_rng().laplace(0.0, RADIUS / EPSILON, z.shape)


RELEASES = {
    "norm of a batch of 16": lambda z: shipped(z, 16),
    "norm of a batch of 512": lambda z: shipped(z, 512),
    "paper: every record by its own norm, scale s / epsilon": lambda z: DiscreteLaplace(
        2 * EPSILON, DIMENSIONS, RADIUS, normalise=True
    ).randomise(z),
    "Laplace": lambda z: DiscreteLaplace(EPSILON, DIMENSIONS, RADIUS).randomise(z),
    "PrivUnit": lambda z: PrivUnit(EPSILON, DIMENSIONS).randomise(z),
}


def measure(name: str) -> dict:
    z = np.random.default_rng(0).normal(size=(RECORDS, DIMENSIONS))
    # The length of a latent says nothing about whose release is whose: directions are compared.
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    named = (RELEASES[name](z) @ unit.T).argmax(axis=1)
    found = int((named == np.arange(RECORDS)).sum())
    low, high = binomial_interval(found, RECORDS, 0.95)
    return {"found": found / RECORDS, "low": low, "high": high, "chance": 1 / RECORDS, "records": RECORDS}


def main() -> None:
    ledger = Ledger("cadp_batch_norm")
    for name in RELEASES:
        ledger.measure(name, lambda name=name: measure(name))


if __name__ == "__main__":
    main()
