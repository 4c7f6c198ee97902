import numpy as np
import pyarrow as pa
import pytest

from audit.findings.scenes import scene
from withhold.audit.findings.unnamed_subjects import unnamed_subjects

N = 600
VISITS = pa.table({"patient_nbr": np.arange(N) // 3, "n": np.arange(N)})


@pytest.mark.parametrize("beside", [False, True])
def test_subjects_that_nobody_named(beside):
    s = np.arange(N) // 3 % 2
    given = scene(VISITS.select(["n"]), s, original=VISITS) if beside else scene(VISITS, s)
    (found,) = unnamed_subjects(given.every)
    assert (found.code, found.column) == ("subjects_unnamed", "patient_nbr")
    assert "200 subjects in 600 records" in found.text
    assert "Add groups='patient_nbr'." in found.text


def test_named_subjects_and_rows_of_their_own():
    assert unnamed_subjects(scene(VISITS, np.arange(N) % 2, groups=np.arange(N) // 3).every) == []
    assert unnamed_subjects(scene(pa.table({"patient_nbr": np.arange(N)}), np.arange(N) % 2).every) == []


def examples():
    return {"subjects_unnamed": scene(VISITS)}
