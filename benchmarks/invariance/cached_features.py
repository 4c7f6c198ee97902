"""What caching the features is worth: a round with K = 80 estimator steps on cached and on recomputed features.

python benchmarks/invariance/cached_features.py

The encoder does not move in the inner loop, so a pool of 4 fresh batches is encoded once; the alternative, the loop of
Algorithm 1 as it is written, encodes a fresh batch for each of the 80 steps. Both are the same code: `pool` is 4 or 80.
Seconds of a round are the difference of fits of 7 and 2 rounds, so that what a fit does beside its rounds drops out.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from coloured import DigitNet, MIBackprop, coloured, mnist
from ledger import Ledger, cpu_seconds, data_dir

ROUNDS = 2, 7


def seconds_a_round(width: int, hidden: int, pool: int) -> float:
    """CPU seconds of a round of the defaults with K = 80."""
    grey, y, *_ = mnist(data_dir())
    digits, spent = coloured(grey[:3000], y[:3000], 0.03, "biased", 0), []
    for rounds in ROUNDS:
        method = MIBackprop(
            encoder=DigitNet(width, hidden), steps=80, pool=pool, rounds=rounds, noise_seed=0, random_state=0
        )
        start = cpu_seconds()
        method.fit(digits.x, digits.y, sensitive_features=digits.code)
        spent.append(cpu_seconds() - start)
    return (spent[1] - spent[0]) / (ROUNDS[1] - ROUNDS[0])


def compare(width: int, hidden: int) -> dict:
    """Seconds of a round both ways, and their ratio."""
    cached, recomputed = (seconds_a_round(width, hidden, pool) for pool in (4, 80))
    return {
        "cached_seconds": round(cached, 3),
        "recomputed_seconds": round(recomputed, 3),
        "ratio": round(recomputed / cached, 2),
    }


def main() -> None:
    ledger = Ledger("cached_features")
    for width, hidden in ((16, 128), (64, 512)):
        print(ledger.measure(f"{width}/{hidden}", lambda w=width, h=hidden: compare(w, h)))


if __name__ == "__main__":
    main()
