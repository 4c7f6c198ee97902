"""The audit of a release: every attack, plant, control, utility and finding, as one record."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from withhold.audit.alignment import Alignment, check_alignment
from withhold.audit.assessment import Assessment, Assessor, Material
from withhold.audit.attack import Panel
from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.contained import contained
from withhold.audit.crossfit import Design, one_thread
from withhold.audit.effort import find_effort
from withhold.audit.findings.survey import SEVERITIES, survey
from withhold.audit.kept import measure_kept
from withhold.audit.leakage import Judge
from withhold.audit.planning import cap_rows, estimate_seconds, make_design
from withhold.audit.request import Request, attribute_table, read_request
from withhold.audit.sensitive import attackable
from withhold.audit.verdict import budget_findings, decide, statement
from withhold.audit.view import AttackView
from withhold.audit.words import cause_findings, threat_model
from withhold.contracts.audit_record import AuditRecord, SensitiveResult, Splits
from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.contracts.finding import Finding
from withhold.contracts.seeds import root, stream
from withhold.data.attribute import Attributes
from withhold.data.frames import to_frame

SplitsSource = Literal["none", "run", "file", "column", "test_file"]

JOINT = "joint"
logger = logging.getLogger("withhold.audit")


def audit_release(
    release: Any,
    *,
    sensitive_features: Any,
    utility: Any = None,
    groups: Any = None,
    original: Any = None,
    fit_rows: Any = None,
    sensitive_kinds: Mapping[str, str] | None = None,
    budget: float | None = None,
    effort: str = "standard",
    attackers: Sequence[str] | None = None,
    utility_in_release: bool = True,
    alignment: str = "given",
    alignment_controls: Any = None,
    set_aside: Any = None,
    splits_source: SplitsSource = "none",
    random_state: int | None = 0,
    level: float = 0.95,
    progress: Callable[[str], None] | None = None,
) -> AuditRecord:
    """Attack a release and say what was learned about the sensitive attributes.

    Parameters
    ----------
    release : DataFrame, Table, ndarray or Tensor
        What the recipient gets.
    sensitive_features : str, list of str, array or DataFrame
        Column name(s) of the release (taken out of what is attacked; as the release then contains S, the verdict is
        never "pass") or of `original`, or the values.
    utility : str, list of str, array or DataFrame, optional
        What the release is for.
    groups : str or array, optional
        Subject of each row; subjects are never divided between training and scoring.
    original : DataFrame, Table, ndarray or Tensor, optional
        The data before sanitising, row for row.
    fit_rows : array of bool, optional
        Rows the sanitiser was fitted on; both parts are judged and the worse one counts.
    sensitive_kinds : mapping of str to {"categorical", "continuous"}, optional
        Kinds that the types do not tell.
    budget : float, optional
        Most nats that attackers may learn.
    effort : {"quick", "standard", "thorough"}, default="standard"
        How hard the attackers try.
    attackers : sequence of str, optional
        The panel by name, or extras with a leading "+".
    utility_in_release : bool, default=True
        Whether the recipient gets the utility attributes too.
    alignment : {"given", "key", "rows"}, default="given"
        How S was matched to the rows: same table, by key, or only by position ("rows"), which must be proven.
    alignment_controls : DataFrame or Table, optional
        With "rows": other columns of the table that S came from, in its order, without S. The release must predict
        them; default: the columns of `original`.
    set_aside : DataFrame or Table, optional
        Columns that are handed over too but not attacked, such as subjects; copies of S among them are found.
    splits_source : str, default="none"
        Where `fit_rows` came from, for the record.
    random_state : int or None, default=0
        Seed.
    level : float, default=0.95
        Coverage of intervals, jointly over the panel.
    progress : callable, optional
        Told in words what is being done.

    Returns
    -------
    AuditRecord

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(0, 2, 400)
    >>> z = np.column_stack([s + 0.1 * rng.standard_normal(400), rng.standard_normal(400)])
    >>> audit_release(z, sensitive_features=s, budget=0.05, effort="quick").verdict
    'fail'
    """
    started = time.process_time()
    knobs = find_effort(effort)
    _check_numbers(budget, level)
    seed = root(random_state)
    tell = progress or logger.info
    request = read_request(release, sensitive_features, utility, groups, original, fit_rows, sensitive_kinds, set_aside)
    panel = Panel(choose_panel(attackers), list(all_score_attackers().values()))
    request, findings = cap_rows(request, knobs, seed)
    held = contained(request, utility_in_release)
    findings += held.findings()
    prepared = []
    for attribute in request.sensitive:
        ready, notes = attackable(attribute)
        prepared.append(ready)
        findings += notes
    request = replace(request, sensitive=Attributes(tuple(prepared)))
    design = make_design(request, knobs, seed)
    judge = Judge(level, seed, request.groups, _parts(request))
    material = _material(request, utility_in_release)
    attacks = (1 if material.total_view is None else 2) * len(request.sensitive)
    seconds = estimate_seconds(request.n, material.view.dense.shape[1], attacks, knobs)
    tell(f"about {_words(seconds)} of one processor core ({effort} effort)")
    assessor = Assessor(material, panel, design, judge, budget, tell)
    aligned = True
    if alignment == "rows":
        order = _alignment(request, alignment_controls, seed)
        aligned = order.proven
        findings += order.findings()

    kept = measure_kept(request, material, design, tell)
    assessments = _assess_all(request.sensitive, assessor, aligned, findings)
    decided = next(reversed(assessments))
    results: dict[str, SensitiveResult] = {}
    for name, one in assessments.items():
        evidence = held.evidence(name, one.evidence)
        verdict, cause = decide(evidence, budget)
        results[name] = one.result.model_copy(update={"verdict": verdict, "corrected_high": evidence.corrected_high})
        findings += cause_findings(name, cause, one)
        findings += budget_findings(name, one.result.entropy, budget)
        if name == decided:
            words = statement(name, evidence, budget, verdict, cause, level)
    tell("looking for what has a name")
    findings += survey(
        request.release,
        list(request.sensitive),
        design.fold,
        stream(seed, "audit", "survey"),
        request.original,
        request.fit_rows,
        kept.mean_retention,
    )
    return AuditRecord(
        verdict=results[decided].verdict,
        statement=words,
        budget=budget,
        n=request.n,
        level=level,
        panel=panel.names(),
        effort=effort,
        splits=_splits(request, design, splits_source),
        sensitive=results,
        utility=kept.utility,
        columns=kept.columns,
        mean_retention=kept.mean_retention,
        mean_own_information=kept.mean_own_information,
        fairness=kept.fairness,
        findings=sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)),
        threat_model=threat_model(request, utility_in_release),
        utility_in_release=utility_in_release and len(request.utility) > 0,
        seed=seed,
        seconds=round(time.process_time() - started, 2),
    )


def _assess_all(
    sensitive: Attributes, assessor: Assessor, aligned: bool, findings: list[Finding]
) -> dict[str, Assessment]:
    assessments = {a.name: assessor.assess(a, aligned, limit=len(sensitive) == 1) for a in sensitive}
    if len(sensitive) > 1:
        joint = sensitive.joint()
        if joint is None:
            assessments[JOINT] = assessor.assess_chain(sensitive, list(assessments.values()), aligned)
        else:
            ready, notes = attackable(replace(joint, name=JOINT))
            findings += notes
            assessments[JOINT] = assessor.assess(ready, aligned)
    return assessments


def _material(request: Request, utility_in_release: bool) -> Material:
    utility = attribute_table(request.utility) if len(request.utility) and utility_in_release else None
    total = None
    if utility is not None:
        both = request.release
        for name in utility.column_names:
            both = both.append_column(f"\x00utility {name}", utility.column(name))
        total = AttackView.fit(both)
    return Material(
        request.release,
        utility,
        AttackView.fit(request.release),
        total,
        None if request.original is None else AttackView.fit(request.original),
        request.utility[0] if len(request.utility) else None,
        request.fit_rows,
    )


def _alignment(request: Request, controls: Any, seed: int) -> Alignment:
    table = request.original if controls is None else to_frame(controls, "alignment_controls").table
    with one_thread():
        return check_alignment(request.release, table, stream(seed, "audit", "alignment"))


def _parts(request: Request) -> dict[str, np.ndarray]:
    if request.fit_rows is None:
        return {"audit": np.ones(request.n, bool)}
    return {name: mask for name, mask in (("fit", request.fit_rows), ("audit", ~request.fit_rows)) if mask.any()}


def _splits(request: Request, design: Design, source: SplitsSource) -> Splits:
    fit = None if request.fit_rows is None else int(request.fit_rows.sum())
    subjects = None if request.groups is None else len(np.unique(request.groups))
    return Splits(fit=fit, audit=request.n - (fit or 0), folds=len(design.scored_folds), groups=subjects, source=source)


def _check_numbers(budget: float | None, level: float) -> None:
    if budget is not None and not (np.isfinite(budget) and budget >= 0):
        raise InvalidParameterError(
            sentence(
                "The 'budget' parameter of audit_release",
                "a float >= 0 or None",
                repr(budget),
                "It is the most nats that attackers may learn.",
                "Pass 0.05, or leave it out.",
            )
        )
    if not 0.5 <= level < 1.0:
        raise InvalidParameterError(
            sentence(
                "The 'level' parameter of audit_release",
                "a float in [0.5, 1)",
                repr(level),
                "It is the coverage of the intervals.",
                "Pass 0.95.",
            )
        )


def _words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
