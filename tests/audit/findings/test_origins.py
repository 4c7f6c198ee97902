"""Released columns are matched to the original by name and level."""

import pyarrow as pa

from withhold.audit.findings.origins import origins
from withhold.audit.view.reading import read_columns


def test_indicators_of_levels_and_the_longest_name():
    before = list(read_columns(pa.table({"job": ["a", "b"], "job_type": ["x y", "b"], "n": [1, 2]})))
    after = list(
        read_columns(pa.table({"job_a": [0.9, 0.1], "job_type_x y": [1.0, 0.0], "n_2": [0.0, 1.0], "z1": [0.0, 1.0]}))
    )
    found = origins(after, before)
    assert {name: (reading.source, reading.codes.tolist()) for name, reading in found.items()} == {
        "job_a": ("job", [1, 0]),
        "job_type_x y": ("job_type", [1, 0]),
        "n_2": ("n", [0, 1]),
    }
