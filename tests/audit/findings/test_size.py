"""Few rows, few rows of a class, enough rows."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.size import small_sample
from withhold.data.attributes import read_attributes


def test_small_samples_are_named():
    assert small_sample(read_attributes(np.arange(100) % 2)[0])[0].severity == "warning"
    lopsided = read_attributes((np.arange(1000) < 20).astype(int))[0]
    assert "1 class has fewer than 50 rows" in small_sample(lopsided)[0].text
    assert small_sample(read_attributes(np.arange(1000) % 2)[0]) == []


def examples():
    return {"small_sample": scene(pa.table({"a": np.arange(60)}))}
