"""The verdict in plain words: never more than the record says, and never about attackers that were not tried."""

from collections.abc import Sequence
from dataclasses import dataclass

from withhold.contracts.audit_record import AuditRecord, SensitiveResult, Verdict
from withhold.contracts.finding import Finding
from withhold.report.formats import NONE, listing, nat, percent, plural, quantity, score, share

WORDS: dict[Verdict | None, str] = {
    "pass": "Pass",
    "fail": "Fail",
    "inconclusive": "Inconclusive",
    None: "Measured, not judged",
}
NAMEABLE = 40  # characters of a column name that still read well in a headline


@dataclass(frozen=True)
class Headline:
    """The word, one sentence, and which style the page gives them."""

    word: str
    sentence: str
    css_class: str
    scope: str


@dataclass(frozen=True)
class Fact:
    """One number of the summary: what it is, the number, and what to compare it with."""

    label: str
    value: str
    note: str
    attribute: bool = True


def hidden(audit: AuditRecord) -> str:
    """Return what was hidden, in words short enough for a sentence."""
    names = [name for name in audit.sensitive if name != "joint"]
    if not names or len(names) > 3 or any(len(name) > NAMEABLE for name in names):
        return "the hidden attribute" if len(names) <= 1 else f"the {len(names)} hidden attributes"
    return listing([f"“{name}”" for name in names], "or")


def headline(audit: AuditRecord) -> Headline:
    """Return the verdict's word and sentence."""
    what = hidden(audit)
    panel = "attacker" if len(audit.panel) == 1 else plural(len(audit.panel), "attacker")
    sentences: dict[Verdict | None, str] = {
        "pass": f"No attacker tried here learned more about {what} than the budget allows.",
        "fail": f"What is shared reveals more about {what} than the budget allows.",
        "inconclusive": f"These tests cannot say whether {what} stays within the budget.",
        None: f"How much about {what} can be learned was measured; no budget was given to judge it by.",
    }
    scope = (
        "This holds against any attacker, under the assumptions printed with the guarantee below."
        if audit.claim == "any_attacker"
        else f"About the {panel} named below, on {plural(audit.n, 'record')}. Someone stronger may learn more."
    )
    if not audit.sensitive:
        said = "No column was named as hidden, so that no attacker was tried. What holds is the promise below."
        return Headline("Not attacked", said, "unjudged", scope if audit.claim == "any_attacker" else "")
    return Headline(WORDS[audit.verdict], sentences[audit.verdict], audit.verdict or "unjudged", scope)


def leading(audit: AuditRecord) -> tuple[str, SensitiveResult] | None:
    """Return the attribute the summary is about: the joint one, to which budgets apply, else the leakiest."""
    if not audit.sensitive:
        return None
    if "joint" in audit.sensitive:
        return "joint", audit.sensitive["joint"]
    name = max(audit.sensitive, key=lambda key: audit.sensitive[key].leakage_total.value)
    return name, audit.sensitive[name]


def facts(audit: AuditRecord, findings: Sequence[Finding]) -> list[Fact]:
    """Return the few numbers that stand beside the verdict."""
    found: list[Fact] = []
    lead = leading(audit)
    if lead is not None:
        _, result = lead
        found.append(
            Fact(
                "Learned by the best attacker",
                f"{nat(result.leakage_total.value)} nat",
                f"{_interval(result)}{share(result.percent_of_entropy)} of all there is to know"
                + ("" if audit.budget is None else f"; budget {nat(audit.budget)}"),
            )
        )
        if result.balanced_accuracy is not None:
            raw = result.controls.get("raw")
            before = (
                ""
                if raw is None or raw.balanced_accuracy is None
                else f"; {percent(raw.balanced_accuracy)} on raw data"
            )
            found.append(
                Fact(
                    "Best guesses, balanced accuracy",
                    percent(result.balanced_accuracy),
                    f"blind guessing {percent(result.chance)}{before}",
                )
            )
        found.append(_limit(result))
    return [*found, *_kept(audit), _findings(findings)]


def _limit(result: SensitiveResult) -> Fact:
    label = "Smallest planted leak found"
    if result.detection_limit is not None:
        return Fact(label, f"{nat(result.detection_limit)} nat", "detection limit, in the worst of the planted forms")
    if result.plants:
        return Fact(label, "none", "not even the largest planted leak was found in every form")
    return Fact(label, NONE, "detection limit not measured: no leak was planted")


def _interval(result: SensitiveResult) -> str:
    item = result.leakage_total
    if item.low is None or item.high is None:
        return ""
    level = "" if item.level is None else f" at {100 * item.level:g} %"
    return f"interval {quantity(item).split(' ', 1)[1]}{level}; "


def _findings(findings: Sequence[Finding]) -> Fact:
    numbers = {kind: sum(item.severity == kind for item in findings) for kind in ("critical", "warning", "info")}
    note = f"{numbers['critical']} critical, {plural(numbers['warning'], 'warning')}, {numbers['info']} for information"
    return Fact("Findings", plural(len(findings), "finding") if findings else "none", note, attribute=False)


def _kept(audit: AuditRecord) -> list[Fact]:
    found = []
    if len(audit.utility) >= 1:
        name, result = next(iter(audit.utility.items()))
        raw = "" if result.score.raw is None else f"{score(result.score.raw, result.metric)} on raw data; "
        label = f"“{name}” predicted" if len(name) <= NAMEABLE else "Utility predicted"
        chance = f"a constant guess {score(result.chance, result.metric)}"
        found.append(Fact(label, score(result.score.release, result.metric), raw + chance, attribute=False))
    if audit.mean_retention is not None:
        note = (
            ""
            if audit.mean_own_information is None
            else f"{percent(audit.mean_own_information, 0)} from the column alone"
        )
        found.append(Fact("Kept of the other columns, mean", percent(audit.mean_retention, 0), note, attribute=False))
    return found
