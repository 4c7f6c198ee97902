"""Every knob of the audit stands in one record, and more effort never means less of anything."""

import ast
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

import withhold
from withhold.audit import effort as home
from withhold.audit.attackers.registry import all_attackers, all_score_attackers
from withhold.audit.effort import EFFORTS, Effort, find_effort

SOURCE = Path(withhold.__file__).parent
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != Path(home.__file__))


def knobs_elsewhere(text: str) -> list[str]:
    """Constants that are the name of an effort, outside docstrings; and choices by its name."""
    tree = ast.parse(text)
    found = [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and one.value in tuple(EFFORTS)]
    for node in ast.walk(tree):
        inside = [*node.comparators, node.left] if isinstance(node, ast.Compare) else []
        inside += [node.slice] if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else []
        found += [name for name in map(ast.unparse, inside) if name == "effort" or name.endswith("effort.name")]
    return found


def test_no_other_file_has_a_knob_of_an_effort() -> None:
    found = {str(path.relative_to(SOURCE)): knobs_elsewhere(path.read_text()) for path in FILES}
    assert {path: knobs for path, knobs in found.items() if knobs} == {}


@pytest.mark.parametrize(
    "text", ["ROWS = {'quick': 1}", "f(effort='thorough')", "x = ROWS[effort]", "x = design.effort.name == LEAST"]
)
def test_a_knob_elsewhere_is_seen(text: str) -> None:
    """Positive control."""
    assert knobs_elsewhere(text)


def test_what_is_kept_by_effort_is_no_knob() -> None:
    assert not knobs_elsewhere("found[design.effort.name] = attack(design)")


def test_more_effort_is_never_less() -> None:
    members = {*all_attackers(), *all_score_attackers()}
    for field in fields(Effort):
        values = [getattr(effort, field.name) for effort in EFFORTS.values()]
        if isinstance(values[0], tuple):
            assert all(set(less) <= set(more) for less, more in pairwise(values)), field.name
            assert set(values[-1]) <= members or field.name == "bins"
        elif field.name != "name":
            assert values == sorted(values), field.name
    assert [effort.name for effort in EFFORTS.values()] == list(EFFORTS)
    assert find_effort(home.USUAL) is EFFORTS[home.USUAL]
    assert next(iter(EFFORTS)) == home.LEAST
