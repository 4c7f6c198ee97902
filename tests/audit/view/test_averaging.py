"""Averaging takes noise off whatever the kind of column, and has nothing to do where versions are the same."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.averaging import averaged, further_columns, same
from withhold.contracts.images import image_array, image_column


def test_numbers_lose_their_noise() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    versions = [pa.table({"a": truth + rng.normal(size=400)}) for _ in range(16)]
    mean = averaged(versions).column("mean of a").to_numpy()
    assert np.std(mean - truth) < 0.3
    assert np.std(versions[0].column("a").to_numpy() - truth) > 0.9


def test_a_mean_has_no_more_digits_than_its_versions() -> None:
    rng = np.random.default_rng(0)
    versions = [pa.table({"a": rng.normal(size=50).astype(np.float32), "b": rng.integers(0, 9, 50)}) for _ in range(3)]
    mean = averaged(versions)
    assert [field.type for field in mean.schema] == [pa.float32(), pa.float64()]


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


def test_images_are_averaged_and_compared() -> None:
    rng = np.random.default_rng(0)
    one, two = (rng.integers(0, 255, (4, 3, 3)).astype(np.uint8) for _ in range(2))
    tables = [pa.table({"scan": image_column(images), "age": [1, 2, 3, 4]}) for images in (one, two)]
    found = averaged(tables)
    assert found.column_names == ["mean of scan", "age"]
    np.testing.assert_allclose(image_array(found.column("mean of scan")), (one.astype(float) + two) / 2)
    assert averaged([tables[0], tables[0]]).num_columns == 0
    assert further_columns(tables[1], tables[0]).column_names == ["scan"]
    assert further_columns(tables[0], tables[0]).column_names == []
    other = pa.table({"scan": image_column(one[:, :2]), "age": [1, 2, 3, 4]})
    assert averaged([tables[0], other]).num_columns == 0
