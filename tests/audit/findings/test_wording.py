"""Words of findings."""

from withhold.audit.findings.wording import finding
from withhold.contracts.wording import listed, percent, verb


def test_lists_and_shares_read_well():
    assert listed(["a"]) == "'a'"
    assert listed(["a", "b", "c"]) == "'a', 'b' and 'c'"
    assert percent(1.0) == "100 %"
    assert verb(["a"], "holds", "hold") == "holds"


def test_a_finding_about_several_columns_carries_none():
    assert finding("code", "info", "text", ["a", "b"]).column is None
