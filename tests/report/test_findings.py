"""Findings in the order in which they matter."""

from report import records
from withhold.contracts.finding import Finding
from withhold.report.findings import all_findings, ranked


def note(code: str, severity: str = "warning", column: str | None = None) -> Finding:
    return Finding(code=code, severity=severity, text=f"{code} {column or ''}", column=column, remedy="Mend it.")


def test_the_worst_comes_first_and_people_before_columns() -> None:
    order = ranked(
        [note("constant_column", "info"), note("many_levels"), note("records_linked"), note("a", "critical")]
    )
    assert [severity for severity, _, _ in order] == ["critical", "warning", "info"]
    assert [group.code for group in order[1][2]] == ["records_linked", "many_levels"]


def test_near_identical_ones_are_said_once_with_the_columns_named() -> None:
    ((_, _, groups),) = ranked([note("rare_levels_pooled", column=f"c{i}") for i in range(26)])
    assert len(groups) == 1
    assert groups[0].text.endswith("c0")
    assert groups[0].others.startswith("The same holds for 25 more columns: c1, c2,")
    assert "20 others" in groups[0].others
    assert groups[0].remedy == "Mend it."


def test_what_one_remedy_settles_in_one_column_is_said_together() -> None:
    both = [note(code, column=column) for code in ("rare_values", "column_reveals_s") for column in "ab"]
    ((_, _, groups),) = ranked([*both, note("column_reveals_s", column="c")])
    assert [(group.text, group.others) for group in groups] == [
        ("rare_values a column_reveals_s a", "The same holds for 1 more column: b."),
        ("column_reveals_s c", ""),
    ]
    assert {group.remedy for group in groups} == {"Mend it."}


def test_other_remedies_of_one_column_stand_apart() -> None:
    other = note("levels_lost", column="a").model_copy(update={"remedy": "Take the shares."})
    bare = [note(code, column="a").model_copy(update={"remedy": ""}) for code in ("drift", "constant_column")]
    ((_, _, groups),) = ranked([note("marginal_moved", column="a"), other, *bare])
    assert [group.code for group in groups] == ["marginal_moved", "levels_lost", "drift", "constant_column"]


def test_a_column_found_twice_is_no_further_column() -> None:
    twice = [
        note("column_reveals_s", column="a").model_copy(update={"text": f"'a' tells {s}."}) for s in ("sex", "age")
    ]
    ((_, _, (group,)),) = ranked(twice)
    assert (group.text, group.others) == ("'a' tells sex. 'a' tells age.", "")


def test_different_findings_of_one_code_stay_apart() -> None:
    same = [note("records_linked"), note("records_linked").model_copy(update={"text": "other"})]
    assert len(ranked(same)[0][2]) == 2


def test_what_audit_and_method_found_is_said_once() -> None:
    run = records.run()
    twice = run.model_copy(update={"method": run.method.model_copy(update={"findings": run.audit.findings})})
    assert all_findings(twice) == run.audit.findings
    assert all_findings(run.audit) == run.audit.findings
