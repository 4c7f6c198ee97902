"""A variant of a kind of leak: a shape, a size, how often what is told is wrong, and what stands beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from known_worlds.quadrature import binary_entropy, channel_information
from known_worlds.variants.columns import TALK, Columns, Rng
from known_worlds.world import Sample, coin, flipped

# Wrong in a twentieth; and so often that half as much is told.
USUAL, WEAK = 0.05, 0.164
NOISE = 60


@dataclass(frozen=True)
class Variant:
    """One release of known truth.

    Attributes
    ----------
    kind : str
        What has to be read.
    shape : callable
        `shape(n, told, rng)` gives columns that hold the bit told of each record; with `size`, `shape(n, told, rng,
        of)` does, `of` the unit of each record; with `numeric`, `shape(n, wrong, rng)` gives columns and S.
    n : int
        Records.
    wrong : float
        Share of the units of which the wrong bit is told; where members of a unit tell of each other, share of the
        members whose S is not that of the unit.
    beside : {"", "60 columns", "mixed types"}
        What else the release holds.
    size : int
        Records of a unit; 0 where each record stands alone.
    grouped, numeric : bool
        Whether the units are named as subjects, all records of whom have one S, and whether the shape draws S itself.
    classes : int
        Of what is told.
    """

    kind: str
    shape: Callable[..., Any]
    n: int
    wrong: float = USUAL
    beside: str = ""
    size: int = 0
    grouped: bool = False
    numeric: bool = False
    classes: int = 2

    @property
    def name(self) -> str:
        """As in the results."""
        about = [f"n={self.n}", *(["weak"] if self.wrong > USUAL else []), *([self.beside] if self.beside else [])]
        return f"{self.kind} / {self.shape.__name__} / {', '.join(about)}"

    @property
    def truth(self) -> float:
        """What a reader who knows the rule and S of all other records learns of one, of a subject from all its own."""
        if self.size and not self.grouped:
            return _told_by_others(self.size, self.wrong)
        told = np.log(self.classes) - binary_entropy(self.wrong) - self.wrong * np.log(self.classes - 1)
        return float(told)

    def draw(self, seed: int) -> Sample:
        """Draw the release."""
        rng = np.random.default_rng([seed, self.n, *map(ord, self.name)])
        groups = None
        if self.numeric:
            columns, s = self.shape(self.n, self.wrong, rng)
        else:
            of = rng.permutation(self.n) // self.size if self.size else np.arange(self.n)
            told = coin(int(of.max()) + 1, rng)
            s = flipped(told, self.wrong, rng)[of] if self.grouped else flipped(told[of], self.wrong, rng)
            columns = self.shape(self.n, told[of], rng, *([of] if self.size else []))
            groups = of if self.grouped else None
        return Sample(_table({**columns, **_beside(self.beside, self.n, rng)}), {"s": s}, groups=groups)


def _told_by_others(size: int, wrong: float) -> float:
    """Return I(S of one member; S of all others), each that of the unit but for a share `wrong`, by enumeration."""
    joint = np.zeros((2, size))
    for others in range(size):
        ways = comb(size - 1, others)
        for unit in (0, 1):
            one = 1 - wrong if unit else wrong  # of a member's S
            chance = ways * one**others * (1 - one) ** (size - 1 - others)
            joint[:, others] += chance / 2 * np.array([1 - one, one])
    return channel_information(joint)


def _table(columns: Columns) -> pa.Table:
    arrays = {}
    for name, column in columns.items():
        plain = (
            pa.Array.from_pandas(column) if isinstance(column, pd.Series | pd.api.extensions.ExtensionArray) else column
        )
        arrays[name] = plain if isinstance(plain, pa.Array) else pa.array(plain)
    return pa.table(arrays)


def _beside(what: str, n: int, rng: Rng) -> Columns:
    if what == "60 columns":
        return {f"z{j:02d}": rng.standard_normal(n) for j in range(NOISE)}
    if what == "mixed types":
        gaps = np.where(rng.random(n) < 0.2, np.nan, np.round(rng.normal(80, 9, n), 1))
        return {
            "age": rng.integers(18, 90, n),
            "region": np.array(list("nesw"))[rng.integers(0, 4, n)],
            "booked": rng.integers(17_000, 19_000, n).astype("datetime64[D]"),
            "remark": [" ".join(rng.choice(TALK, rng.integers(2, 7))) for _ in range(n)],
            "case": [f"C-{k:07d}" for k in rng.permutation(9 * n)[:n]],
            "pulse": gaps,
            "vector": rng.normal(size=(n, 6)).tolist(),
        }
    return {"age": rng.integers(18, 90, n), "z": rng.standard_normal(n)}
