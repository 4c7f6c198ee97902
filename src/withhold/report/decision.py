"""What the page says first: the verdict, what to do about it, and three risks as regulators name them."""

from collections.abc import Iterable
from dataclasses import dataclass

from withhold.contracts.audit_record import AuditRecord, SensitiveResult, Verdict
from withhold.contracts.budgets import JOINT, LARGE_SHARE
from withhold.contracts.finding import Finding
from withhold.contracts.rounding import budget_up, rounded_up
from withhold.contracts.run_record import Approval
from withhold.report.figures.people import reached
from withhold.report.formats import NONE, count, listing, moment, of_people, percent, plural

WORDS: dict[Verdict | None, str] = {
    "pass": "Pass",
    "fail": "Fail",
    "inconclusive": "Inconclusive",
    None: "Measured, not judged",
}
NAMEABLE = 40  # characters of a column name that still read well in a headline
AGAIN, USUAL = "Then audit again.", "Hide more, or share less."

# What to do by the cause of a verdict. A verdict without a cause was written before causes were.
FAILED = {
    "leakage": "Hide more{columns}.",
    "contains_s": "The file still holds {what} itself. Take that column out.",
    "utility_reveals": "{useful} alone gives {what} away. Leave it out, or allow more.",
    "below_bound": "What is kept of {useful} proves it. Keep less of it, or allow more.",
    "subjects_tell_more": "One person's records tell too much together. Hide more, or share fewer of them.",
}
UNDECIDED = {
    "plants_missed": "There are too few records to notice a leak as small as your limit.",
    "interval_reaches_budget": "The measurement is too coarse for your limit.",
    "alignment_unproven": "Nobody can show that the rows of the two files belong together. Name a column that both "
    "files have and that names the record; of a release of withhold give the splits of its run.",
    "budget_restricts_nothing": "The limit allows all there is to know about {what}. Set a smaller one.",
    "contains_s": "The file still holds {what} itself. Take that column out.",
    "below_bound": "What is kept proves that more leaks than the attackers found. Keep less, or allow more.",
    "subjects_tell_more": "One person's records seem to tell too much together. Hide more, or share fewer of them.",
    "attacker_failed": "An attacker did not finish. More records may help.",
    "partly_read": "Nobody read all that the file holds. Take out, or convert, the columns named on the next page.",
    "column_reveals_s": "Single columns tell too much. Take out those named on the next page.",
}
# Findings that name a column which gives S away by itself, which nobody read, or which a method cannot cover.
COLUMNS = (
    "column_reveals_s", "column_determines_s", "s_written_in", "sensitive_contained", "partly_read",
    "discrete_columns_void_linear_guarantee",
)  # fmt: skip
TOLD = {"membership_told", "flow_remembers"}
SMALL = ("plants_missed", "interval_reaches_budget")  # what more records would settle


@dataclass(frozen=True)
class Headline:
    """The word, one sentence, and which style the page gives them."""

    word: str
    sentence: str
    css_class: str


@dataclass(frozen=True)
class Advice:
    """What to do: an order, and how."""

    order: str
    how: list[str]


@dataclass(frozen=True)
class Lamp:
    """One risk: its name, the question, what was found, beside which numbers, and how bad it is.

    `state` is "good", "bad", "doubt" or "none"; `said` is the same in a word or two.
    """

    name: str
    question: str
    found: str
    beside: str
    state: str
    said: str


def hidden(audit: AuditRecord, last: str = "or") -> str:
    """Return what was hidden, in words short enough for a sentence."""
    names = [name for name in audit.sensitive if name != JOINT]
    if not names or len(names) > 3 or any(len(name) > NAMEABLE for name in names):
        return "the hidden attribute" if len(names) <= 1 else f"the {len(names)} hidden attributes"
    return listing([f"“{name}”" for name in names], last)


def headline(audit: AuditRecord) -> Headline:
    """Return the verdict's word and sentence."""
    what = hidden(audit)
    sentences: dict[Verdict | None, str] = {
        "pass": f"No attacker we tried learned more about {what} than you allow.",
        "fail": f"What is shared tells more about {what} than you allow.",
        "inconclusive": f"These tests cannot say whether {what} stays within your limit.",
        None: f"We measured how much can be learned about {what}. No limit was given to judge it by.",
    }
    if not audit.sensitive:
        return Headline(
            "Not attacked",
            "No column was named as hidden, so no attacker was tried. Only the promise below holds.",
            "unjudged",
        )
    return Headline(WORDS[audit.verdict], sentences[audit.verdict], audit.verdict or "unjudged")


