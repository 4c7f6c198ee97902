"""Declared blind spots: leaks no attacker of a panel finds, which is why a pass is a claim about attackers only."""

import hashlib

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import flip_information
from known_worlds.world import Sample, World, coin, columns, flipped

BITS, PARITY_FLIP = 12, 0.1
KEY = b"known to the recipient, not to the panel"


def _parity(n: int, rng: np.random.Generator) -> Sample:
    bits = rng.integers(0, 2, (n, BITS))
    table = columns(bits, "bit")
    for j, column in enumerate(rng.standard_normal((n, 8)).T):
        table = table.append_column(f"z{j}", pa.array(column))
    return Sample(table, {"s": flipped(bits.sum(axis=1) % 2, PARITY_FLIP, rng)})


def _hashed(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    name = rng.integers(0, 2**48, n)
    pad = np.array([hashlib.blake2b(str(i).encode(), key=KEY, digest_size=1).digest()[0] & 1 for i in name.tolist()])
    table = columns(rng.standard_normal((n, 4))).append_column("name", pa.array(name))
    return Sample(table.append_column("flag", pa.array(s ^ pad)), {"s": s})


BLIND = (
    World(
        "parity12",
        flip_information(PARITY_FLIP),
        _parity,
        "S = parity of twelve bits, flipped with probability .1: any eleven bits tell nothing; ln 2 - h(.1).",
        blind=True,
    ),
    World(
        "keyed_hash",
        float(np.log(2.0)),
        _hashed,
        "A flag holds S xor one bit of a keyed hash of the record's name: who has the key knows S, ln 2.",
        blind=True,
    ),
)
