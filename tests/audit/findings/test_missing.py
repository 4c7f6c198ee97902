"""Missing values, written in any way, reveal the attribute - or do not."""

import numpy as np
import pyarrow as pa
import pytest

from audit.findings.scenes import scene
from withhold.audit.findings.missing import missing_values
from withhold.audit.view.reading import read_columns


@pytest.mark.parametrize("blank", [None, "?", "N/A"])
def test_gap_by_centre_is_named(blank):
    rng = np.random.default_rng(0)
    centre, folds = rng.integers(0, 4, 1000), rng.integers(0, 5, 1000)
    gap = (centre == 2) & (rng.random(1000) < 0.8)
    table = pa.table({"ca": [blank if g else f"v{i % 3}" for i, g in enumerate(gap)]})
    (found,) = missing_values(list(read_columns(table)), "centre", centre, folds)
    assert "missing values in 'ca' reveal centre" in found.text
    assert found.column == "ca"


def test_gap_at_random_is_silent():
    rng = np.random.default_rng(1)
    table = pa.table({"ca": [None if g else 1.0 for g in rng.random(1000) < 0.3]})
    assert missing_values(list(read_columns(table)), "centre", rng.integers(0, 4, 1000), np.arange(1000) % 5) == []


def examples():
    s = np.random.default_rng(0).integers(0, 2, 600)
    return {"missingness_reveals_s": scene(pa.table({"ca": [None if v else 1.0 for v in s]}), s)}
