"""The Python examples of the pages in docs/ run, and links between documents lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [*PAGES, *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"))]


def code_of(page: Path) -> str:
    """The examples of a page, one after the other, as a reader runs them."""
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL))


@pytest.mark.usefixtures("brief_audit", "one_reader", "brief_games", "brief_training")
@pytest.mark.parametrize("page", [page for page in PAGES if code_of(page)], ids=lambda page: page.stem)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code_of(page), str(page), "exec"), {"__name__": "__main__"})


def test_every_page_is_in_the_book() -> None:
    contents = (ROOT / "mkdocs.yml").read_text()
    for page in PAGES:
        assert f": {page.relative_to(ROOT / 'docs')}\n" in contents, page


@pytest.mark.slow
def test_the_book_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings", reason="the extra 'docs' is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "audit_release" in (tmp_path / "site" / "api" / "index.html").read_text()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
        assert (document.parent / target).exists(), target
