"""Tests of the demonstration; the command's tests run it."""

from withhold.data.demo_table import demo_table
from withhold.workflow.demo import BUDGET
from withhold.workflow.request import Request
from withhold.workflow.roles import assign


def test_its_columns_have_their_parts() -> None:
    table, description, sensitive, utility = demo_table()
    roles = assign(table.column_names, "demo", sensitive=[sensitive], utility=[utility])
    assert len(roles.features) > 3
    assert description
    assert Request(data=None, sensitive=(sensitive,), budget=BUDGET).budget == 0.05  # type: ignore[arg-type]
