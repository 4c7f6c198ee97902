import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
from markupsafe import escape

from docs.words import FORBIDDEN
from report import chromium, records
from report.test_frontier import FOUND
from withhold.contracts.audit_record import ColumnResult, Histogram
from withhold.contracts.choice_record import ChoiceRecord, TrialRecord
from withhold.contracts.run_record import RunRecord
from withhold.report.disclosure import render_disclosure
from withhold.report.frontier import pictures
from withhold.report.frontier_page import render_frontier
from withhold.report.glossary import GLOSSARY
from withhold.report.page import in_notebook, render
from withhold.report.usefulness import cards

VOID = {"meta", "br", "img", "link", "hr", "input"}
FIXTURES = {
    "pass": records.run,
    "fail": records.fail,
    "inconclusive": lambda: records.audit("inconclusive"),
    "audit only": records.minimal,
    "several": records.several,
    "continuous": records.continuous,
    "images": records.images,
    "promised": records.promised,
}


class Outline(HTMLParser):
    """Collects tags, identifiers, references and attributes, and checks that tags nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.ids, self.links, self.attributes, self.stack, self.badly_nested = [], [], [], [], [], []
        self.text: list[str] = []
        self.shown: list[str] = []  # what is read without unfolding anything
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
            if "details" not in self.stack or "summary" in self.stack:
                self.shown.append(data)


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
    links = [link for link in outline.links if not link.startswith("data:image/png;base64,")]
    assert {link.removeprefix("#") for link in links} <= set(outline.ids)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", pages[name])
    assert not [name for _, name, _ in outline.attributes if name.startswith("on")]


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
def test_verdict_comes_first_and_what_to_do_next(verdict: str | None, word: str) -> None:
    record = records.audit(verdict, budget=None if verdict is None else 0.03)
    text = reading(render(record).split("<main>")[1])
    assert text.startswith(f"Census extract 1994 {word}")
    assert text.index(word) < text.index("What to do") < text.index("Inference") < text.index("Findings")
    others = {"Pass", "Fail", "Inconclusive", "Measured, not judged"} - {word}
    assert not [other for other in others if f"{other} " in text[: text.index("Findings")]]
    assert record.statement in "".join(Outline(render(record)).text)
    assert ("You may share" in text) == (verdict == "pass")


def reading(page: str) -> str:
    """Return what is read on a page, nothing unfolded."""
    return " ".join("".join(Outline(page).shown).split())


def test_who_failed_is_named_and_not_counted() -> None:
    record = records.audit("inconclusive", panel=["mlp", "qda"], failed={"lookup": "no convergence"})
    text = " ".join("".join(Outline(render(record)).text).split())
    assert "Could not be fitted everywhere, so that nothing can pass: lookup: no convergence." in text
    assert "Tested with 2 attackers" in text
    assert "Could not be fitted" not in "".join(Outline(render(records.audit("pass"))).text)


def test_numbers_of_the_record_are_on_the_page(pages: dict[str, str]) -> None:
    text = "".join(Outline(pages["pass"]).text)
    record = records.run()
    result = record.audit.sensitive["sex"]
    for words in (
        "0.021 [0.015, 0.027]",  # what was audited, with its interval
        "0.268 [0.259, 0.277]",  # raw data
        "budget 0.030 nat",
        "smallest test leak found 0.028 nat",
        "−0.001 [−0.004, 0.002]",  # the floor may lie below zero and is said there
        "59 of 100 right",
        "guessing 50; original 86",
        "85.7 %",
        "withhold 0.1.0",
        "2026-03-02 14:05 UTC",
        "release b1946ac92492",
        record.digests["release"],
        *result.attackers,
        *record.audit.columns,
        *record.audit.threat_model,
        *(finding.text for finding in record.audit.findings),
        record.method.guarantee.claim,
        record.noise,
    ):
        assert words in text, words
    assert text.count("missed") >= 3


def test_one_number_of_leakage_is_said_of_an_attribute_before_anything_is_unfolded(pages: dict[str, str]) -> None:
    said = re.findall(r"\d\.\d{3}(?= \[)", reading(pages["pass"]))
    assert said == ["0.021"]


@pytest.mark.parametrize("name", FIXTURES)
def test_a_page_is_read_in_four_minutes(pages: dict[str, str], name: str) -> None:
    assert 100 < len(reading(pages[name]).split()) <= 900


def ease(text: str) -> float:
    """Return Flesch's reading ease; syllables are counted as groups of vowels, a silent e left out."""
    sentences = max(1, len(re.findall(r"[.!?](?= |$)", text)))
    words = re.findall(r"[A-Za-z]+", text)
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", re.sub(r"e$", "", word.lower())))) for word in words)
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * syllables / max(1, len(words))


