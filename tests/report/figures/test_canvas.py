import re

import pytest

from withhold.report.figures.canvas import COLOURS, Canvas, label_units, shorten


def drawing(name: str = "f", text: str = "age") -> str:
    canvas = Canvas(name, 200, 60)
    canvas.line([0, 100], [30, 30], "rule")
    canvas.dot(50, 30, "o", "release")
    canvas.text(10, 20, text)
    return str(canvas.svg("Title", "Description", "wide"))


def test_text_is_text_and_colours_are_variables() -> None:
    svg = drawing()
    assert ">age</text>" in svg
    assert "font-family" not in svg
    assert re.findall(r"(?<!, )#[0-9a-f]{6}", svg) == []
    assert f"var(--release, {COLOURS['release']})" in svg
    assert 'viewBox="0 0 200 60"' in svg


def test_identifiers_are_used_named_after_the_figure_and_stable() -> None:
    svg = drawing("a")
    assert svg == drawing("a")
    ids = set(re.findall(r' id="([^"]+)"', svg))
    assert all(name.startswith("a-") for name in ids)
    assert set(re.findall(r'href="#([^"]+)"', svg)) == ids - {"a-title", "a-desc"} != set()


@pytest.mark.parametrize(
    "text", ["<b>&amp;", "$x_1$ $\\frac", '" id="x" #0b62a6 href="#y"', "年収", "a > b", "المنطقة", "\U0001f600"]
)
def test_any_name_comes_out_as_it_is(text: str) -> None:
    shown = re.search(r"<text[^>]*>(.*?)</text>", drawing(text=text))
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert shown is not None
    assert shown[1] == escaped


@pytest.mark.parametrize("text", ["x" * 200, "年" * 200, "a b " * 90, "W" * 40])
def test_shortened_names_fit_and_keep_both_ends(text: str) -> None:
    short = shorten(text, 20)
    assert label_units(short) <= 20
    assert short[0] == text[0]
    assert "…" in short


def test_shortening_removes_what_cannot_be_shown() -> None:
    assert shorten("a\n\tb", 20) == "a b"
    assert shorten("", 20) == "(no name)"
