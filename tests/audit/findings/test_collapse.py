"""Collapse to one direction or to nothing."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.collapse import collapse


def test_only_collapse_is_named():
    x = np.random.default_rng(1).normal(size=(500, 3))
    assert collapse(x, 0.5) == []
    assert collapse(x, None) == []
    assert "retention" in collapse(x, 0.01)[0].text
    assert "one direction" in collapse(x[:, :1] * [1.0, 2.0], 0.5)[0].text


def examples():
    return {"collapse": scene(pa.table({"a": np.arange(90.0), "b": 2 * np.arange(90.0)}))}
