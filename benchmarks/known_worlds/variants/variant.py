"""A variant of a kind of leak: a shape, a size, how often what is told is wrong, and what stands beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from known_worlds.quadrature import binary_entropy
from known_worlds.variants.columns import TALK, Columns, Rng
from known_worlds.variants.rows import alone
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
        `shape(n, told, rng)` gives columns that hold the bit told of each record; with `across`, `shape(n, told, rng,
        of)` does, `of` the unit of each record; with `numeric`, `shape(n, wrong, rng)` gives columns and S.
    n : int
        Records.
    wrong : float
        Share of the units of which the wrong bit is told.
    beside : {"", "60 columns", "mixed types"}
        What else the release holds.
    units : callable
        `units(n, rng)` gives the unit of each record; S is that of the unit.
    across, grouped, numeric : bool
        Whether the shape needs the units, whether they are named as subjects, and whether the shape draws S itself.
    classes : int
        Of what is told.
    """

    kind: str
    shape: Callable[..., Any]
    n: int
    wrong: float = USUAL
    beside: str = ""
    units: Callable[[int, Rng], np.ndarray] = alone
    across: bool = False
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
        """What a reader who knows the rule learns of S from all records of a unit, in nats."""
        told = np.log(self.classes) - binary_entropy(self.wrong) - self.wrong * np.log(self.classes - 1)
        return float(told)

    def draw(self, seed: int) -> Sample:
        """Draw the release."""
        rng = np.random.default_rng([seed, self.n, *map(ord, self.name)])
        groups = None
        if self.numeric:
            columns, s = self.shape(self.n, self.wrong, rng)
        else:
            of = self.units(self.n, rng)
            unit_s = coin(int(of.max()) + 1, rng)
            told, s = flipped(unit_s, self.wrong, rng)[of], unit_s[of]
            columns = self.shape(self.n, told, rng, of) if self.across else self.shape(self.n, told, rng)
            groups = of if self.grouped else None
        return Sample(_table({**columns, **_beside(self.beside, self.n, rng)}), {"s": s}, groups=groups)


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
