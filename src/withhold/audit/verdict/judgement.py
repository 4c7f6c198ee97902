"""From what was found about every attribute to verdicts, and to the one statement that is printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from withhold.audit.leakage.assessment import Assessment
from withhold.audit.leakage.gaps import Gaps, joined
from withhold.audit.verdict.contained import Contained
from withhold.audit.verdict.verdict import budget_findings, decide, statement
from withhold.audit.verdict.words import cause_findings
from withhold.contracts.audit_record import SensitiveResult, Verdict
from withhold.contracts.budgets import Budgets
from withhold.contracts.finding import Finding
from withhold.contracts.threats import ImpliedLeakage
from withhold.contracts.wording import together

CERTAIN = "value_implies_s"
SEVERITY: dict[Verdict | None, int] = {None: 0, "pass": 0, "inconclusive": 1, "fail": 2}


@dataclass(frozen=True)
class Judgement:
    """Verdicts on all attributes; `verdict` and `statement` are those of the worst, `decided_by`.

    The last result stands for all of them and takes over a worse verdict.
    """

    results: dict[str, SensitiveResult]
    verdict: Verdict | None
    statement: str
    findings: list[Finding]
    decided_by: str = ""


def judge_all(
    assessments: Mapping[str, Assessment],
    held: Contained,
    named: Sequence[Finding],
    implied: Mapping[str, ImpliedLeakage],
    budgets: Budgets,
    level: float,
    unread: Sequence[str] = (),
    telling: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Decide about every attribute.

    Parameters
    ----------
    assessments : mapping of str to Assessment
        Where there are several attributes the last one is about all of them together.
    held : Contained
        What the file itself holds of S.
    named : sequence of Finding
        What has a name: values that give S away stand in the statement.
    implied : mapping of str to ImpliedLeakage
        What the release must leak by what it keeps.
    unread : sequence of str
        Columns of which a part reached no attacker.
    telling : mapping of str to sequence of str
        Columns that alone tell more than the budget, by attribute.
    """
    results: dict[str, SensitiveResult] = {}
    findings: list[Finding] = []
    certain = any(finding.code == CERTAIN for finding in named)
    alone = list(assessments)[: max(1, len(assessments) - 1)]
    strongest = max(implied.values(), key=lambda proof: (proof.below_bound, proof.leakage.low or 0.0), default=None)
    gaps = {
        name: Gaps(one.failures, tuple(unread), tuple((telling or {}).get(name, ())))
        for name, one in assessments.items()
    }
    said: dict[str, str] = {}
    for name, one in assessments.items():
        # Whoever learns one of several attributes has learned as much about all of them together.
        proof = implied.get(name) if name in implied or name in alone else strongest
        whole = None if one.result.subject_level is None else one.result.subject_level.leakage
        wanting = gaps[name] if name in alone else joined(gaps.values())
        evidence = replace(
            held.evidence(name, one.evidence), certain=certain, implied=proof, subjects=whole, gaps=wanting
        )
        budget = budgets.of(name)
        verdict, cause = decide(evidence, budget)
        called = name if name in alone or len(alone) < 2 else together(alone)
        said[name] = statement(called, evidence, budget, verdict, cause, level) + _unjudged(one.result.unknown, called)
        update = {"verdict": verdict, "cause": cause, "corrected_high": evidence.corrected_high, "budget": budget}
        results[name] = one.result.model_copy(update=update)
        told = cause_findings(name, cause, one)
        if called != name:
            told = [note.model_copy(update={"text": note.text.replace(f"'{name}'", called)}) for note in told]
        findings += told
        findings += budget_findings(called, one.result.entropy, budget)
    if not results:
        return Judgement({}, None, "", findings)
    # Whoever learns too much of one attribute has learned too much of all: an attack on all together may miss it.
    last, by = name, max(reversed(results), key=lambda one: SEVERITY[results[one].verdict])
    decided = results[by]
    results[last] = results[last].model_copy(update={"verdict": decided.verdict, "cause": decided.cause})
    words = said[by]
    if decided.verdict == "pass" and budgets.named and len(results) > 1:
        words += f" Each is within its own budget: {', '.join(f'{one} {budgets.of(one):g}' for one in alone)} nat."
    return Judgement(results, decided.verdict, words, findings, by)


def _unjudged(unknown: int, called: str) -> str:
    """Return a sentence about rows whose attribute nobody knows; "" where there are none."""
    if unknown == 0:
        return ""
    rows = "1 row has" if unknown == 1 else f"{unknown:,} rows have"
    return f" {rows} no known {called}: {'it is' if unknown == 1 else 'they are'} released, not judged."
