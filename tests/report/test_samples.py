"""The private page: offline, escaped, one image for each version of each record."""

import re

from withhold.report.samples import render_samples, render_values


def test_page():
    columns = [("original", ["AAAA", "BBBB"]), ("budget 0.2", ["CCCC", "DDDD"]), ("<b>", ["EEEE", "FFFF"])]
    page = render_samples("digits & more.npz", columns, ["row 0", "row 1"])
    assert [page.index(text) for text in ("AAAA", "CCCC", "EEEE", "BBBB", "DDDD", "FFFF")] == sorted(
        page.index(text) for text in ["AAAA", "CCCC", "EEEE", "BBBB", "DDDD", "FFFF"]
    )
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "Not for sharing" in page
    assert 'name="viewport"' in page
    assert not re.search(r"https?:|<script|@import|url\(", page)
    assert "img-src data:" in page


def test_names_levels_and_files_are_text():
    attack = "<script>alert(1)</script>"
    pages = [
        render_samples(f"{attack}.npz", [(attack, ["AAAA"])], [attack]),
        render_values(f"{attack}.csv", [attack], [(attack, [(attack, [attack])])], attack),
    ]
    for page in pages:
        assert "<script" not in page
        assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3