def prose(page: str) -> str:
    """Return the sentences of the first page: what stands in a paragraph or a list and ends with a full stop."""
    first = re.search(r'<section id="decision".*?</section>', page, re.DOTALL)
    parts = re.findall(r'<(p|figcaption|span class="sentence")[^>]*>(.*?)</', first[0] if first else "", re.DOTALL)
    texts = [" ".join(re.sub(r"<[^>]+>", "", text).split()) for _, text in parts]
    return " ".join(text for text in texts if re.search(r"[.?]$", text))


@pytest.mark.parametrize("name", FIXTURES)
def test_the_first_page_reads_easily(pages: dict[str, str], name: str) -> None:
    assert ease(prose(pages[name])) >= 50, prose(pages[name])


@pytest.mark.parametrize("verdict", ["pass", "fail", "inconclusive", None])
def test_the_page_of_an_audit_against_a_control_reads_easily(verdict: str | None) -> None:
    page = render_disclosure(records.disclosure(verdict))
    assert ease(prose(page)) >= 50, prose(page)
    assert 100 < len(reading(page).split()) <= 900


def test_reading_ease_tells_plain_from_heavy() -> None:
    assert ease("The cat sat on the mat. It was a hot day.") > 90
    assert ease("Simultaneous interval estimation necessitates considerable computational sophistication.") < 0


def test_only_what_differs_from_the_defaults_is_listed(pages: dict[str, str]) -> None:
    text = "".join(Outline(pages["pass"]).text)
    assert "epochs" in text
    assert "hidden, use utility" not in text
    assert "use utility" not in text


def test_all_attributes_together_are_called_by_their_names(pages: dict[str, str]) -> None:
    text = "".join(Outline(pages["several"]).text)
    assert "sex, race and age together" in text
    assert "joint" not in text


def test_classes_of_what_is_hidden_are_neither_named_nor_counted(pages: dict[str, str]) -> None:
    assert "Female" not in pages["pass"]
    assert "Mean original, sex" not in pages["images"]
    assert "Mean original, income" in pages["images"]


def test_words_are_explained_where_they_stand(pages: dict[str, str]) -> None:
    for term in ("Inference", "Linkability", "Membership", "Nat"):
        assert escape(GLOSSARY[term]) in pages["pass"], term


def test_bounds_that_say_nothing_are_not_drawn() -> None:
    record = records.run()
    nothing = record.possible.model_copy(update={"vacuous": True})
    assert "What is possible" in render(record)
    assert "What is possible" not in render(record.model_copy(update={"possible": nothing}))


def test_a_notebook_shows_the_first_page_in_a_frame_where_nothing_runs() -> None:
    shown = in_notebook(records.crowded())
    assert shown.startswith('<iframe sandbox=""')
    assert shown.count("<") == 2
    page = unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert "What to do" in page
    assert "Appendix" not in page


def test_what_could_undo_the_noise_is_not_printed(pages: dict[str, str]) -> None:
    assert records.run().method.settings["noise_key"] not in pages["pass"]
    assert "set, not shown" in pages["pass"]


def test_suppressed_cells_stay_suppressed(pages: dict[str, str]) -> None:
    audit = records.run().audit
    drawn = [card.name for card in cards(audit)]
    cells = [cell for name in drawn for cell in audit.columns[name].histogram.raw]
    assert pages["pass"].count(">hidden</td>") == cells.count(None) > 0


def test_hostile_names_are_text(crowded: str) -> None:
    outline = Outline(crowded)
    assert outline.badly_nested == []
    assert "script" not in outline.tags
    assert records.HOSTILE in "".join(outline.text)
    assert "<script" not in crowded
    assert len(outline.ids) == len(set(outline.ids))


