"""Columns that came out as they went in."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.evidence import column_evidence
from withhold.audit.findings.origins import origins
from withhold.audit.findings.unchanged import unchanged_columns
from withhold.audit.view.reading import read_columns


def test_only_unchanged_columns_that_tell_are_named():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 2000)
    job = np.where(rng.random(2000) < 0.8, s, 1 - s)
    city = rng.integers(0, 3, 2000)
    before = list(read_columns(pa.table({"job": [f"j{v}" for v in job], "city": city, "pay": job})))
    after = list(
        read_columns(pa.table({"job": [f"j{v}" for v in job], "city": city, "pay": job + rng.normal(size=2000)}))
    )
    evidence = {reading.name: column_evidence(reading, s, np.arange(2000) % 5) for reading in after}
    (found,) = unchanged_columns("sex", after, origins(after, before), evidence)
    assert found.column == "job"
    assert "still tells sex" in found.text


def examples():
    s = np.random.default_rng(0).integers(0, 2, 600)
    table = pa.table({"job": [f"j{v}" for v in s]})
    return {"column_unchanged": scene(table, s, original=table)}
