"""What holds against any attacker whatever: the promise of differential privacy, said beside what attackers found."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from withhold.audit.beside import Promise
from withhold.contracts.audit_record import Claim, SensitiveResult
from withhold.contracts.finding import Finding, Severity
from withhold.contracts.rounding import rounded_up

# What an attribute with two values holds at most, in nats.
YES_OR_NO = math.log(2)


@dataclass(frozen=True)
class Promised:
    """What of a promise goes into the record: whom the verdict is about, a statement where it is all, findings."""

    claim: Claim = "tested_attackers"
    statement: str = ""
    findings: tuple[Finding, ...] = ()


def promised(promise: Promise | None, results: Mapping[str, SensitiveResult]) -> Promised:
    """Say what holds against any attacker, and claim it where that is what the record is about.

    Outputs for two records are at most epsilon apart in log-probability, so that of any attribute of the record no more
    than epsilon tanh(epsilon / 2) nats are told beyond what is released beside it, and never more than it holds.

    Parameters
    ----------
    results : mapping of str to SensitiveResult
        What attackers found of each attribute; empty where none was named.
    """
    terms = None if promise is None else promise.guarantee.privacy
    if promise is None or terms is None:
        return Promised()
    guarantee, row_epsilon, named = promise.guarantee, promise.row_epsilon, promise.named
    statement, notes, epsilon = guarantee.claim, list[Finding](), rounded_up(terms.epsilon, 4)
    one, counted = ("a person", "") if named else ("a record", " (without --key rows of equal values count as one)")
    if row_epsilon is not None:
        again = (
            f"One row in one release costs epsilon {rounded_up(row_epsilon, 4)}, but some records of this ledger were "
            f"released before or stand in a release more than once{counted}: together they have cost up to epsilon "
            f"{epsilon}, and that is what holds for them."
        )
        notes.append(Finding(code="released_again", severity="critical" if named else "warning", text=again))
        statement = f"{again} {guarantee.claim}"
    if terms.notion == "pure":
        most = terms.epsilon * math.tanh(terms.epsilon / 2)
        held = {  # of a number H(S) hangs on the bins
            name: result.entropy
            for name, result in results.items()
            if name != "joint" and result.conditional_entropy_ratio is not None
        }
        whole = [name for name, entropy in held.items() if entropy <= most]
        vacuous = bool(whole) if held else most > YES_OR_NO
        told = ", ".join(f"{rounded_up(min(most, entropy), 3)} nat about '{name}'" for name, entropy in held.items())
        beyond = f"what is released beside it{f' ({told})' if told else ''}"
        over = ", over all rows and releases in the ledger" if row_epsilon is not None else ""
        text = (
            f"No attacker whatever learns more than {rounded_up(most, 3)} nat about any attribute of {one} beyond "
            f"{beyond}: differential privacy with epsilon {epsilon}{over}, if its assumptions hold. "
        )
        if vacuous:
            what = " and ".join(f"'{name}'" for name in whole) or "an attribute with two values"
            text += f"That is as much as there is to learn about {what}: it is not protected. "
        if not named:
            text += "A person with several rows that differ is protected less: name persons with --key COL. "
        text += "Later releases, and those that the ledger does not know, add to it."
        severity: Severity = "warning" if vacuous else "info"
        notes.append(Finding(code="bounded_for_any_attacker", severity=severity, text=text))
    return Promised(findings=tuple(notes)) if results else Promised("any_attacker", statement, tuple(notes))
