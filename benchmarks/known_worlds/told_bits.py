"""What worlds of one told bit share: how often it is wrong, columns of noise beside it, and the truth."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import flip_information
from known_worlds.world import Draw, World

FLIP = 0.05
LN2 = float(np.log(2.0))
NOISE = 5


def beside_noise(columns: Mapping[str, np.ndarray], n: int, rng: np.random.Generator) -> pa.Table:
    """Return the columns and five of noise as a table.

    Examples
    --------
    >>> beside_noise({"a": np.arange(3)}, 3, np.random.default_rng(0)).num_columns
    6
    """
    return pa.table({**columns, **{f"z{j}": rng.standard_normal(n) for j in range(NOISE)}})


def wrong_at_times(name: str, draw: Draw, said: str, home: str | None = None) -> World:
    """Return the world of a bit that is wrong in a twentieth of the rows.

    Examples
    --------
    >>> round(wrong_at_times("name", None, "The bit").truth, 3)
    0.495
    """
    return World(name, flip_information(FLIP), draw, f"{said}, wrong in a twentieth; ln 2 - h(.05).", 0.0, home=home)