def leading(audit: AuditRecord) -> tuple[str, SensitiveResult] | None:
    """Return the attribute the verdict is about: the one that decided it, or all together, or the leakiest."""
    if not audit.sensitive:
        return None
    if audit.decided_by in audit.sensitive:
        return audit.decided_by, audit.sensitive[audit.decided_by]
    if JOINT in audit.sensitive:
        return JOINT, audit.sensitive[JOINT]
    name = max(audit.sensitive, key=lambda key: audit.sensitive[key].leakage_total.value)
    return name, audit.sensitive[name]


def telling_columns(findings: Iterable[Finding]) -> list[str]:
    """Return the columns that findings say to leave out.

    Examples
    --------
    >>> told = Finding(code="value_implies_s", severity="critical", text="", columns=("job", "town"))
    >>> telling_columns([told, Finding(code="marginal_moved", severity="warning", text="", column="age")])
    ['job', 'town']
    """
    grave = (one for one in findings if one.code in COLUMNS or one.severity == "critical")
    return list(dict.fromkeys(name for one in grave for name in one.concerned))


def advice(audit: AuditRecord, findings: list[Finding]) -> Advice:
    """Return what to do, never more reassuring than the verdict and the findings."""
    lead = leading(audit)
    grave = [finding for finding in findings if finding.severity == "critical"]
    codes = {finding.code for finding in findings}
    who = (
        ["It does not hide who somebody is: share it only with people who may know."]
        if "records_linked" in codes
        else []
    )
    who += [] if audit.linkage else ["Nobody tested if people can be found in it."]
    who += ["It can be told whose records it was made from."] if codes & TOLD else []
    if audit.verdict == "fail":
        named = ", or leave out the columns named on the next page" if telling_columns(findings) else ""
        how = [_filled({**FAILED, "leakage": FAILED["leakage"].format(columns=named)}, lead, audit, USUAL)]
        return Advice("Do not share this release.", [*how, AGAIN])
    if audit.verdict == "inconclusive":
        return _undecided(audit)
    if grave:
        return Advice("Do not share this release as it is.", [f"First settle what is marked critical below. {AGAIN}"])
    if audit.verdict == "pass":
        return Advice(
            "You may share this release with the recipient described below.",
            who or ["Read the limits on the next page first."],
        )
    if lead is None and any(one.code == "bounded_for_any_attacker" and one.severity == "warning" for one in findings):
        return Advice("Do not rely on the promise.", ["At this epsilon it protects little: see the findings below."])
    if lead is None:
        return Advice("Read the promise before you share.", [*who, "Name a column to hide, and audit again."])
    how = ["Decide how much may be learned, and audit again with that budget."]
    return Advice("Decide first, then share.", [*how, *who])


def approved(approval: Approval) -> Advice:
    """Return what is said of a release that somebody shares although no audit cleared it.

    Examples
    --------
    >>> approval = Approval(
    ...     what="approved against the verdict", decided="2026-03-02T14:05:09+00:00", because="The board knows.",
    ... )
    >>> approved(approval).order, approved(approval).how[0]
    ('Approved against the verdict.', 'Shared by decision of 2026-03-02 14:05 UTC, because: “The board knows.”')
    """
    how = f"Shared by decision of {moment(approval.decided)}, because: \u201c{approval.because}\u201d"
    return Advice(f"{approval.what.capitalize()}.", [how, "Nobody showed that it is safe: see the findings."])


def _undecided(audit: AuditRecord) -> Advice:
    """Return what would decide: more rows or a larger budget where they are few, else what the cause asks for."""
    lead = leading(audit)
    cause = "" if lead is None else lead[1].cause
    how = [_filled(UNDECIDED, lead, audit, "More records may help.")]
    if cause not in SMALL or lead is None:
        return Advice("Cannot decide. Do not share it yet.", [*how, AGAIN])
    needed, decidable = lead[1].rows_needed, lead[1].decidable_budget
    if needed is None:
        more = "Audit more records, or allow more."
        if decidable is not None:  # the audit worked it out, and found that rows are not what is missing
            more = "Hide more, or allow more: more records would not help."
        return Advice("Cannot decide. Do not share it yet.", [*how, more])
    how = [f"Do not share it yet: {count(audit.judged)} were judged."]
    if decidable is not None:
        entropy = lead[1].entropy
        share = (
            f" ({percent(decidable / entropy, 0)} of all there is to know)" if decidable > LARGE_SHARE * entropy else ""
        )
        how += [f"Or allow {budget_up(decidable):g} nat{share}, which these rows can decide."]
    many = f"about {rounded_up(needed, 2)}"
    if lead[1].rows_exceed:
        many = f"{'more than' if needed <= audit.judged else 'at least'} {count(needed)}"
    return Advice(f"Cannot decide: {many} rows would be needed.", how)


