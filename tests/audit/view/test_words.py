"""Words of texts and elements of lists are counted wherever they stand; what stands in one value alone is not."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.reading import read_column
from withhold.audit.view.words import has_words, told_by_words, words

RNG = np.random.default_rng(0)
WORDS = np.array(["pain", "fever", "mild", "acute", "knee", "left", "cough"])
NOTES = [" ".join(RNG.choice(WORDS, RNG.integers(5, 12))) for _ in range(200)]


def test_a_word_is_counted_wherever_it_stands():
    notes = [f"{note} husband" if i % 2 else f"husband {note}" for i, note in enumerate(NOTES)]
    found = words(pa.table({"note": [*notes, *NOTES]}))
    there = np.asarray((found > 0).sum(axis=0)).ravel()
    columns = np.flatnonzero(there == len(notes))
    assert any((found[: len(notes), column] > 0).sum() == len(notes) for column in columns)


def test_a_missing_text_has_no_words():
    found = words(pa.table({"note": [None, *NOTES, None]}))
    assert found[[0, -1]].nnz == 0
    assert found[1:-1].nnz > 0


def test_rows_of_one_value_have_the_same_words():
    found = words(pa.table({"note": NOTES + NOTES}))
    assert (found[:200] != found[200:]).nnz == 0


@pytest.mark.parametrize(
    ("column", "there"),
    [
        (pa.array(NOTES), True),
        (pa.array(NOTES).dictionary_encode(), True),
        (pa.array([list(RNG.choice(WORDS, 1 + i % 5)) for i in range(200)]), True),
        (pa.array(RNG.choice(WORDS, 200)), False),
        (pa.array(range(200)), False),
        (pa.array([str(i) for i in range(200)]), False),
        (pa.nulls(200), False),
        (pa.array([], pa.string()), False),
    ],
)
def test_text_of_many_values_is_read_by_its_words(column, there):
    assert has_words(pa.table({"a": column})) is there


@pytest.mark.parametrize(("texts", "told"), [(NOTES, True), ([RNG.bytes(16).hex() for _ in range(200)], False)])
def test_words_that_no_other_text_holds_tell_nothing(texts, told):
    share = told_by_words(read_column(pa.table({"a": texts}), "a")).mean()
    assert (share > 0.95) if told else (share == 0)