def test_every_attribute_and_attacker_has_its_place(crowded: str) -> None:
    record = records.crowded().audit
    text = "".join(Outline(crowded).text)
    assert all(name in text for name in [*record.columns, *record.panel, *record.sensitive] if name != "joint")


def test_same_record_same_page(pages: dict[str, str]) -> None:
    assert render(records.run()) == pages["pass"]


def test_round_trip_through_json_changes_nothing(pages: dict[str, str]) -> None:
    assert render(RunRecord.model_validate_json(records.run().model_dump_json())) == pages["pass"]


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
        dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", pages["pass"], re.S)
    ]
    light, dark = themes[:2]
    for theme, ground in product((light, dark), ("paper", "panel")):
        paper = _luminance(theme[ground])
        for name in ("ink", "soft", "release", "raw", "budget", "limit", "pass", "fail", "doubt", "none"):
            pair = sorted((paper, _luminance(theme[name])))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (name, theme[name])


def test_no_page_holds_a_phrase_that_reads_like_a_translation(pages: dict[str, str], crowded: str) -> None:
    shown = {**pages, "crowded": crowded, "control": render_disclosure(records.disclosure())}
    texts = {name: " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split()) for name, page in shown.items()}
    assert {name: match[0] for name, text in texts.items() if (match := FORBIDDEN.search(text))} == {}
    assert FORBIDDEN.search(f"{texts['pass']} It shapes the game.")


def test_import_is_light() -> None:
    heavy = ("torch", "sklearn", "pandas", "scipy", "pyarrow", "matplotlib")
    code = f"import sys, withhold.report.page; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


needs_browser = pytest.mark.skipif(
    chromium.find() is None, reason="no chromium, chromium-browser or google-chrome on PATH"
)


FAULTS = ("requests", "overlaps", "cut", "outside", "small", "faint")
WIDTHS = (1280, 390, chromium.A4)


@pytest.mark.browser
@needs_browser
def test_in_a_browser_nothing_is_fetched_cut_faint_or_overlapping(
    pages: dict[str, str], crowded: str, tmp_path: Path
) -> None:
    shown = {**pages, "crowded": crowded, "control": render_disclosure(records.disclosure())}
    found = chromium.measure(shown, tmp_path, WIDTHS)
    assert set(found) == set(product(shown, WIDTHS))
    assert {(*place, key): one[key] for place, one in found.items() for key in FAULTS if one[key]} == {}
    assert all(one["width"] == one["scrollWidth"] == width for (_, width), one in found.items())
    # The decision is one screen at a desk and one sheet on paper.
    assert {name: found[name, 1280]["first"] for name in pages if found[name, 1280]["first"] > 1000} == {}
    if "WITHHOLD_SCREENSHOTS" in os.environ:
        folder = Path(os.environ["WITHHOLD_SCREENSHOTS"]).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for (name, width), one in found.items():
            chromium.picture(shown[name], tmp_path, width, min(one["height"], 6000), folder / f"{name}-{width}.png")


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("which", ["one", pytest.param("every", marks=pytest.mark.full)])
def test_nothing_serious_bars_those_who_cannot_see_or_point(which: str, pages: dict[str, str], tmp_path: Path) -> None:
    frontier = render_frontier(FOUND, pictures(FOUND)[0])
    shown = {**pages, "control": render_disclosure(records.disclosure()), "frontier": frontier}
    if which == "one":
        assert chromium.refused({"frontier": frontier}, tmp_path) == {("frontier", 1280, "light"): []}
        shown = {"fail": shown["fail"]}
    found = chromium.refused(shown, tmp_path, chromium.LOOKS)
    assert found == {(name, *look): [] for name, look in product(shown, chromium.LOOKS)}
    bad = '<img src="data:,"><p style="color:#bbb;background:#fff">faint</p></main>'
    (told,) = chromium.refused({"bad": pages["pass"].replace("</main>", bad)}, tmp_path).values()
    assert {one.partition(":")[0] for one in told} == {"image-alt", "color-contrast"}


@pytest.mark.browser
@needs_browser
def test_dark_colours_are_those_that_are_read(pages: dict[str, str], tmp_path: Path) -> None:
    """Positive control: what is faint on dark paper alone is found there alone."""
    assert chromium.DARK in pages["pass"]
    assert chromium.DARK in render_frontier(FOUND)
    dim = pages["audit only"].replace("</main>", '<p style="color:#6a6a6a">fine on light</p></main>')
    found = chromium.refused({"dim": dim}, tmp_path, ((1280, "light"), (1280, "dark")))
    assert found["dim", 1280, "light"] == []
    assert [one.partition(":")[0] for one in found["dim", 1280, "dark"]] == ["color-contrast"]


@pytest.mark.browser
@needs_browser
def test_the_page_is_printed_on_few_sheets(pages: dict[str, str], tmp_path: Path) -> None:
    few = {name: chromium.sheets(pages[name], tmp_path) for name in pages if name != "several"}
    assert max(few.values()) <= 3, few
    assert chromium.sheets(pages["several"], tmp_path) <= 4
    unfolded = pages["pass"].replace("<details", "<details open")
    assert chromium.sheets(unfolded, tmp_path) > few["pass"]  # what is unfolded is printed too


@pytest.mark.browser
@needs_browser
def test_the_browser_sees_what_is_wrong(pages: dict[str, str], tmp_path: Path) -> None:
    """Positive control: a request, an overlap, a cut or faint text and one that sticks out are all reported."""
    bad = (
        '<img src="https://example.invalid/x.png" alt=""><p style="position:relative"><span>one</span>'
        '<span style="position:absolute;left:0">two</span></p><p style="width:40px;overflow:hidden;white-space:nowrap">'
        'a text too long for it</p><p style="position:absolute;left:95%;white-space:nowrap">beyond the edge</p>'
        '<p style="color:#aaa">faint</p>'
        '<svg viewBox="0 0 9 9" width="9"><title>t</title><text y="5" style="font-size:8px">wide</text></svg></main>'
    )
    found = chromium.measure({"bad": pages["audit only"].replace("</main>", bad)}, tmp_path, (390,))["bad", 390]
    assert found["requests"] == ["https://example.invalid/x.png"]
    assert "one | two" in found["overlaps"] or "two | one" in found["overlaps"]
    assert any("a text too long" in text for text in found["cut"])
    assert any("sticks out of t" in text for text in found["cut"])
    assert "beyond the edge" in found["outside"]
    assert any(text.startswith("wide") for text in found["small"])
    assert any(text.startswith("faint") for text in found["faint"])


def test_the_card_of_an_image_says_what_it_counts() -> None:
    cells = Histogram(labels=["below 20", "20 or more"], raw=[30, 40], release=[35, 35])
    page = render(records.audit(columns={"scan": ColumnResult(kind="image", retention=0.7, histogram=cells)}))
    assert "records by the mean brightness of their image" in page
    page = render(records.audit(columns={"scan": ColumnResult(kind="number", retention=0.7, histogram=cells)}))
    assert "mean brightness" not in page


def test_mean_images_are_on_the_page_and_nothing_else_may_be_loaded(pages: dict[str, str]) -> None:
    outline = Outline(pages["images"])
    text = "".join(outline.text)
    assert outline.tags.count("img") == 3  # the change, and one class of what is kept before and after
    for words in ("1.2 % of its range", "By “income”", "<50K: original, release · 1,234"):
        assert words in text
    assert "img-src data:" in pages["images"]
    assert "img-src" not in pages["pass"]
    assert "Images on average" not in pages["pass"]


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
    assert "<script" not in in_notebook(audit)


def test_the_appendix_says_how_the_method_was_chosen_and_what_was_tried(pages: dict[str, str]) -> None:
    leak = records.q(0.02)
    raw, one = (
        TrialRecord(method=name, fitted=1, n=2, leakage=leak, utility={"income": kept}, seconds=3.0)
        for name, kept in (("identity", 0.87), ("leace", 0.81))
    )
    choice = ChoiceRecord(
        method="leace", by="budget", budget=0.03, held=True, reason="It keeps most.", ended="nothing_left",
        raw=raw, trials=[one],
    )  # fmt: skip
    page = render(records.run(choice=choice))
    for words in ("How it was chosen", "It keeps most.", "nothing hidden", "leace", "0.810", "mean score of income"):
        assert words in page
    assert "How it was chosen" not in pages["pass"]
