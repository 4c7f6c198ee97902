"""The tables of README and results are those of the committed results: no figure of theirs is typed."""

import documents


def test_tables_are_written_by_the_script() -> None:
    for name in documents.DOCUMENTS:
        text = (documents.ROOT / name).read_text()
        assert documents.MARKED.search(text), name
        assert documents.written(text) == text, f"{name} is out of date: python benchmarks/documents.py"


def test_a_typed_figure_is_noticed() -> None:
    text = (documents.ROOT / "README.md").read_text()
    forged = text.replace("| nothing hidden (raw) |", "| nothing hidden (raw) | 12 |")
    assert forged != text
    assert documents.written(forged) == text
