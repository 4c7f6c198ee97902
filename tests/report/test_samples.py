"""The private page: offline, escaped, one image for each version of each record."""

import re

from withhold.report.samples import render_samples


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
