"""A number is compared with the length of the text that it counts."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.counted import length_columns, word_count_columns
from withhold.audit.view.reading import read_columns

N = 300
RNG = np.random.default_rng(0)
NOTES = [" ".join(["word"] * k) for k in RNG.integers(2, 9, N)]

FLAGS = [RNG.choice(["high", "low", "plain"], k).tolist() for k in RNG.integers(4, 12, N)]


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


def times_said(word):
    return np.array([flags.count(word) for flags in FLAGS])


def beyond(number):
    text, counted = read_columns(pa.table({"flags": [" ".join(flags) for flags in FLAGS], "high": number}))
    return dict(word_count_columns([text], [counted]))


def test_a_number_is_compared_with_how_often_the_word_stands_that_it_counts():
    off = RNG.integers(0, 2, N) * RNG.choice([-1, 1], N)
    assert (beyond(times_said("high") + off)["high beyond high in flags"] == off).all()


def test_a_count_is_found_behind_other_whole_numbers():
    others = {f"code{j}": RNG.integers(0, 10**6, N) for j in range(8)}
    counts = times_said("high") + RNG.integers(0, 2, N)
    text, *numbers = read_columns(pa.table({"flags": [" ".join(one) for one in FLAGS], **others, "high": counts}))
    assert [name for name, _ in word_count_columns([text], numbers)] == ["high beyond high in flags"]


def test_some_rows_are_asked_and_all_are_compared(monkeypatch):
    monkeypatch.setattr("withhold.audit.view.counted.PROBED", 50)
    off = RNG.integers(0, 2, N)
    assert (beyond(times_said("high") + off)["high beyond high in flags"] == off).all()


def test_a_number_that_counts_no_word_is_left_alone():
    assert beyond(RNG.permutation(times_said("high"))) == {}
