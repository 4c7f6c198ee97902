"""A release as numbers: every column is there, whatever its kind."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.numbers import numeric_matrix
from withhold.contracts.images import image_column
from withhold.information.measures.effective_rank import effective_rank


def test_every_kind_of_column_is_counted():
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "age": rng.integers(20, 60, 400),
            "sex": rng.choice(["f", "m"], 400),
            "pay": np.where(rng.random(400) < 0.1, np.inf, rng.normal(size=400)),
        }
    )
    matrix = numeric_matrix(table)
    assert matrix.shape == (400, 3)
    assert np.isfinite(matrix).all()
    assert effective_rank(matrix, standardise=True) > 2.9


def test_pictures_are_numbers_too():
    images = np.random.default_rng(0).integers(0, 255, (50, 8, 8), dtype=np.uint8)
    assert numeric_matrix(pa.table({"image": image_column(images)})).shape == (50, 64)


def test_nothing_has_no_columns():
    assert numeric_matrix(pa.table({})).shape == (0, 0)
