"""Noise that rounding removes."""

import numpy as np
import pyarrow as pa
import pytest

from audit.findings.scenes import scene
from withhold.audit.findings.origins import origins
from withhold.audit.findings.rounding import noise_below_rounding
from withhold.audit.view.reading import read_columns


@pytest.mark.parametrize(("noise", "named"), [(0.1, True), (2.0, False), (0.0, False), (1e-13, False)])
def test_noise_against_the_step_between_values(noise, named):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 1000).astype(float)
    after = list(read_columns(pa.table({"age": age + noise * rng.normal(size=1000)})))
    found = noise_below_rounding(after, origins(after, list(read_columns(pa.table({"age": age})))))
    assert bool(found) == named


def examples():
    age = np.arange(300) % 60
    return {"noise_below_rounding": scene(pa.table({"age": age + 0.1}), original=pa.table({"age": age}))}
