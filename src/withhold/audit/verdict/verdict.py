"""The verdict rule, and its words. It speaks of the attackers that were tried, never of the true information.

fail: the lower end exceeds the budget. pass: every form of plant was found at size = budget and the upper end, divided
by the worst recovery, is within the budget, and S is known to belong to the rows. inconclusive: everything else.

Where records belong to subjects, what all records of one subject tell together must stay within the budget too.

What a release keeps of U may prove that more leaks than was found: then the larger lower end counts, and the release
cannot pass.

What is handed over comes before what attackers make of it: a column that is S under another name fails, and a file
that still holds S's own column cannot pass, however well the rest hides S.

A pass is about the whole panel and the whole release: an attacker that failed, content that none was given, and a
column that alone tells more than the budget each bar it.
"""

import math
from collections.abc import Sequence

from withhold.audit.leakage.canaries.registry import all_forms
from withhold.audit.leakage.evidence import Evidence
from withhold.contracts.audit_record import Verdict
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed

# Above this share of H(S) a budget lets through more than most readers expect of one.
LARGE_BUDGET = 0.10
# Cause of a verdict about what the file holds, whatever attackers learn; also the code of the finding.
CONTAINS = "contains_s"
# Cause of a verdict that rests on what the release keeps of U; also the code of the finding.
BELOW = "below_bound"
# Cause of a verdict about subjects with several records; also the code of the finding.
SUBJECTS = "subjects_tell_more"


def decide(evidence: Evidence, budget: float | None) -> tuple[Verdict | None, str]:
    """Return the verdict and its cause as a short code ("" for a pass or without a budget).

    Parameters
    ----------
    budget : float or None
        Nats.

    Returns
    -------
    verdict : {"pass", "fail", "inconclusive"} or None
    cause : str

    Examples
    --------
    >>> from withhold.audit.leakage.evidence import Evidence
    >>> from withhold.contracts.quantity import Quantity
    >>> leak = Quantity(value=0.2, low=0.18, high=0.22, kind="lower_bound")
    >>> decide(Evidence(leak, plants_found=True, recovery=1.0, aligned=True), budget=0.05)
    ('fail', 'leakage')
    """
    if budget is None:
        return None, ""
    if evidence.copied:
        return "fail", CONTAINS
    if evidence.utility_low is not None and evidence.utility_low > budget:
        return "fail", "utility_reveals"
    if evidence.total.low is not None and evidence.total.low > budget:
        return "fail", "leakage"
    if evidence.low > budget:
        return "fail", BELOW
    if evidence.subjects is not None and (evidence.subjects.low or 0.0) > budget:
        return "fail", SUBJECTS
    if evidence.own:
        return "inconclusive", CONTAINS
    if not evidence.aligned:
        return "inconclusive", "alignment_unproven"
    if evidence.entropy is not None and budget >= evidence.entropy > 0:
        return "inconclusive", "budget_restricts_nothing"
    if evidence.missed:
        return "inconclusive", BELOW
    if evidence.subjects is not None and evidence.subjects.value > budget:
        return "inconclusive", SUBJECTS
    if evidence.gaps.cause:
        return "inconclusive", evidence.gaps.cause
    if not evidence.plants_found:
        return "inconclusive", "plants_missed"
    if evidence.corrected_high is None or evidence.corrected_high > budget:
        return "inconclusive", "interval_reaches_budget"
    return "pass", ""


def statement(
    name: str, evidence: Evidence, budget: float | None, verdict: Verdict | None, cause: str, level: float
) -> str:
    """Return the verdict in plain words, as printed."""
    words = _statement(name, evidence, budget, verdict, cause, level)
    if evidence.certain:
        words += (
            " These are averages over all records: some records can be known with certainty, because single values "
            "of the release go with one class only (finding value_implies_s)."
        )
    return words


