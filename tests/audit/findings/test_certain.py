"""Few rows that are known for sure are named, however little they add to the mean; chance is not."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.certain import certain_values
from withhold.audit.findings.scene import Scene
from withhold.audit.findings.survey import survey
from withhold.audit.view.reading import read_columns
from withhold.data.attributes import read_attributes


def look(values, s):
    return certain_values("marr", list(read_columns(pa.table({"flag": values}))), np.asarray(s, np.int64), ("0", "1"))


def married(n=9275):
    return (np.random.default_rng(0).random(n) < 0.63).astype(int)


def test_columns_are_those_of_the_file_and_all_of_them():
    s = married()
    told = np.where((s == 1) & (np.arange(len(s)) < 900), "q", "p")
    plain, inner = pa.array(told), pa.StructArray.from_arrays([pa.array(told), pa.array(np.arange(len(s)))], ["a", "b"])
    table = pa.table({"flag": plain, "town": plain, "visit": inner})
    found = {one.code: one for one in survey(scene(table, s)).findings}
    assert "'visit.a'" in found["value_implies_s"].text
    assert found["value_implies_s"].columns == ("flag", "town", "visit")


def test_fifty_six_of_nine_thousand_are_named():
    s = married()
    flag = np.full(len(s), "p")
    flag[np.flatnonzero(s == 1)[:56]] = "q"
    (found,) = look(flag, s)
    assert (found.code, found.severity, found.column) == ("value_implies_s", "critical", "flag")
    assert "value 'q' of 'flag' goes with marr = 1 in all 56 rows" in found.text
    marr = read_attributes(s, role="marr")
    folds = np.arange(len(s)) % 5
    codes = [f.code for f in survey(Scene.of(pa.table({"flag": flag}), list(marr), folds)).findings]
    assert "value_implies_s" in codes


def test_fewer_than_ten_rows_are_not_named_nor_is_what_holds_of_nearly_all():
    s = np.tile([0, 1], 500)
    few = np.full(1000, "p")
    few[np.flatnonzero(s == 1)[:9]] = "q"
    assert look(few, s) == []
    common = (np.arange(1000) >= 80).astype(int)
    assert look(np.where(np.arange(1000) > 500, "q", "p"), common) == []


def test_an_exception_is_not_counted():
    s = np.r_[np.ones(500, int), np.zeros(500, int)]
    flag = np.where(np.arange(1000) < 300, 7.0, 8.5)
    flag[999] = 7.0
    (found,) = look(flag, s)
    assert "value 7 of 'flag' goes with marr = 1 in at least 99 % of 301 rows" in found.text


def test_random_columns_are_silent():
    false = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        columns = {f"c{i}": rng.integers(0, 2 + i % 15, 200) for i in range(100)}
        s = rng.integers(0, 2, 200)
        false += bool(certain_values("s", list(read_columns(pa.table(columns))), s, ("0", "1")))
    assert false <= 2


def test_a_value_of_one_family_is_no_certainty():
    """Rent of a household stands in each of its rows: forty rows of ten persons are as surprising as ten rows."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(400), 4)
    s, rent = rng.integers(0, 2, 400)[who], rng.integers(0, 130, 400)[who]
    readings = list(read_columns(pa.table({"rent": rent})))
    assert certain_values("sick", readings, s, ("no", "yes"))
    assert certain_values("sick", readings, s, ("no", "yes"), who) == []
    flag = np.where((s == 1) & (who < 120), "q", "p")
    readings = list(read_columns(pa.table({"flag": flag})))
    (found,) = certain_values("sick", readings, s, ("no", "yes"), who)
    assert "subjects" in found.text


def examples():
    s = married(1500)
    return {"value_implies_s": scene(pa.table({"flag": np.where(s * np.arange(1500) > 1200, "q", "p")}), s)}
