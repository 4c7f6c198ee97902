from report import records
from withhold.contracts.audit_record import Histogram, TransferResult
from withhold.report import tables
from withhold.report.formats import NONE


def test_columns_without_any_value_are_left_out() -> None:
    table = tables.Table("t", ["a", "b", "c"], [["x", NONE, "1"], ["y", "", NONE]]).trimmed()
    assert table.head == ["a", "c"]
    assert table.rows == [["x", "1"], ["y", NONE]]


def test_every_row_is_as_long_as_the_head() -> None:
    audit = records.crowded().audit
    made = [tables.attributes(audit), tables.utility(audit), tables.columns(audit, list(audit.columns))]
    made += [tables.fairness(audit)]
    for name, result in audit.sensitive.items():
        made += [table(name, result) for table in (tables.attackers, tables.readings, tables.plants, tables.groups)]
    for table in made:
        assert {len(row) for row in table.rows} <= {len(table.head)}, table.caption


def test_suppressed_cells() -> None:
    table = tables.cells("x", Histogram(labels=["a"], raw=[None], release=[12]))
    assert table.rows == [["a", "hidden", "12"]]


def test_attackers_keep_their_numbers_apart() -> None:
    table = tables.attackers("sex", records.sensitive())
    assert table.rows[0][:2] == ["mlp", "0.021 [0.017,\xa00.025]"]
    assert table.head[2] == "balanced accuracy"


def test_what_is_learned_from_no_record_stands_beside_what_is_learned_from_the_release() -> None:
    audit = records.audit()
    assert tables.transfer(audit).rows == []
    found = TransferResult(original=0.9, release=0.85, no_record=0.8)
    utility = {name: item.model_copy(update={"transfer": found}) for name, item in audit.utility.items()}
    table = tables.transfer(audit.model_copy(update={"utility": utility}))
    assert table.rows[0][1:] == ["90.0\xa0%", "85.0\xa0%", "80.0\xa0%"]
    assert table.head[-1] == "on no record"


def test_groups_of_the_hidden_attribute_are_neither_named_nor_counted() -> None:
    rows = tables.groups_served(records.audit()).rows
    assert [row[1] for row in rows] == ["average over groups", "worst group"]
    assert tables.groups_served(records.audit(utility={})).rows == []
    told = str(tables.groups("sex", records.sensitive()).rows)
    assert "least is learned of" in told
    assert "Female" not in told
    assert {len(row) for row in tables.groups("sex", records.sensitive()).rows} == {2}
