"""The names of a method's parameters, read from its source: a wrong one is refused before torch is loaded."""

import ast
import functools
from pathlib import Path

from withhold.methods.catalogue import MODULES


@functools.cache
def parameter_names(name: str) -> tuple[str, ...]:
    """Return the parameters of a method in the order of its constructor; nothing is imported.

    Parameters
    ----------
    name : str
        As in `MODULES`.

    Examples
    --------
    >>> parameter_names("LEACE")[-1], "noise_key" in parameter_names("LEACE")
    ('projection', True)
    """
    return _fields(MODULES[name], name)


def _fields(module: str, name: str) -> tuple[str, ...]:
    """Return the fields of a dataclass: those of its bases first, as dataclasses have them."""
    tree = _tree(module)
    homes = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("withhold.")
        for alias in node.names
    }
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    found: dict[str, None] = {}
    for base in reversed(classes[name].bases):
        word = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(word, ast.Name) and word.id in classes:
            found |= dict.fromkeys(_fields(module, word.id))
        elif isinstance(word, ast.Name) and word.id in homes:
            found |= dict.fromkeys(_fields(*homes[word.id]))
    if any(_named(decorator) == "dataclass" for decorator in classes[name].decorator_list):
        found |= dict.fromkeys(_own(classes[name]))
    return tuple(found)


def _own(node: ast.ClassDef) -> list[str]:
    """Return the annotated names of a class that its constructor takes."""
    return [
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign)
        and isinstance(item.target, ast.Name)
        and not ast.unparse(item.annotation).startswith("ClassVar")
        and not (isinstance(item.value, ast.Call) and _without_init(item.value))
    ]


def _without_init(call: ast.Call) -> bool:
    return any(
        keyword.arg == "init" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in call.keywords
    )


def _named(decorator: ast.expr) -> str:
    word = decorator.func if isinstance(decorator, ast.Call) else decorator
    return word.id if isinstance(word, ast.Name) else ""


def _tree(module: str) -> ast.Module:
    place = Path(__file__).parents[1].joinpath(*module.split(".")[1:])
    return ast.parse(place.with_suffix(".py").read_text(encoding="utf-8"))
