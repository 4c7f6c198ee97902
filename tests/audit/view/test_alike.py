"""An address is the same in full and abbreviated; other endings and other numbers are not."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.alike import alike_links
from withhold.audit.view.reading import read_columns

N = 300
RNG = np.random.default_rng(0)
STREETS = [f"{a}{b}" for a in ("Bran", "Dor", "Kel") for b in ("holt", "wick", "mead")]
HOMES = [f"{number} {RNG.choice(STREETS)}" for number in RNG.permutation(900)[: N // 2]]


def links(ends):
    written = [f"{home} {end}" for home in HOMES for end in ends]
    return alike_links(list(read_columns(pa.table({"address": written}))))


def test_who_abbreviates_is_linked_with_who_does_not():
    assert links(["Street", "St."])[:, 0].tolist() == [k ^ 1 for k in range(N)]


def test_who_lives_elsewhere_is_not():
    assert links(["Street", "Road"]) is None
