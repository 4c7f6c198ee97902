"""An index that was written as a column, and a table without one."""

import pandas as pd
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.row_labels import row_labels


def test_row_labels_are_named():
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert row_labels(pa.Table.from_pandas(frame)) == []
    found = row_labels(pa.Table.from_pandas(frame.set_axis([5, 9, 6])))
    assert [(f.code, f.severity, f.column) for f in found] == [("row_labels", "warning", "__index_level_0__")]
    assert "index=False" in found[0].text


def examples():
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=[5, 9, 6])
    return {"row_labels": scene(pa.Table.from_pandas(frame))}