def _statement(
    name: str, evidence: Evidence, budget: float | None, verdict: Verdict | None, cause: str, level: float
) -> str:
    total = evidence.total
    low = 0.0 if total.low is None else max(0.0, total.low)
    known = math.inf if evidence.entropy is None else evidence.entropy
    high = "an unknown amount" if total.high is None else f"{min(total.high, known):.3f} nat"
    sure = f"{100 * level:g} %"
    attacker = f" ({total.attacker})" if total.attacker else ""
    if verdict == "fail":
        learned = f"The best attacker{attacker} learned at least {low:.3f} nat ({sure})"
        if cause == CONTAINS:
            return f"Fail: the release contains {name} itself, in {listed(evidence.copied)}. {learned}."
        head = f"Fail: {name} can be inferred from this release. {learned}, more than the budget of {budget:g} nat."
        if cause == BELOW and evidence.implied is not None:
            return (
                f"Fail: what the release keeps of {evidence.implied.utility} proves that it leaks at least "
                f"{evidence.low:.3f} nat about {name} ({sure}), more than the budget of {budget:g} nat, although the "
                f"best attacker{attacker} learned {total.value:.3f} nat."
            )
        if cause == SUBJECTS and evidence.subjects is not None:
            return (
                f"Fail: {name} of a subject can be inferred from its records. All records of one subject together told "
                f"the best attacker at least {max(0.0, evidence.subjects.low or 0.0):.3f} nat ({sure}), more than the "
                f"budget of {budget:g} nat, one record at most {high}. A stronger attacker could learn more."
            )
        if cause == "utility_reveals":
            head += " The utility attribute alone tells that much, whatever is done to the rest."
        if evidence.own:
            head += f" That is without {listed(evidence.own)}, which the file still contains."
        return head + " A stronger attacker could learn more."
    words = f"No attacker of this panel learned more than {high} about {name} ({sure})."
    if total.high is not None and total.high >= known:
        words = (
            f"These rows do not show that the attackers learned less about {name} than all there is to know "
            f"({known:.3f} nat, {sure})."
        )
    limit = (
        f"A leak of {evidence.limit:.3g} nat would have been found as {_forms(evidence)}."
        if evidence.limit is not None
        else "The data set is too small: even our largest test leak went unnoticed in some form."
    )
    limit += _untested(evidence)
    caveat = "This is not an upper bound on leakage: an attacker outside this panel may learn more."
    corrected = evidence.corrected_high
    if budget is not None and cause in ("", "interval_reaches_budget") and corrected is not None and corrected < known:
        words += (
            " Allowing for what our test leaks show the attackers overlook: at most "
            f"{corrected:.3f} nat (limit {budget:g})."
        )
    if verdict == "pass":
        return f"Pass for a budget of {budget:g} nat: {words} {limit} {caveat}"
    if verdict == "inconclusive":
        held = listed(evidence.own) if evidence.own else ""
        reasons = {
            CONTAINS: f"the file still contains {held}, which no attacker was given",
            "alignment_unproven": f"it is not proven that {name} stands in the same order as the release",
            "budget_restricts_nothing": "the budget is at or above all there is to know about "
            f"{name} (H = {evidence.entropy or 0.0:.3g} nat), so it restricts nothing",
            SUBJECTS: "all records of a subject together seem to tell more than it allows",
            BELOW: "what the release keeps proves that it leaks more than the attackers found",
            "plants_missed": "a known leak of the size of the budget was not found, so a real one could hide too",
            "interval_reaches_budget": "the measurement is too uncertain to rule out a leak above the limit",
        }
        reason = reasons.get(cause) or evidence.gaps.words(name)
        return f"Inconclusive for a budget of {budget:g} nat: {reason}. {words} {limit} {caveat}"
    held = f"The release contains {name} itself, in {listed(evidence.copied)}. " if evidence.copied else ""
    if evidence.own:
        held += f"Without {listed(evidence.own)}, which the file still contains: "
    return (
        f"{held}No budget was given, so there is no verdict. The best attacker{attacker} learned at least "
        f"{low:.3f} nat about {name}. {words} {limit} {caveat}"
    )


def budget_findings(name: str, entropy: float, budget: float | None) -> list[Finding]:
    """Return a finding when the budget lets through more than a tenth of the entropy.

    Examples
    --------
    >>> [f.code for f in budget_findings("sex", 0.69, 0.2)]
    ['large_budget']
    """
    if budget is None or entropy <= 0 or budget <= LARGE_BUDGET * entropy:
        return []
    share = 100 * budget / entropy
    return [
        Finding(
            code="large_budget",
            severity="warning",
            text=f"The budget of {budget:g} nat is {share:.0f} % of all there is to know about '{name}' "
            f"({entropy:.3f} nat). A release within it may still tell much about some records.",
        )
    ]


def _forms(evidence: Evidence) -> str:
    """Name the forms that leaks were planted in: a limit is about these and no others."""
    return _either([all_forms()[form].said for form in evidence.forms] or ["a leak of the planted forms"])


def _either(said: Sequence[str]) -> str:
    *others, last = said
    return f"{', '.join(others)} or {last}" if others else last


def _untested(evidence: Evidence) -> str:
    """Name the forms in which no leak was planted, by their reason."""
    said: dict[str, list[str]] = {}
    for form, why in evidence.untested.items():
        said.setdefault(why, []).append(all_forms()[form].said)
    return "".join(f" Not tested: {_either(forms)} ({why})." for why, forms in said.items())
