"""Texts that people meet read as a person would say them; the rules are in docs/style.md."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.words import FORBIDDEN, LISTS, PHRASES, ROOT, SOURCE, prose, reading_ease, texts_of, unquoted_names
from withhold.cli.main import COMMANDS

README, GLOSSARY = ROOT / "README.md", ROOT / "docs" / "glossary.md"
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
TEXTS = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.j2"), *DOCUMENTS]
EASE = 50


def test_no_text_of_source_and_documents_reads_like_a_translation() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {match[0]!r}"
        for file in TEXTS
        if str(file.relative_to(ROOT)) not in LISTS
        for text in texts_of(file)
        if (match := FORBIDDEN.search(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_help_reads_like_a_translation(command: str) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "withhold", command, "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        check=True,
    ).stdout
    assert "--json" in shown
    assert not FORBIDDEN.search(" ".join(shown.split()))


def test_each_phrase_is_found_where_it_stands(tmp_path: Path) -> None:
    """The patterns can match, across lines and with something filled in."""
    page = tmp_path / "a.py"
    page.write_text('name = 1\nx = (\n    f"The \'{name}\' parameter of "\n    f"{name} must be an integer"\n)\n')
    assert any(FORBIDDEN.search(text) for text in texts_of(page))
    for phrase in PHRASES:
        plain = re.sub(r"\(([^?)|]+)\|[^)]*\)", r"\1", re.sub(r"\(\?<[!=].*?\)|\\b", "", phrase))
        for pattern, example in ((".+?", "x"), ("[A-Z][a-z]+ [A-Z]", "Patient ID"), ("\\", "")):
            plain = plain.replace(pattern, example)
        assert FORBIDDEN.search(plain), phrase


def test_names_are_quoted_where_they_follow_an_option() -> None:
    found = {str(file.relative_to(ROOT)): names for file in SOURCE.rglob("*.py") if (names := [*unquoted_names(file)])}
    assert found == {}


def test_a_name_that_is_not_quoted_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "a.py"
    page.write_text('x = f"Add --keep {name}."\ny = f"Add --keep {quote(name)}, or {other}."\n')
    assert [*unquoted_names(page)] == ["--keep {name}"]


@pytest.mark.parametrize(
    "page", [README, ROOT / "docs" / "start.md", *(ROOT / "docs" / "guides").glob("*.md")], ids=lambda page: page.stem
)
def test_who_begins_reads_with_ease(page: Path) -> None:
    assert reading_ease(prose(page.read_text())) >= EASE


def test_reading_ease_tells_easy_from_hard() -> None:
    easy = "The cat sat on the mat. It was a warm day. She ate the fish and went to bed."
    hard = "Institutional considerations necessitate comprehensive reevaluation of organisational responsibilities."
    assert reading_ease(easy) > 90
    assert reading_ease(hard) < 0


def test_the_glossary_names_files_that_exist() -> None:
    named = re.findall(r"\| `([^`]+)` \|$", GLOSSARY.read_text(), flags=re.MULTILINE)
    assert len(named) > 20
    for name in named:
        assert (SOURCE / name).exists(), name
