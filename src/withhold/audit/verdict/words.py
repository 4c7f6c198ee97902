"""What an audit says beside its numbers: the threat model, and why a verdict came out as it did."""

from withhold.audit.leakage.assessment import Assessment
from withhold.audit.leakage.gaps import FAILED, on
from withhold.audit.request import Request
from withhold.audit.view.auxiliary import ALSO, MEAN, REDRAWN
from withhold.contracts.finding import Finding
from withhold.contracts.wording import advice, verb

# A release that keeps more than this share of what the raw data tell has hidden little.
LITTLE_REDUCTION = 0.7


def threat_model(request: Request, utility_in_release: bool, sanitizer: bool = False) -> list[str]:
    """Return who is assumed to attack, with what, in sentences."""
    lines = ["The recipient has the whole release, in the order in which it is handed over."]
    if len(request.utility):
        targets = ", ".join(request.utility.names)
        lines.append(f"The recipient {'also has' if utility_in_release else 'does not have'} {targets}.")
    if len(request.sensitive):
        lines.append(
            "The recipient knows the sensitive attribute of many released records and learns from them about the "
            "others: each record is attacked by models trained on the rest of the release with its sensitive values."
        )
    if request.sanitizers is not None:
        several = f"one of {request.sanitizers} sanitisers"
        lines.append(f"Each row was released by {several}, which had not seen it when it was fitted.")
    elif request.fit_rows is None:
        lines.append("It is unknown whether the sanitiser saw these rows when it was fitted.")
    names = [surface.name for surface in request.surfaces if surface.counts]
    also = [name for name in names if name.startswith(ALSO)]
    drawn = [name for name in names if name.startswith(REDRAWN)]
    made = [name for name in names if name not in drawn and not name.startswith(ALSO)]
    if also:
        plain = [name.removeprefix(ALSO) for name in also if not name.startswith(MEAN)]
        what = plain[0] if plain else "several other versions"
        lines.append(f"The recipient also has {what} of the same records, and joins and averages all of them.")
    if made:
        lines.append(f"The recipient also attacks what can be made of the release: {', '.join(made)}.")
    if drawn:
        lines.append(
            "The recipient has the sanitiser (not its key) and the original data of records he knows: he draws more "
            "releases of those and learns from them too."
        )
    elif sanitizer:
        lines.append("The recipient has the sanitiser (not its key).")
    missing = [
        *([] if drawn or sanitizer else ["the sanitiser"]),
        *([] if also else ["an earlier release of the same records"]),
    ]
    if missing:
        lines.append(
            f"The recipient {'has neither' if len(missing) == 2 else 'does not have'} {' nor '.join(missing)}."
        )
    return lines


def cause_findings(name: str, cause: str, one: Assessment) -> list[Finding]:
    """Return findings about the verdict on one attribute and about attackers that failed."""
    findings = []
    if cause == "utility_reveals":
        text = f"U alone tells more about '{name}' than the budget allows, whatever happens to the rest."
        remedy = f"Leave it out of the release{advice('', ' (--drop-utility)')}, or allow more."
        findings.append(Finding(code="utility_reveals", severity="critical", text=text, remedy=remedy))
    raw = one.result.controls.get("raw")
    left = one.result.leakage
    if raw is not None and (raw.leakage.low or 0.0) > 0 and left.value > LITTLE_REDUCTION * raw.leakage.value:
        share = 100 * left.value / raw.leakage.value
        text = (
            f"About '{name}' the release tells {share:.0f} % of what the same panel reads in the raw data. Little was "
            "taken away."
        )
        remedy = "Hide more, by a smaller budget or another method."
        findings.append(Finding(code="no_reduction", severity="warning", text=text, remedy=remedy))
    nothing = raw is not None and (raw.leakage.low or 0.0) <= 0 and (one.result.leakage_total.low or 0.0) <= 0
    if nothing and name != "joint":
        text = (
            f"Not even the original columns told attackers anything certain about '{name}': there may be nothing to "
            "hide, too few records to see it, or values that stand in the wrong rows."
        )
        findings.append(Finding(code="raw_tells_nothing", severity="warning", text=text))
    whole = one.result.subject_level
    if whole is not None and (whole.leakage.low or 0.0) > (one.result.leakage_total.high or 0.0):
        text = (
            f"All records of one subject together tell {whole.leakage.value:.3f} nat about '{name}', one record "
            f"{one.result.leakage_total.value:.3f} ({whole.rows_per_subject:.1f} records a subject). Neither may "
            "exceed the budget."
        )
        remedy = "Hide more, or share fewer records per subject."
        findings.append(Finding(code="subjects_tell_more", severity="warning", text=text, remedy=remedy))
    for why in sorted({failure.why for failure in one.failures}):
        alike = [failure for failure in one.failures if failure.why == why]
        who = list(dict.fromkeys(failure.member for failure in alike))
        text = (
            f"{', '.join(who)} could not be fitted against '{name}' {on(alike)} in some fold: {why}. Nobody knows what "
            f"{verb(who, 'it', 'they')} would have read, so this release cannot pass. More records may help."
        )
        findings.append(Finding(code=FAILED, severity="warning", text=text))
    return findings
