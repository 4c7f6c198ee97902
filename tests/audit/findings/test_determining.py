"""Wording and thresholds of single columns, and what counts as a copy."""

import numpy as np
import pyarrow as pa

from withhold.audit.findings.determining import copies, single_columns
from withhold.audit.findings.evidence import Evidence
from withhold.audit.reading import read_columns
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
    assert [f.column for f in copies(list(read_columns(table)), s, s.codes)] == ["recoded"]


def test_copy_of_a_continuous_attribute_is_found_by_rank():
    values = np.random.default_rng(0).normal(size=500)
    s = read_attributes(values)[0]
    table = pa.table({"exp": np.exp(values), "noisy": values + np.random.default_rng(1).normal(0, 0.2, 500)})
    assert [f.column for f in copies(list(read_columns(table)), s, np.zeros(500, int))] == ["exp"]
