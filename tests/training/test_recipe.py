"""A setting that nothing reads would be a promise that nothing keeps."""

import ast
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest

from withhold.training import recipe
from withhold.training.recipe import Recipe, Records

SMALL = Recipe(dimensions=2, encoder=(4,), decoder=(4,), noise=0.5, rounds=3)


def read_anywhere() -> set[str]:
    """Names of attributes that some module of the library other than the recipe reads."""
    own = Path(recipe.__file__)
    rooms = [own.parent, own.parent.parent / "methods"]
    trees = [ast.parse(path.read_text()) for room in rooms for path in room.glob("*.py") if path != own]
    return {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def test_every_setting_is_read() -> None:
    found = read_anywhere()
    assert "no_such_setting" not in found
    assert [field.name for kind in (Recipe, Records) for field in fields(kind) if field.name not in found] == []


def test_a_recipe_is_changed_by_making_another() -> None:
    with pytest.raises(FrozenInstanceError):
        SMALL.rounds = 4  # type: ignore[misc]
    assert replace(SMALL, rounds=4) != SMALL
    assert hash(replace(SMALL)) == hash(SMALL)
