import numpy as np
import pyarrow as pa
import pytest

from withhold.data.codec import TableCodec
from withhold.data.drift import drift, stability_index


def people(n, seed, jobs=("clerk", "nurse", "smith"), age=50.0, missing=0.0):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": pa.array(rng.normal(age, 10.0, n), mask=rng.random(n) < missing),
            "job": rng.choice(list(jobs), n),
        }
    )


@pytest.fixture(scope="module")
def fitted():
    codec = TableCodec.fit(people(2_000, 0))
    seen = codec.tally()
    codec.encode(people(2_000, 0), seen)
    return codec, seen


def notes(fitted, table):
    codec, seen = fitted
    new = seen.empty()
    codec.encode(table, new)
    return drift(seen, new)


@pytest.mark.parametrize("n", [1, 30, 300, 3_000])
def test_more_of_the_same_is_not_worth_a_word(fitted, n):
    assert all(notes(fitted, people(n, seed)) == [] for seed in range(1, 30))


def test_new_levels(fitted):
    (note, *rest) = notes(fitted, people(1_000, 1, ("clerk", "nurse", "smith", "pilot")))
    assert (note.column, note.kind, note.expected) == ("job", "levels", 0.0)
    assert note.share == pytest.approx(0.25, abs=0.05)
    assert "'pilot'" in note.text
    assert all(other.kind == "shift" for other in rest)


def test_values_beyond_the_range_and_a_shift(fitted):
    found = {note.kind: note for note in notes(fitted, people(1_000, 1, age=70.0))}
    assert set(found) == {"range", "shift"}
    assert 0.2 < found["range"].share < 0.5
    assert found["range"].expected < 0.02
    assert found["shift"].index > 2
    # Two standard deviations apart: the distance in variation is 2 Phi(1) - 1 = .68.
    assert found["shift"].share == pytest.approx(0.68, abs=0.05)
    assert "'age'" in found["range"].text


def test_missing_where_none_was(fitted):
    (note,) = notes(fitted, people(1_000, 1, missing=0.05))
    assert (note.kind, note.expected) == ("missing", 0.0)
    assert note.share == pytest.approx(0.05, abs=0.02)


def test_ten_rows_are_not_worth_a_word(fitted):
    strange = people(10, 1, ("pilot",), age=200.0)
    assert notes(fitted, strange) == []
    assert notes(fitted, pa.concat_tables([strange, strange])) != []


def test_frequencies_of_levels_can_move_too(fitted):
    (note,) = notes(fitted, people(1_000, 1, ("clerk", "clerk", "clerk", "clerk", "nurse", "smith")))
    assert (note.column, note.kind) == ("job", "shift")


def test_stability_index_of_two_gaussians():
    rng = np.random.default_rng(0)
    edges = np.linspace(-8, 8, 2_000)
    a, b = (np.histogram(rng.normal(mean, 1.0, 4_000_000), edges)[0] for mean in (0.0, 0.5))
    # Jeffreys' divergence of two Gaussians half a standard deviation apart is .25.
    assert stability_index(a, b) == pytest.approx(0.25, abs=0.01)
    assert stability_index(a, a) == 0.0
