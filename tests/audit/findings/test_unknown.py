"""Rows without a known attribute are released and not judged: every reader is told, of each attribute and of all."""

import numpy as np
import pandas as pd
import pyarrow as pa

from audit.findings.scenes import scene
from withhold import audit_release
from withhold.audit.findings.unknown import unknown_rows
from withhold.data.attributes import read_attributes

SEXES, RACES = ["f", "m", None, "f", "m", "f"], ["a", None, None, "b", "a", "b"]


def test_rows_that_lack_it_are_counted():
    (found,) = unknown_rows(list(read_attributes(SEXES, role="sex")))
    assert (found.severity, found.column) == ("warning", "sex")
    assert found.text == (
        "1 of 6 rows has no known 'sex': it is released, not judged (attackers neither learn from it nor are scored "
        "on it)."
    )
    assert unknown_rows(list(read_attributes(["f", "m"], role="sex"))) == []
    (number,) = unknown_rows(list(read_attributes(np.array([1.5, np.nan, np.nan, 2.5]), role="age")))
    assert number.text.startswith("2 of 4 rows have no known 'age': they are released, not judged (")


def test_of_several_the_rows_that_lack_one_are_counted_as_well():
    both = pd.DataFrame({"sex": SEXES, "race": RACES, "told": ["x", "y"] * 3})
    sex, race, joint = unknown_rows(list(read_attributes(both)))
    assert (sex.text[:4], race.text[:4], joint.text[:4]) == ("1 of", "2 of", "2 of")
    assert "no known value of one of 'sex', 'race' and 'told'" in joint.text
    assert "not judged of what these tell together" in joint.text
    assert len(unknown_rows(list(read_attributes(both[["sex", "told"]])))) == 1


def test_an_audit_says_it_in_its_statement_and_its_record():
    rng = np.random.default_rng(0)
    sex, race = (pd.Series(rng.choice(["p", "q"], 600)) for _ in range(2))
    sex[:40], race[20:90] = None, None
    record = audit_release(
        rng.normal(size=(600, 2)), sensitive_features=pd.DataFrame({"sex": sex, "race": race}), budget=0.3,
        effort="quick", attackers=["logistic"],
    )  # fmt: skip
    assert [record.sensitive[name].unknown for name in ("sex", "race", "joint")] == [40, 70, 90]
    assert (record.n, record.judged) == (600, 510)
    assert "90 rows have no known sex and race together: they are released, not judged." in record.statement
    texts = [found.text for found in record.findings if found.code == "sensitive_unknown"]
    assert [text.split(":")[0] for text in texts] == [
        "40 of 600 rows have no known 'sex'", "70 of 600 rows have no known 'race'",
        "90 of 600 rows have no known value of one of 'sex' and 'race'",
    ]  # fmt: skip


def examples():
    s = np.where(np.arange(60) % 3 == 0, None, np.where(np.arange(60) % 2 == 0, "f", "m"))
    return {"sensitive_unknown": scene(pa.table({"a": np.arange(60)}), s)}
