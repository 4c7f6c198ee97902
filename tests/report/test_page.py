import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from report import chromium, records
from withhold.contracts.audit_record import ColumnResult, Histogram
from withhold.contracts.image_record import ImageComparison, MeanImages
from withhold.contracts.run_record import RunRecord
from withhold.report.figures.canvas import COLOURS
from withhold.report.page import render

VOID = {"meta", "br", "img", "link", "hr", "input"}
FIXTURES = {
    "run": records.run,
    "fail": records.fail,
    "minimal": records.minimal,
    "inconclusive": lambda: records.audit("inconclusive"),
}


class Outline(HTMLParser):
    """Collects tags, identifiers, references and attributes, and checks that tags nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.ids, self.links, self.attributes, self.stack, self.badly_nested = [], [], [], [], [], []
        self.text: list[str] = []
        self.feed(page.replace("\N{NO-BREAK SPACE}", " "))

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.append((tag, name, value))
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href", "action", "data"):
                self.links.append(value)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.badly_nested.append(tag)

    def handle_data(self, data):
        if self.stack and self.stack[-1] not in ("style", "desc", "title"):
            self.text.append(data)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: render(build()) for name, build in FIXTURES.items()}


@pytest.fixture(scope="module")
def crowded() -> str:
    return render(records.crowded())


@pytest.mark.parametrize("name", FIXTURES)
def test_document_is_whole_and_offline(pages: dict[str, str], name: str) -> None:
    outline = Outline(pages[name])
    assert outline.badly_nested == []
    assert outline.stack == []
    assert len(outline.ids) == len(set(outline.ids))
    assert "script" not in outline.tags
    # Everything referred to lies in the page itself.
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", pages[name])
    assert not [name for _, name, _ in outline.attributes if name.startswith("on")]
    labelled = {value for _, name, value in outline.attributes if name == "aria-labelledby"}
    assert {part for value in labelled for part in value.split()} <= set(outline.ids)


def test_outline_sees_what_is_wrong() -> None:
    """Positive control of the checks above."""
    outline = Outline('<p id="a"><b></p></b><script src="https://example.org/x.js"></script><p id="a"></p>')
    assert outline.badly_nested
    assert len(outline.ids) != len(set(outline.ids))
    assert "script" in outline.tags
    assert outline.links == ["https://example.org/x.js"]


@pytest.mark.parametrize(
    ("verdict", "word"),
    [("pass", "Pass"), ("fail", "Fail"), ("inconclusive", "Inconclusive"), (None, "Measured, not judged")],
)
def test_verdict_comes_first_and_in_words(verdict: str | None, word: str) -> None:
    record = records.audit(verdict, budget=None if verdict is None else 0.03)
    text = " ".join("".join(Outline(render(record).split("<main>")[1]).text).split())
    assert text.startswith(word)
    assert text.index(word) < text.index(record.statement) < text.index("What can still be learned")
    others = {"Pass", "Fail", "Inconclusive", "Measured, not judged"} - {word}
    assert not [other for other in others if f"{other} " in text[: text.index("Learned by the best attacker")]]


def test_who_failed_is_named_and_not_counted() -> None:
    record = records.audit("inconclusive", panel=["mlp", "qda"], failed={"lookup": "no convergence"})
    text = " ".join("".join(Outline(render(record)).text).split())
    assert "Could not be fitted everywhere, so that nothing can pass: lookup." in text
    assert "best of 2 attackers" in text
    assert "Could not be fitted" not in "".join(Outline(render(records.audit("pass"))).text)


def test_numbers_of_the_record_are_on_the_page(pages: dict[str, str]) -> None:
    text = "".join(Outline(pages["run"]).text)
    record = records.run()
    result = record.audit.sensitive["sex"]
    for words in (
        "0.021 [0.015, 0.027]",  # what was audited, with its interval
        "0.268 [0.259, 0.277]",  # raw data
        "budget 0.030",
        "detection limit 0.028",
        "−0.001 [−0.004, 0.002]",  # the floor may lie below zero and is shown there
        "59.2 %",
        "85.7 %",
        "3.3 %",
        record.data.digest.removeprefix("hmac-sha256:"),
        "withhold 0.1.0",
        *result.attackers,
        *record.audit.columns,
        *record.audit.threat_model,
        *(finding.text for finding in record.audit.findings),
        record.method.guarantee.claim,
        record.noise,
    ):
        assert words in text, words
    assert text.count("missed") >= 3


def test_what_could_undo_the_noise_is_not_printed(pages: dict[str, str]) -> None:
    assert records.run().method.settings["noise_key"] not in pages["run"]
    assert "set, not shown" in pages["run"]


def test_suppressed_cells_stay_suppressed(pages: dict[str, str]) -> None:
    cells = [cell for column in records.run().audit.columns.values() for cell in column.histogram.raw]
    assert pages["run"].count(">hidden</td>") == cells.count(None) > 0


def test_hostile_names_are_text(crowded: str) -> None:
    outline = Outline(crowded)
    assert outline.badly_nested == []
    assert "script" not in outline.tags
    assert records.HOSTILE in "".join(outline.text)
    assert "<script" not in crowded
    assert len(outline.ids) == len(set(outline.ids))


def test_every_attribute_and_attacker_has_its_place(crowded: str) -> None:
    record = records.crowded().audit
    outline = Outline(crowded)
    text = "".join(outline.text)
    assert {f"s{i}" for i in range(len(record.sensitive))} <= set(outline.ids)
    assert all(name in text for name in [*record.columns, *record.panel, *record.sensitive])
    assert "The attribute is continuous" in text


def test_same_record_same_page(pages: dict[str, str]) -> None:
    assert render(records.run()) == pages["run"]


def test_round_trip_through_json_changes_nothing(pages: dict[str, str]) -> None:
    assert render(RunRecord.model_validate_json(records.run().model_dump_json())) == pages["run"]


@pytest.mark.parametrize(
    "field",
    ["utility", "columns", "fairness", "findings", "threat_model", "mean_retention", "mean_own_information", "seconds"],
)
def test_any_optional_part_may_be_missing(field: str) -> None:
    audit = records.audit()
    empty = type(getattr(audit, field))() if isinstance(getattr(audit, field), list | dict) else None
    page = render(audit.model_copy(update={field: empty}))
    assert Outline(page).badly_nested == []


def test_a_run_without_promises_says_so() -> None:
    record = records.run()
    bare = record.method.model_copy(update={"guarantee": None, "curves": {}, "diagnostics": {}, "settings": {}})
    page = render(record.model_copy(update={"method": bare, "files": {}, "digests": {}}))
    assert "promises nothing" in page


def test_guarantee_whose_assumptions_fail_is_void() -> None:
    record = records.run()
    void = record.method.guarantee.model_copy(update={"holds": False})
    page = render(record.model_copy(update={"method": record.method.model_copy(update={"guarantee": void})}))
    assert "the claim is void" in page


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_contrast_is_aa_in_light_and_dark(pages: dict[str, str]) -> None:
    themes = [
        dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", pages["run"], re.S)
    ]
    light, dark = themes[:2]
    assert {name: light[name] for name in COLOURS} == COLOURS
    for theme in (light, dark):
        paper = _luminance(theme["paper"])
        for name in ("ink", "soft", "release", "raw", "budget", "limit", "pass", "fail", "doubt", "none"):
            pair = sorted((paper, _luminance(theme[name])))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (name, theme[name])


def test_import_is_light() -> None:
    heavy = ("torch", "sklearn", "pandas", "scipy", "pyarrow")
    code = f"import sys, withhold.report.page; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _screenshots(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("WITHHOLD_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


needs_browser = pytest.mark.skipif(
    chromium.find() is None, reason="no chromium, chromium-browser or google-chrome on PATH"
)


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", [*FIXTURES, "crowded"])
def test_in_a_browser_nothing_is_fetched_cut_or_overlapping(
    pages: dict[str, str], crowded: str, name: str, width: int, tmp_path: Path
) -> None:
    page = {**pages, "crowded": crowded}[name]
    found = chromium.measure(page, tmp_path, width)
    height = min(found["height"], 6000)
    chromium.picture(page, tmp_path, width, height, _screenshots(tmp_path) / f"report-{name}-{width}.png")
    assert found["texts"] > 10
    assert found["width"] == found["scrollWidth"] == width
    assert {key: found[key] for key in ("requests", "overlaps", "cut", "outside", "small")} == {
        "requests": [], "overlaps": [], "cut": [], "outside": [], "small": [],
    }  # fmt: skip


@pytest.mark.browser
@needs_browser
def test_the_browser_sees_what_is_wrong(pages: dict[str, str], tmp_path: Path) -> None:
    """Positive control: a request, an overlap, a cut text and one that sticks out are all reported."""
    bad = (
        '<img src="https://example.invalid/x.png" alt=""><p style="position:relative"><span>one</span>'
        '<span style="position:absolute;left:0">two</span></p><p style="width:40px;overflow:hidden;white-space:nowrap">'
        'a text too long for it</p><p style="position:absolute;left:95%;white-space:nowrap">beyond the edge</p>'
        '<svg viewBox="0 0 9 9" width="9"><title>t</title><text y="5" style="font-size:8px">wide</text></svg></main>'
    )
    found = chromium.measure(pages["minimal"].replace("</main>", bad), tmp_path, 390)
    assert found["requests"] == ["https://example.invalid/x.png"]
    assert "one | two" in found["overlaps"] or "two | one" in found["overlaps"]
    assert any("a text too long" in text for text in found["cut"])
    assert any("sticks out of t" in text for text in found["cut"])
    assert "beyond the edge" in found["outside"]
    assert any(text.startswith("wide") for text in found["small"])


def test_the_card_of_an_image_says_what_it_counts() -> None:
    cells = Histogram(labels=["below 20", "20 or more"], raw=[30, 40], release=[35, 35])
    page = render(records.audit(columns={"scan": ColumnResult(kind="image", retention=0.7, histogram=cells)}))
    assert "records by the mean brightness of their image" in page
    page = render(records.audit(columns={"scan": ColumnResult(kind="number", retention=0.7, histogram=cells)}))
    assert "mean brightness" not in page


def test_mean_images_are_on_the_page_and_nothing_else_may_be_loaded(pages: dict[str, str]) -> None:
    means = [
        MeanImages(attribute=name, level=level, n=1_234, raw="AAAA", release="BBBB")
        for name, level in (("sex", "f"), ("sex", "m"), ("income", "<50K"))
    ]
    seen = ImageComparison(column="image", n=5_678, change=0.0123, change_most=0.25, change_image="CCCC", classes=means)
    run = records.run()
    page = render(run.model_copy(update={"audit": run.audit.model_copy(update={"images": seen})}))
    outline = Outline(page)
    text = "".join(outline.text).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert outline.badly_nested == []
    assert outline.tags.count("img") == 7
    assert {link for link in outline.links if link.startswith("data:")} == {
        f"data:image/png;base64,{image}" for image in ("AAAA", "BBBB", "CCCC")
    }
    for words in ("1.2 % of its range", "By “sex”, which is hidden", "<50K: original, release · 1 234"):
        assert words in text
    assert "img-src data:" in page
    assert "img-src" not in pages["run"]
    assert "Images on average" not in pages["run"]


def test_estimates_stand_beside_the_theoretical_maximum() -> None:
    run = records.run()
    curves = {"task": [0.6, 0.3], "leakage": [0.5, 0.02], "discriminator": [0.2, 0.7]}
    method = run.method.model_copy(update={"curves": curves, "diagnostics": {"maximum_leakage": 0.651}})
    text = "".join(Outline(render(run.model_copy(update={"method": method}))).text)
    assert "solid line: theoretical maximum 0.651 nat, all there is to know" in text
    assert "solid line: theoretical maximum 0.651 nat, a loss above it is worse than knowing nothing" in text
    assert text.count("theoretical maximum") == 2
    # A method that does not state it is measured against the entropy of the audit.
    bare = run.model_copy(update={"method": method.model_copy(update={"diagnostics": {}})})
    assert f"theoretical maximum {run.audit.sensitive['sex'].entropy:.3f}" in "".join(Outline(render(bare)).text)


def test_a_number_above_the_headline_is_explained_where_it_stands(pages: dict[str, str]) -> None:
    sex = records.sensitive().model_copy(update={"choice_note": "Here 'qda' <b>reads</b> more."})
    text = "".join(Outline(render(records.audit(sensitive={"sex": sex}))).text)
    assert text.count("Here 'qda' <b>reads</b> more.") == 2  # beside the verdict, and where attackers are listed
    assert "Here 'qda'" not in pages["run"]


def test_names_and_levels_are_text_wherever_they_stand() -> None:
    attack = "<script>alert(1)</script>"
    result = records.sensitive(panel=(attack,), groups={attack: records.q(0.1)}).model_copy(
        update={"choice_note": attack}
    )
    column = ColumnResult(
        kind="categorical", retention=0.5, histogram=Histogram(labels=[attack, "b"], raw=[20, 30], release=[30, 20])
    )
    audit = records.audit(sensitive={attack: result}, columns={attack: column}, panel=[attack], statement=attack)
    page = render(records.run(audit))
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 10
    assert attack not in audit._repr_html_()
