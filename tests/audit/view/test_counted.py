"""A number is compared with the length of the text that it counts."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.counted import length_columns
from withhold.audit.view.reading import read_columns

N = 300
RNG = np.random.default_rng(0)
NOTES = [" ".join(["word"] * k) for k in RNG.integers(2, 9, N)]


def lengths(number, notes=NOTES):
    note, counted = read_columns(pa.table({"note": notes, "size": number}))
    return dict(length_columns([note], [counted]))


def test_a_number_is_compared_with_the_length_that_it_counts():
    size = np.array([len(note) for note in NOTES])
    off = RNG.integers(-2, 3, N)
    assert (lengths(size + off)["size beyond characters of note"] == off).all()
    assert (lengths((size + 1) // 5)["size beyond words of note"] == 0).all()


def test_a_number_that_counts_something_else_is_left_alone():
    assert lengths(RNG.integers(100, 900, N)) == {}


def test_texts_of_one_length_have_none_to_compare():
    assert lengths(RNG.integers(1, 5, N), [f"{k % 10} of" for k in range(N)]) == {}
