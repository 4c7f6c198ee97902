"""Rows of a hundred people: one an attribute, never one for all together."""

from report import records
from withhold.report.crowds import crowds


def test_each_attribute_has_a_row_but_not_all_together():
    audit = records.several().audit
    drawn = crowds(audit)
    assert [crowd.name for crowd in drawn] == ["sex", "race"]  # age is a number
    assert all(0 <= crowd.right <= 100 for crowd in drawn)


def test_a_number_has_none():
    assert crowds(records.continuous().audit) == []
