"""The page of a file whose rows cannot be matched to individuals: what it tells of its people and not of others."""

from withhold.contracts.disclosure_record import DisclosureRecord, DisclosureResult
from withhold.report.crowds import CROWDS, Crowd
from withhold.report.decision import NAMEABLE, WORDS, Advice, Headline, Lamp
from withhold.report.environment import environment
from withhold.report.figures.people import ALL, People, row
from withhold.report.findings import ranked
from withhold.report.formats import count, listing, nat, of_people, quantity
from withhold.report.glossary import GLOSSARY
from withhold.report.tables import Table

NAMED = 8  # columns that an attacker knows, named
LIMITS = (
    "What the file tells of everybody. That smokers fall ill more often is no disclosure about one of them.",
    "Stronger attackers. One that was not tried, or that has more data, may learn more.",
    "Other private facts. Only the attributes named above were tested.",
    "Who somebody is. Rows were not matched to people.",
    "Further files. Several files made from the same people can tell more together than each alone.",
)


def render_disclosure(record: DisclosureRecord) -> str:
    """Return the report on a file that was audited against a control as one HTML document.

    Returns
    -------
    str
        A complete HTML document with inline style and SVG, without scripts.
    """
    headline = _headline(record)
    return (
        environment()
        .get_template("disclosure.html.j2")
        .render(
            record=record,
            headline=headline,
            document_title=f"{headline.word} – {record.title or 'withhold report'}",
            pictures=False,
            advice=_advice(record),
            lamps=[_inference(record), _copies(record), _seen(record)],
            crowds=[_crowd(name, one, i) for i, (name, one) in enumerate(record.sensitive.items()) if i < CROWDS],
            findings=ranked(record.findings),
            table=_table(record),
            limits=LIMITS,
            columns=_columns(record.columns),
            glossary=GLOSSARY,
        )
    )


def _hidden(record: DisclosureRecord) -> str:
    names = list(record.sensitive)
    if len(names) > 3 or any(len(name) > NAMEABLE for name in names):
        return "the hidden attributes"
    return listing([f"“{name}”" for name in names], "or")


def _headline(record: DisclosureRecord) -> Headline:
    what = _hidden(record)
    sentences = {
        "pass": f"The file tells no more about {what} of its own people than of others, within your limit.",
        "fail": f"The file tells more about {what} of its own people than you allow.",
        "inconclusive": f"These tests cannot say whether what the file tells about {what} stays within your limit.",
        None: f"We measured what the file tells about {what} of its own people. No limit was given to judge it by.",
    }
    return Headline(WORDS[record.verdict], sentences[record.verdict], record.verdict or "unjudged")


def _advice(record: DisclosureRecord) -> Advice:
    """Return what to do, never more reassuring than the verdict and the findings."""
    codes = {finding.code for finding in record.findings}
    again = "Then audit again."
    if record.verdict == "fail":
        return Advice("Do not share this file.", ["Make it from fewer details.", again])
    if "copies_of_originals" in codes:
        return Advice("Do not share this file as it is.", ["It holds records of real people. Take them out.", again])
    if record.verdict == "inconclusive":
        how = ["More people of the original, or more others, may decide it."]
        if "control_differs" in codes:
            how = ["Name others who were drawn from the same people as the original.", again]
        return Advice("Cannot decide. Do not share it yet.", how)
    if record.verdict == "pass":
        return Advice("You may share this file.", ["Read the limits of this report first."])
    return Advice("Decide first, then share.", ["Decide how much may be learned, and audit again with that budget."])


def _worst(record: DisclosureRecord) -> tuple[str, DisclosureResult]:
    return max(record.sensitive.items(), key=lambda pair: pair[1].excess.value)


def _inference(record: DisclosureRecord) -> Lamp:
    name, one = _worst(record)
    states = {"pass": ("good", "within your limit"), "fail": ("bad", "beyond your limit"), None: ("none", "measured")}
    state, said = states.get(record.verdict, ("doubt", "not decided"))
    what = f"“{name}”" if len(name) <= NAMEABLE else "the hidden attribute"
    question = f"Does it tell {what} of its people?"
    beside = f"of others {round(ALL * one.right_control)}; the commonest class {round(ALL * one.chance)}"
    return Lamp("Inference", question, f"{of_people(one.right_original)} right", beside, state, said)


def _copies(record: DisclosureRecord) -> Lamp:
    copied = any(finding.code == "copies_of_originals" for finding in record.findings)
    state, said = ("bad", "copied") if copied else ("good", "not seen")
    question = "Does it hold records of its people?"
    beside = f"of others {of_people(record.copied_control)}"
    return Lamp("Membership, singling out", question, f"{of_people(record.copied_original)} found", beside, state, said)


def _seen(record: DisclosureRecord) -> Lamp:
    """Return whether a leak would have been noticed: a file in which nothing could be found proves nothing."""
    found = all(one.found for one in record.sensitive.values())
    state, said = ("good", "found") if found else ("doubt", "unnoticed")
    _, one = _worst(record)
    told = "not planted" if one.planted is None else f"{nat(one.recovered)} of {nat(one.planted)} nat"
    return Lamp("Test leak", "Would copied records have been noticed?", told, "of what was planted", state, said)


def _crowd(name: str, one: DisclosureResult, number: int) -> Crowd:
    words = ("named right also of others", "named right because they were in the original", "", "named wrong")
    people = People(round(ALL * one.right_control), round(ALL * one.right_original), None, words)
    return Crowd(name, people.release, row(name, people, f"s{number}"), people.key())


def _table(record: DisclosureRecord) -> Table:
    rows = [
        [name, quantity(one.original), quantity(one.control), quantity(one.excess), one.excess.attacker or ""]
        for name, one in record.sensitive.items()
    ]
    head = ["attribute", "people of the original, nat", "others, nat", "more about the first, nat", "attacker"]
    limit = "no limit was given" if record.budget is None else f"limit {nat(record.budget)} nat"
    return Table(f"What attackers who learned from the file read; {limit}, seed {count(record.seed)}", head, rows)


def _columns(names: list[str]) -> str:
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return listing([*names[:NAMED], *more])
