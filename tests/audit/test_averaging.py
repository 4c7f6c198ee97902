"""Averaging takes noise off whatever the kind of column, and has nothing to do where versions are the same."""

import numpy as np
import pyarrow as pa

from withhold.audit.averaging import averaged, further_columns, same


def test_numbers_lose_their_noise() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    versions = [pa.table({"a": truth + rng.normal(size=400)}) for _ in range(16)]
    mean = averaged(versions).column("mean of a").to_numpy()
    assert np.std(mean - truth) < 0.3
    assert np.std(versions[0].column("a").to_numpy() - truth) > 0.9


def test_levels_become_shares_of_the_versions() -> None:
    one, two = (pa.table({"c": words}) for words in (["x"] * 20 + ["y"] * 20, ["x"] * 30 + [None] * 10))
    found = averaged([one, two]).to_pydict()
    assert set(found) == {"share of c=x", "share of c=y"}
    assert found["share of c=x"][:20] == [1.0] * 20
    assert found["share of c=x"][25] == 0.5
    assert found["share of c=y"][35] == 0.5


def test_a_missing_number_is_left_out_of_its_mean() -> None:
    versions = [pa.table({"a": pa.array([1.0, None])}), pa.table({"a": pa.array([3.0, None])})]
    assert averaged(versions).to_pydict() == {"mean of a": [2.0, None]}


def test_what_is_the_same_adds_nothing() -> None:
    table = pa.table({"a": [1, 2], "c": pa.array(["x", "y"]).dictionary_encode()})
    plain = pa.table({"a": [1.0, 2.0], "c": ["x", "y"]})
    assert averaged([table, plain]).num_columns == 0
    assert further_columns(plain, table).num_columns == 0
    assert not same(table.column("a"), pa.chunked_array([[1, 3]]))
