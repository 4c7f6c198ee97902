import numpy as np
import pyarrow as pa
import pytest

from withhold.data.codec import TableCodec
from withhold.data.tally import HELD, SAMPLED, ColumnTally, Tally


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "age": pa.array(rng.integers(18, 90, 1000).astype(float), mask=rng.random(1000) < 0.2),
            "job": rng.choice(["clerk", "nurse", "smith"], 1000),
            "town": pa.array(rng.choice(["Ulm", "Bonn"], 1000)).dictionary_encode(),
            "one": ["same"] * 1000,
        }
    )


def counted(codec, table, tally=None):
    tally = tally or codec.tally()
    codec.encode(table, tally)
    return tally


def test_counting_changes_no_feature(table):
    codec = TableCodec.fit(table)
    assert np.array_equal(codec.encode(table), codec.encode(table, codec.tally()))


def test_what_is_counted(table):
    codec = TableCodec.fit(table)
    seen = counted(codec, table)
    age, job, town, one = seen.columns.values()
    assert seen.rows == age.rows == 1000
    assert age.missing == table.column("age").null_count
    assert 0 < age.below <= 20
    assert age.cells.sum() == 1000 - age.missing
    assert age.cells.max() < 2 * age.cells.min()
    assert job.cells.tolist() == [
        (table.column("job").to_numpy() == level).sum() for level in ("clerk", "nurse", "smith")
    ]
    assert (job.unseen, town.unseen, one.unseen) == (0, 0, 0)


def test_strange_values_are_counted_and_named(table):
    codec = TableCodec.fit(table)
    strange = pa.table(
        {
            "age": pa.array([5.0, 200.0, 50.0, None]),
            "job": ["clerk", "king", "king", None],
            "town": pa.array(["Ulm", "Rom", None, "Paris"]).dictionary_encode(),
            "one": ["same", "other", None, "same"],
        }
    )
    new = counted(codec, strange, counted(codec, table).empty())
    age, job, town, one = new.columns.values()
    assert (age.below, age.above, age.missing) == (1, 1, 1)
    assert (job.unseen, job.missing, job.strange) == (2, 1, {"king": 2})
    assert (town.unseen, town.missing, town.strange) == (2, 1, {"Rom": 1, "Paris": 1})
    assert (one.unseen, one.missing) == (1, 1)


def test_levels_of_few_records_are_counted_and_never_named(table):
    codec = TableCodec.fit(table)
    towns = ["Rom"] * 9 + ["Paris"] * 10 + ["Wien"] * 12 + ["Ulm"] * 19
    new = table.slice(0, 50).set_column(2, "town", pa.array(towns).dictionary_encode())
    pieces = counted(codec, table).empty()
    for start in range(0, 50, 7):  # no name is frequent in any piece
        counted(codec, new.slice(start, 7), pieces)
    town = pieces.columns["town"]
    assert town.unseen == 31
    assert town.examples == ["Wien", "Paris"]


def test_names_that_are_held_are_bounded():
    tally = ColumnTally(levels=1)
    for start in range(0, 10 * HELD, 100):
        tally.remember(range(start, start + 100), [10] * 100)
    tally.remember([0], [5])
    assert len(tally.strange) == HELD
    assert tally.examples == ["0", "1", "2"]


def test_pieces_come_to_the_whole(table):
    codec = TableCodec.fit(table)
    whole, pieces = counted(codec, table), codec.tally()
    for start in range(0, 1000, 77):
        counted(codec, table.slice(start, 77), pieces)
    for one, other in zip(whole.state().values(), pieces.state().values(), strict=True):
        assert np.array_equal(one, other)


def test_long_passes_put_some_values_into_cells():
    tally = ColumnTally(0.0, 1.0, np.array([0.5]), sampled=SAMPLED)
    tally.numbers(np.linspace(-1.0, 2.0, 100_001), None)
    assert tally.rows == 100_001
    assert SAMPLED <= tally.cells.sum() <= 2 * SAMPLED
    assert tally.below + tally.above == pytest.approx(66_667, abs=2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_is_counted_as_its_columns(dtype):
    X = np.random.default_rng(0).normal(size=(40_000, 3)).astype(dtype)
    seen = Tally.of_matrix(X)
    seen.matrix(X)
    for j, column in enumerate(seen.columns.values()):
        alone = ColumnTally(column.low, column.high, column.edges)
        alone.numbers(X[:, j].astype(float), None)
        assert (alone.below, alone.above, alone.cells.tolist()) == (column.below, column.above, column.cells.tolist())
        assert 0.0005 < column.below / 40_000 < 0.005


def test_state_comes_back_without_small_counts(table):
    codec = TableCodec.fit(table)
    seen = counted(codec, table.slice(0, 60))
    back = Tally.restore(list(seen.columns), seen.state())
    for name, column in seen.columns.items():
        other = back.columns[name]
        assert (other.low, other.high, other.rows) == (column.low, column.high, column.rows)
        assert np.array_equal(other.edges, column.edges)
        assert np.array_equal(other.cells, np.where((column.cells > 0) & (column.cells < 10), 9, column.cells))
    empty = Tally.restore([], Tally({}).state())
    assert empty.rows == 0


@pytest.mark.parametrize(("part", "at", "value"), [("ranges", (0, 0), 1e30), ("counts", (0, 1), -1), ("cells", 0, -1)])
def test_counts_and_ranges_that_cannot_be_are_refused(table, part, at, value):
    seen = counted(TableCodec.fit(table), table)
    state = {name: array.copy() for name, array in seen.state().items()}
    Tally.restore(list(seen.columns), state)  # positive control
    state[part][at] = value
    with pytest.raises(ValueError, match=r"below zero|before they begin"):
        Tally.restore(list(seen.columns), state)