def lamps(audit: AuditRecord, findings: list[Finding]) -> list[Lamp]:
    """Return the three risks of the European data protection boards: inference, linkability, singling out."""
    codes = {finding.code for finding in findings}
    return [_inference(audit), _linkability(audit, codes), _membership(audit, codes)]


def _inference(audit: AuditRecord) -> Lamp:
    named = {name: one for name, one in audit.sensitive.items() if name != JOINT} or dict(audit.sensitive)
    if not named:
        return Lamp("Inference", "Can an attribute be guessed?", "not tested", "none was named", "none", "unknown")
    most = max(named, key=lambda name: named[name].leakage_total.value)
    result = named[most]
    states = {"pass": ("good", "within your limit"), "fail": ("bad", "beyond your limit")}
    state, said = states.get(audit.verdict or "", ("doubt", "not decided"))
    if audit.verdict is None:
        state, said = "none", "measured"
    question = f"Can “{most}” be guessed?" if len(most) <= NAMEABLE else "Can the hidden attribute be guessed?"
    raw = result.controls.get("raw")
    if result.balanced_accuracy is None:
        before = "" if raw is None or not result.entropy else f"; original {_part(raw.leakage.value, result)}"
        told = f"{percent(max(0.0, result.percent_of_entropy) / 100, 0)} of it known"
        return Lamp("Inference", question, told, f"guessing 0\N{NO-BREAK SPACE}%{before}", state, said)
    before = "" if raw is None or raw.balanced_accuracy is None else f"; original {round(100 * raw.balanced_accuracy)}"
    found, guess = of_people(reached(result)), result.chance
    one = result.balanced_accuracy
    before += "" if one == reached(result) else f"; from one record {round(100 * one)}"
    beside = f"guessing {NONE if guess is None else round(100 * guess)}{before}"
    return Lamp("Inference", question, f"{found} right", beside, state, said)


def _part(value: float, result: SensitiveResult) -> str:
    return percent(min(1.0, max(0.0, value / result.entropy)), 0)


def _linkability(audit: AuditRecord, codes: set[str]) -> Lamp:
    question = "Can a record be traced to its original?"
    places = [*(audit.linkage or {}).values()]
    if not places:
        return Lamp("Linkability", question, "not tested", "", "none", "unknown")
    worst = max(places, key=lambda one: one.found.value)
    beside = f"by chance {of_people(worst.chance)}"
    beside += "" if worst.raw is None else f"; original {of_people(worst.raw)}"
    beyond = (worst.found.low or 0.0) > worst.chance
    state, said = ("doubt", "above chance") if beyond else ("good", "near chance")
    if "records_linked" in codes:
        state, said = "bad", "far above chance"
    return Lamp("Linkability", question, f"{of_people(worst.found.value)} found", beside, state, said)


def _membership(audit: AuditRecord, codes: set[str]) -> Lamp:
    name, question = "Membership, singling out", "Can it be told whose records were used?"
    one, flow = audit.membership, audit.flow_membership
    if one is None and flow is not None:
        told = "flow_remembers" in codes
        beside = f"guessing 50; without the generator {round(100 * flow.control.value)}"
        state, said = ("bad", "can be told") if told else ("good", "not seen")
        return Lamp(name, question, f"{of_people(flow.auc.value)} pairs right", beside, state, said)
    if one is None or one.balanced_accuracy is None:
        beside = "" if audit.splits.sanitizers is None else "no sanitiser released a row that it saw"
        return Lamp(name, question, "not tested", beside, "none", "unknown")
    before = one.control_balanced_accuracy
    beside = f"guessing {round(100 * one.chance)}" + ("" if before is None else f"; original {round(100 * before)}")
    told = bool(codes & TOLD)
    state, said = ("bad", "can be told") if told else ("good", "not seen")
    return Lamp(name, question, f"{of_people(one.balanced_accuracy)} right", beside, state, said)


def scope(audit: AuditRecord) -> str:
    """Return against whom the verdict holds."""
    if not audit.sensitive and audit.claim != "any_attacker":
        return ""
    if audit.claim == "any_attacker":
        return "This holds against any attacker, if the assumptions printed with the promise hold."
    judged = f"{count(audit.judged)} of " if audit.judged < audit.n else ""
    tested = f"{plural(len(audit.panel), 'attacker')} on {judged}{plural(audit.n, 'record')}"
    return f"Tested with {tested}. Someone stronger may learn more."


def _filled(texts: dict[str, str], lead: tuple[str, SensitiveResult] | None, audit: AuditRecord, usual: str) -> str:
    cause = "" if lead is None else lead[1].cause
    useful = listing([f"“{name}”" for name in audit.utility]) or "the utility column"
    text = texts.get(cause, usual).format(what=hidden(audit, "and"), useful=useful)
    return text[0].upper() + text[1:]
