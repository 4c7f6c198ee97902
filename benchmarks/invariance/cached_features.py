"""What caching the features is worth: a round with K = 80 estimator steps on cached and on recomputed features.

python benchmarks/invariance/cached_features.py

The encoder does not move in the inner loop, so a pool of 4 fresh batches is encoded once; the alternative, the loop of
Algorithm 1 as it is written, encodes a fresh batch for each of the 80 steps. Both are the same code: `pool` is 4 or 80.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import torch
from coloured import DigitNet, coloured, mnist
from ledger import Ledger, cpu_seconds, data_dir
from torch import nn

from withhold.methods.mi_backprop.game import Backpropagation, InformationGame, LabelledRows
from withhold.methods.mi_backprop.information_terms import Secrets, information_term
from withhold.methods.mi_backprop.weighted_rows import WeightedRows
from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.encoders import encoder_for
from withhold.training.session import make_fabric

N, ROUNDS = 4000, 6


def seconds_a_round(width: int, hidden: int, pool: int) -> float:
    """CPU seconds of a round of the defaults with K = 80."""
    grey, y, *_ = mnist(data_dir())
    digits, device = coloured(grey[:N], y[:N], 0.03, "biased", 0), torch.device("cpu")
    code = (np.arange(8) == digits.code[:, :, None]).reshape(N, 24)
    secrets = Secrets(
        torch.from_numpy(digits.code).float(), AttributeLayout((8, 8, 8)), torch.from_numpy(code).float(),
        torch.zeros(N, 3),
    )  # fmt: skip
    rows = LabelledRows(
        torch.from_numpy(digits.x.reshape(N, -1)).float() / 255,
        torch.from_numpy(digits.y),
        WeightedRows(np.arange(N - 256), device),
        WeightedRows(np.arange(N - 256, N), device),
    )

    def play(rounds: int) -> float:
        torch.manual_seed(0)
        recipe = Backpropagation(rounds=rounds, steps=80, pool=pool, noise=0.3)
        encoder = encoder_for((28, 28, 3), 64, module=DigitNet(width, hidden), standardise=True)
        encoder.settle = lambda rows: None  # one pass at the end of a training, not of a round
        term = information_term("mine", secrets, 64, (64, 64))
        game = InformationGame(rows, recipe, encoder, nn.Linear(64, 10), term, make_fabric("cpu"))
        game.held_out = lambda: 0.0  # sixty looks a training, not one a round
        start = cpu_seconds()
        game.play(0)
        return cpu_seconds() - start

    play(1)
    return play(ROUNDS) / ROUNDS


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
