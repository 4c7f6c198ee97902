"""Wording and thresholds of single columns, and what counts as a copy."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.determining import beyond, copies, single_columns
from withhold.audit.findings.evidence import Evidence
from withhold.audit.view.reading import read_columns
from withhold.data.attributes import read_attributes

ALL, SOME, NONE = Evidence(0.69, 1.0, 1.0, 1e-9), Evidence(0.2, 0.3, 0.7, 1e-9), Evidence(0.0, 0.0, 0.5, 0.6)


def test_many_columns_are_one_finding_with_the_words_of_the_report():
    (found,) = single_columns("sex", {f"c{i}": ALL for i in range(75)}, {})
    assert found.code == "column_determines_s"
    assert found.severity == "critical"
    assert found.text.startswith("S can be read from single columns: 'c0', 'c1', 'c2' and 72 more (75 of 75)")


def test_strong_but_insignificant_is_silent():
    assert single_columns("sex", {"c": Evidence(0.69, 1.0, 1.0, 0.2)}, {}) == []


def test_revealing_names_what_it_was_before():
    (found,) = single_columns("sex", {"job": SOME, "other": NONE}, {"job": SOME})
    assert found.code == "column_reveals_s"
    assert "'job' 30 % (before: 30 %)" in found.text


def test_copies_need_one_level_a_class():
    s = read_attributes(["f", "m"] * 50)[0]
    table = pa.table({"recoded": [7, 3] * 50, "split": ["a", "b", "c", "b"] * 25, "noise": [1, 1, 2, 2] * 25})
    assert copies(read_columns(table), s) == ["recoded"]


def test_copy_of_a_continuous_attribute_is_found_by_rank():
    values = np.random.default_rng(0).normal(size=500)
    s = read_attributes(values)[0]
    table = pa.table({"exp": np.exp(values), "noisy": values + np.random.default_rng(1).normal(0, 0.2, 500)})
    assert copies(read_columns(table), s) == ["exp"]


def test_few_rows_that_agree_by_chance_are_no_copy_unless_the_values_are_the_same():
    s = read_attributes(pa.array([1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1]))[0]
    table = pa.table({"same": s.codes.astype(float), "swapped": 1 - s.codes, "text": s.codes.astype(str)})
    assert copies(read_columns(table), s) == ["same", "text"]
    ten = pa.table({"swapped": np.tile(1 - s.codes, 10)})
    assert copies(read_columns(ten), s.take(np.tile(np.arange(12), 10))) == ["swapped"]


def test_equality_holds_for_rare_classes_missing_values_and_words():
    words = [None, "m"] + ["f"] * 500
    s = read_attributes(words)[0]
    table = pa.table({"sex": words, "gaps": ["m", None] + ["f"] * 500, "other": ["f", "m"] + ["f"] * 500})
    assert copies(read_columns(table), s) == ["sex"]


def test_a_column_beyond_the_budget_is_named_however_small_a_share_it_is():
    sure, unsure = Evidence(0.06, 0.09, 0.6, 1e-9, 0.055), Evidence(0.06, 0.09, 0.6, 1e-9, 0.045)
    luck = Evidence(0.3, 0.4, 0.6, 0.2, 0.2)
    assert beyond({"sure": sure, "unsure": unsure, "luck": luck}, 0.05) == ["sure"]
    assert beyond({"sure": sure}, None) == []
    (found,) = single_columns("sex", {"sure": sure, "unsure": unsure}, {}, budget=0.05)
    assert (found.code, found.column) == ("column_reveals_s", "sure")
    assert single_columns("sex", {"sure": sure}, {}) == []


def examples():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 600)
    release = pa.table({"all": s, "part": np.where(rng.random(600) < 0.8, s, 1 - s)})
    given = scene(release, s, original=pa.table({"all": rng.normal(size=600)}))
    return dict.fromkeys(["column_determines_s", "column_reveals_s", "s_written_in"], given)
