"""Worlds of categories: a discrete table, rare one-hot columns, repeated values, two S with only a joint leak."""

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import (
    channel_information,
    distance_for,
    flip_information,
    shift_information,
)
from known_worlds.world import Reals, Sample, World, coin, columns, flipped

SHARES = np.array([0.5, 0.3, 0.2])
WORK = np.array([[0.50, 0.20, 0.20, 0.10], [0.20, 0.50, 0.10, 0.20], [0.25, 0.25, 0.40, 0.10]])
WORDS, NUMBERS = np.array(["clerk", "nurse", "smith", "other"]), np.array(["one", "two", "many"])
HOUSE = np.array([[0.6, 0.2, 0.2], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]])
# Forty levels, of which twenty are rare (a hundredth each) and tell S.
RARE, COMMON = np.full(20, 0.01), np.full(20, 0.04)
RARE_FLIP, REPEAT_FLIP = 0.1, 0.1
VALUES = 400
# Which of the values belong to S = 1; the same half in every draw.
OWNER = np.random.default_rng(20_240_103).permutation(np.arange(VALUES) % 2)
JOINT = 0.15


def _choices(p: Reals, s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray((rng.random(len(s))[:, None] > np.cumsum(p, axis=1)[s]).sum(axis=1).clip(0, p.shape[1] - 1))


def _table(n: int, rng: np.random.Generator) -> Sample:
    s = rng.choice(3, n, p=SHARES)
    work, house = _choices(WORK, s, rng), _choices(HOUSE, s, rng)
    table = pa.table({"work": WORDS[work], "house": NUMBERS[house]})
    table = table.append_column("colour", pa.array(rng.choice(["red", "green", "blue"], n)))
    return Sample(table, {"s": np.array(["north", "south", "west"])[s]})


def table_information() -> float:
    """Return I(S; work, house), independent given S, by enumeration.

    Examples
    --------
    >>> 0.1 < table_information() < 0.3
    True
    """
    return channel_information((SHARES[:, None, None] * WORK[:, :, None] * HOUSE[:, None, :]).reshape(3, -1))


def _rare(n: int, rng: np.random.Generator) -> Sample:
    level = rng.choice(40, n, p=np.concatenate([RARE, COMMON]))
    guess = np.where(level < len(RARE), level % 2, coin(n, rng))
    return Sample(columns(np.eye(40, dtype=np.int64)[level], "level"), {"s": flipped(guess, RARE_FLIP, rng)})


def _repeated(n: int, rng: np.random.Generator) -> Sample:
    which = rng.integers(0, VALUES, n)
    weight = 100.0 + 0.37 * which
    table = columns(rng.standard_normal((n, 4))).append_column("weight", pa.array(weight))
    return Sample(table, {"s": flipped(OWNER[which].astype(np.int64), REPEAT_FLIP, rng)})


def _joint(n: int, rng: np.random.Generator) -> Sample:
    first, second = coin(n, rng), coin(n, rng)
    z = rng.standard_normal((n, 6))
    z[:, 2] += distance_for(JOINT) * (first ^ second)
    return Sample(columns(z), {"s1": first, "s2": second})


DISCRETE = (
    World(
        "discrete_table",
        table_information(),
        _table,
        "Two categorical columns, independent given S of three classes; enumeration of the 36 cells.",
        entropy=-float((SHARES * np.log(SHARES)).sum()),
        form="column",
    ),
    World(
        "rare_one_hot",
        float(RARE.sum()) * flip_information(RARE_FLIP),
        _rare,
        "Forty one-hot columns, twenty of them rare, each pointing to S with probability .9; .2 (ln 2 - h(.1)).",
    ),
    World(
        "repeated_values",
        flip_information(REPEAT_FLIP),
        _repeated,
        "A number with 400 values in no order, each owned by one class, flipped with probability .1; ln 2 - h(.1).",
        home="lookup",
    ),
    World(
        "only_joint",
        shift_information(distance_for(JOINT)),
        _joint,
        "Neither S1 nor S2 shows, S1 xor S2 shifts a column; quadrature.",
        entropy=2 * float(np.log(2.0)),
        form="column",
        each={"s1": 0.0, "s2": 0.0},
    ),
)
