"""Rules of the source that no linter checks: imports of an own room, star imports, sizes, mirrors, forbidden names."""

import ast
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "withhold"
FILES = sorted(SOURCE.rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "util", "common", "helpers", "misc", "core"}
FORBIDDEN_CALLS = {"eval", "exec"}
FORBIDDEN_MODULES = {"pickle", "joblib", "cPickle", "dill", "cloudpickle", "shelve", "marshal"}


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def packages(path: Path) -> set[str]:
    """Names of the packages a file lives in: importing one of these runs an __init__ that may import the file."""
    parts = path.relative_to(SOURCE.parent).parts[:-1]
    return {".".join(parts[: i + 1]) for i in range(len(parts))}


def imported(tree: ast.AST) -> list[tuple[str, ast.stmt]]:
    names: list[tuple[str, ast.stmt]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(alias.name, node) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append((node.module or "", node))
    return names


def only_submodules(name: str, node: ast.stmt) -> bool:
    """Whether an import takes nothing from a package but modules that are files in it."""
    folder = SOURCE.parent.joinpath(*name.split("."))
    return isinstance(node, ast.ImportFrom) and all((folder / f"{alias.name}.py").exists() for alias in node.names)


def violations(path: Path) -> list[str]:
    """Every broken rule of one file, as sentences."""
    text = path.read_text()
    tree = ast.parse(text)
    found: list[str] = []
    if path.name != "__init__.py" or path.parent != SOURCE:
        found += [
            f"imports the package it lives in: {name}"
            for name, node in imported(tree)
            if name in packages(path) and not only_submodules(name, node)
        ]
    for name, node in imported(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            found.append(f"star import from {name}")
        if isinstance(node, ast.ImportFrom) and node.level:
            found.append("relative import")
        if name == "sklearn.ensemble" and path.name != "trees.py":
            found.append("imports scikit-learn's trees, which refuse empty columns: those of withhold.training do not")
        if name == "__future__":
            found.append("from __future__ import")
        if name.split(".")[0] in FORBIDDEN_MODULES:
            found.append(f"imports {name}: artifacts are data")
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            found.append(f"assert at line {node.lineno}: a user's mistake would vanish under -O")
        if isinstance(node, ast.Global):
            found.append(f"global at line {node.lineno}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            found.append(f"{node.func.id} at line {node.lineno}")
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load":
            found.append(f"torch.load at line {node.lineno}")
    if path.stem in FORBIDDEN_NAMES:
        found.append("a drawer without a name")
    if text.count("\n") > 400:
        found.append(f"{text.count(chr(10))} lines, more than 400")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_source_rules(path: Path) -> None:
    assert violations(path) == []


def test_the_rules_can_fail(tmp_path: Path) -> None:
    """Positive control: a file that breaks each rule is caught."""
    bad = SOURCE / "audit" / "utils.py"
    lines = ["from __future__ import annotations", "from os import *", "import pickle", "import withhold.audit"]
    code = "\n".join([*lines, "from sklearn.ensemble import A", "assert eval('1')", ""])
    original = Path.read_text
    try:
        Path.read_text = lambda self, *a, **k: code if self == bad else original(self, *a, **k)  # type: ignore[method-assign]
        found = " ".join(violations(bad))
    finally:
        Path.read_text = original  # type: ignore[method-assign]
    for word in ("__future__", "star import", "pickle", "lives in", "assert", "eval", "drawer", "empty columns"):
        assert word in found


def test_sizes() -> None:
    lines = [path.read_text().count("\n") for path in FILES if path.name != "__init__.py"]
    assert statistics.median(lines) <= 135
    assert sorted(lines)[int(0.9 * len(lines))] <= 270


def test_depth() -> None:
    assert max(len(path.relative_to(SOURCE).parts) for path in FILES) <= 4


def test_tests_stand_in_the_room_they_test() -> None:
    """A folder of tests outside laws/, architecture/ and the like is a room of the source, by the same path."""
    rooms = ROOT / "tests"
    folders = {test.parent.relative_to(rooms) for test in rooms.rglob("test_*.py")}
    apart = {"laws", "architecture", "golden", "docs", "benchmarks"}
    assert [str(room) for room in sorted(folders) if room.parts[0] not in apart and not (SOURCE / room).is_dir()] == []


def test_every_module_is_tested() -> None:
    """Every source file that defines a function or class has a test of its name or its room's, or doctests of its own,
    or a test imports it."""
    rooms, tested = ROOT / "tests", set()
    for test in rooms.rglob("*.py"):
        for name, node in imported(ast.parse(test.read_text())):
            tested |= {name} | {f"{name}.{alias.name}" for alias in getattr(node, "names", ())}
    missing = []
    for path in FILES:
        text, place = path.read_text(), path.relative_to(SOURCE)
        if path.name.startswith("__") or ">>>" in text or module_name(path) in tested:
            continue
        mirrors = [
            rooms / place.parent / f"test_{path.name}",
            rooms / place.parent.parent / f"test_{path.parent.name}.py",
        ]
        defines = any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in ast.parse(text).body)
        if defines and not any(mirror.exists() for mirror in mirrors):
            missing.append(str(place))
    assert missing == []


PLACE = re.compile(r"`((?:withhold/|withhold\.)?[a-z_]+(?:[./][a-z_]+)+)`")


def absent(text: str, apart: frozenset[str] = frozenset()) -> list[str]:
    """Return the dotted or slashed names that begin with a room and are no file, no folder, and nothing in a file."""
    missing = []
    for name in PLACE.findall(text):
        parts = re.split(r"[./]", name.removeprefix("withhold.").removeprefix("withhold/").removesuffix(".py"))
        if parts[0] in apart or not (SOURCE / parts[0]).is_dir():
            continue
        found = [SOURCE.joinpath(*parts[:k]) for k in (len(parts), len(parts) - 1)]
        whole = found[0].is_dir() or found[0].with_suffix(".py").exists()
        inside = found[1].with_suffix(".py").exists() and parts[-1] in found[1].with_suffix(".py").read_text()
        inside |= (found[1] / "__init__.py").exists() and parts[-1] in (found[1] / "__init__.py").read_text()
        if not (whole or inside):
            missing.append(name)
    return missing


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_places_that_are_named_exist(page: str) -> None:
    assert absent((ROOT / page).read_text()) == []


def test_places_that_the_source_names_exist() -> None:
    """Equations above all: where a docstring says that one stands. ``data`` is also what a fit is given."""
    found = {str(path.relative_to(SOURCE)): absent(path.read_text(), frozenset({"data"})) for path in FILES}
    files = {"audit.json"}  # of an output folder
    assert {path: names for path, names in found.items() if set(names) - files} == {}
    assert absent("`training.retention.variational_retention`") != []
