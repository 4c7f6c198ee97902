"""Worlds without any leak: the truth is 0 because S is drawn apart from everything that is handed over."""

import numpy as np
import pyarrow as pa
from known_worlds.world import Sample, World, coin, columns

CITIES = np.array(["Aa", "Bo", "Ci", "Du", "El"])


def _noise(n: int, rng: np.random.Generator) -> Sample:
    table = columns(rng.standard_normal((n, 8)))
    table = table.append_column("city", pa.array(rng.choice(CITIES, n, p=[0.5, 0.3, 0.1, 0.08, 0.02])))
    return Sample(table, {"s": coin(n, rng)})


def _with_utility(n: int, rng: np.random.Generator) -> Sample:
    u = coin(n, rng)
    return Sample(columns(rng.standard_normal((n, 8)) + u[:, None]), {"s": coin(n, rng)}, utility=u)


def _identifiers(n: int, rng: np.random.Generator) -> Sample:
    table = columns(rng.standard_normal((n, 3)))
    names = pa.array([f"{word:08x}" for word in rng.integers(0, 2**32, n).tolist()])
    return Sample(table.append_column("id", names), {"s": coin(n, rng)})


def _constants(n: int, rng: np.random.Generator) -> Sample:
    table = columns(np.column_stack([np.zeros(n), np.full(n, 7.5), rng.standard_normal((n, 4))]))
    return Sample(table.append_column("word", pa.array(["same"] * n)), {"s": coin(n, rng)})


def _four_classes(n: int, rng: np.random.Generator) -> Sample:
    s = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    return Sample(columns(rng.standard_normal((n, 8))), {"s": s})


FOUR = -sum(p * float(np.log(p)) for p in (0.4, 0.3, 0.2, 0.1))
NOISE = (
    World("noise", 0.0, _noise, "Normal columns and a categorical one, all drawn apart from S. Truth 0.", 0.0),
    World("noise_with_utility", 0.0, _with_utility, "The release holds U, and U tells nothing of S. Truth 0.", 0.0),
    World("identifiers", 0.0, _identifiers, "A unique text a row, good only for memorising. Truth 0.", 0.0),
    World("constants", 0.0, _constants, "Columns without variance beside noise. Truth 0.", 0.0),
    World("noise_four_classes", 0.0, _four_classes, "Noise, and S has four classes. Truth 0.", 0.0, entropy=FOUR),
)
