"""Discrete values that shift, and rare columns that are left alone."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.evidence import column_evidence
from withhold.audit.findings.origins import origins
from withhold.audit.findings.rare import rare_levels, shifted_values
from withhold.audit.view.reading import read_columns


def prepare(release, original):
    after, before = list(read_columns(pa.table(release))), list(read_columns(pa.table(original)))
    return after, origins(after, before)


def test_values_that_differ_by_s_within_an_original_level():
    rng = np.random.default_rng(0)
    s, folds, level = rng.integers(0, 2, 2000), rng.integers(0, 5, 2000), rng.integers(0, 4, 2000)
    # Shifts of a whole level: the released column alone hides them, the pair does not.
    after, origin = prepare({"level": (level + s).astype(float) + 1e-3 * rng.normal(size=2000)}, {"level": level})
    assert [f.code for f in shifted_values("sex", after, origin, s, folds)] == ["discrete_values_shifted"]
    after, origin = prepare({"level": level + 1e-3 * rng.normal(size=2000)}, {"level": level})
    assert shifted_values("sex", after, origin, s, folds) == []


def test_constant_column_that_varies_in_the_release():
    rng = np.random.default_rng(1)
    s, folds = rng.integers(0, 2, 2000), rng.integers(0, 5, 2000)
    for leak, expected in ((1.0, ["rare_level_reveals"]), (0.0, [])):
        after, origin = prepare(
            {"one": 1.0 + 1e-6 * (leak * s + rng.normal(0, 0.3, 2000)), "x": rng.normal(size=2000)},
            {"one": np.ones(2000), "x": rng.normal(size=2000)},
        )
        evidence = {reading.name: column_evidence(reading, s, folds) for reading in after}
        assert [f.code for f in rare_levels("sex", after, origin, evidence)] == expected


def examples():
    rng = np.random.default_rng(1)
    s, level = rng.integers(0, 2, 2000), rng.integers(0, 4, 2000)
    release = pa.table({"one": 1 + 1e-6 * s + 1e-7 * rng.normal(size=2000), "level": level + 0.1 * s})
    given = scene(release, s, original=pa.table({"one": np.ones(2000), "level": level}))
    return dict.fromkeys(["rare_level_reveals", "discrete_values_shifted"], given)
