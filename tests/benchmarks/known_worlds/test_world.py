import numpy as np
import pyarrow as pa
from known_worlds.world import Sample, coin, columns, flipped


def test_a_sample_of_images_has_its_pixels_as_columns():
    images = np.arange(24.0).reshape(2, 3, 4)
    flat = Sample(images, {"s": np.array([0, 1])}).flat
    assert flat.num_columns == 12
    assert flat.column("pixel5").to_pylist() == [5.0, 17.0]


def test_a_sample_that_is_a_table_stays_itself():
    table = pa.table({"a": [1, 2]})
    assert Sample(table, {"s": np.array([0, 1])}).flat is table


def test_columns_keep_values_and_type():
    table = columns(np.array([[1, 2], [3, 4]], np.int32), "bit")
    assert table.column("bit1").to_pylist() == [2, 4]
    assert table.schema.field("bit0").type == pa.int32()


def test_coins_and_flips_have_their_probability():
    rng = np.random.default_rng(0)
    fair = coin(100_000, rng)
    assert abs(fair.mean() - 0.5) < 0.01
    assert abs((flipped(fair, 0.2, rng) != fair).mean() - 0.2) < 0.01
    assert abs(coin(100_000, rng, np.where(fair == 1, 1.0, 0.0)).mean() - fair.mean()) < 1e-12
