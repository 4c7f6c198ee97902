"""The audit of a release: every attack, plant, control, utility and finding, as one record."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Unpack

from withhold.audit import memory
from withhold.audit.alignment import check_orders
from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.beside import GIVEN, NO_MORE, NOTHING_KNOWN, Context, Order, Recipient, Single, grouped
from withhold.audit.design import Design
from withhold.audit.duration import Sizes, announcement, sizes_of, stages_of
from withhold.audit.effort import USUAL, Effort, find_effort, lower_efforts
from withhold.audit.fidelity.fidelity import measure_fidelity
from withhold.audit.findings.scene import Scene
from withhold.audit.findings.survey import SEVERITIES, survey
from withhold.audit.findings.unread import What, partly_read, unread_columns
from withhold.audit.kept.images import compare_images
from withhold.audit.kept.kept import measure_kept
from withhold.audit.leakage.assessment import Assessment, Assessor
from withhold.audit.leakage.attack import Panel
from withhold.audit.leakage.gaps import by_member
from withhold.audit.leakage.material import UTILITY, Material, make_material
from withhold.audit.leakage.parts import Judge
from withhold.audit.leakage.rare_classes import attackable
from withhold.audit.leakage.row_order import NAME as ORDER
from withhold.audit.people.exposure import exposure_table
from withhold.audit.people.threats import measure_threats
from withhold.audit.planning.learning_cost import power_of_rows, shares_of
from withhold.audit.planning.outlook import judged_attribute
from withhold.audit.planning.undecided import undecided
from withhold.audit.request import Request, cap_rows, make_design, parts_of, read_request, splits_of
from withhold.audit.stages import COLUMNS, COMPARING, KEPT, PEOPLE
from withhold.audit.verdict.behind import behind_findings
from withhold.audit.verdict.contained import contained
from withhold.audit.verdict.implied import implied_findings, measure_implied
from withhold.audit.verdict.judgement import Judgement, judge_all
from withhold.audit.verdict.promise import promised
from withhold.audit.verdict.words import threat_model
from withhold.audit.view.words import has_words
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.budgets import JOINT, Budgets
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_names
from withhold.contracts.quantity import check_level
from withhold.contracts.seeds import root, stream
from withhold.contracts.timetable import begin, expect
from withhold.contracts.wording import together
from withhold.data.attribute import Attributes
from withhold.data.frames import to_frame

NOTHING_NAMED = "No attribute was named as sensitive, so none was attacked: linkage and what was kept are measured."
logger = logging.getLogger("withhold.audit")


def audit_release(
    release: Any,
    *,
    sensitive_features: Any,
    utility: Any = None,
    groups: Any = None,
    original: Any = None,
    fit_rows: Any = None,
    makers: Any = None,
    sensitive_kinds: Mapping[str, str] | None = None,
    budget: float | Mapping[str, float] | Budgets | None = None,
    effort: str = USUAL,
    attackers: Sequence[str] | None = None,
    random_state: int | None = 0,
    level: float = 0.95,
    progress: Callable[[str], None] | None = None,
    recipient: Recipient = NO_MORE,
    order: Order = GIVEN,
    context: Context = NOTHING_KNOWN,
    **single: Unpack[Single],
) -> AuditRecord:
    """Attack a release and say what was learned about the sensitive attributes.

    Parameters
    ----------
    release : DataFrame, Table, ndarray or Tensor
        What the recipient gets; arrays of three or four dimensions are images.
    sensitive_features : str, list of str, array or DataFrame, or None
        Column name(s) of the release (taken out of what is attacked; as the release then contains S, the verdict is
        never "pass") or of `original`, or the values. None for a release that hides no attribute in particular.
    utility : str, list of str, array or DataFrame, optional
        What the release is for.
    groups : str or array, optional
        Subject of each row; subjects are never divided between training and scoring.
    original : DataFrame, Table, ndarray or Tensor, optional
        The data before sanitising, row for row.
    fit_rows : array of bool, optional
        Rows the sanitiser was fitted on; both parts are judged and the worse one counts.
    makers : array of int, optional
        Of a cross-fitted release: which of the sanitisers released each row, none of which had seen it. Intervals then
        allow for what the rows of one share.
    sensitive_kinds : mapping of str to {"categorical", "continuous"}, optional
        Kinds that the types do not tell.
    budget : float or mapping of str to float, optional
        Most nats that attackers may learn: of each attribute and of all together; or by attribute, where "joint" is all
        together, by default the sum. The worst attribute decides.
    effort : {"quick", "standard", "thorough"}, default="standard"
        How hard the attackers try.
    attackers : sequence of str, optional
        The panel by name, or extras with a leading "+".
    random_state : int or None, default=0
        Seed.
    level : float, default=0.95
        Coverage of intervals, jointly over the panel.
    progress : callable, optional
        Told in words what is being done.
    recipient : Recipient, optional
        What a recipient holds or can compute beside the release.
    order : Order, optional
        What ties S to the rows.
    context : Context, optional
        What the caller knows of the release, for the record.
    **single
        Fields of these three may be given by themselves: `utility_in_release`, `set_aside`, `also`, `surfaces`,
        `redrawn`, `hypothetical`, `recipient_has_sanitizer`, `alignment`, `alignment_controls`, `also_by_position`,
        `exposure`, `splits_source`.

    Returns
    -------
    AuditRecord

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(0, 2, 400)
    >>> z = np.column_stack([s + 0.1 * rng.standard_normal(400), rng.standard_normal(400)])
    >>> audit_release(z, sensitive_features=s, budget=0.05, effort="quick").verdict
    'fail'
    """
    started = time.process_time()
    knobs = find_effort(effort)
    budgets = Budgets.read(budget)
    check_level(level)
    seed = root(random_state)
    tell = progress or logger.info
    recipient, order, context = grouped(recipient, order, context, single)
    request = read_request(
        release, sensitive_features, utility, groups, original, fit_rows, sensitive_kinds, recipient, makers
    )
    whole = request
    request, findings = cap_rows(request, knobs, seed)
    held = contained(request, recipient.utility_in_release)
    findings += held.findings()
    request, notes = _attackable(request)
    findings += notes
    budgets.check(request.sensitive.names)
    design = make_design(request, knobs, seed)
    judge = Judge(level, seed, request.groups, parts_of(request), request.makers)
    material = make_material(request, recipient.utility_in_release)
    panel = Panel(choose_panel(attackers, _beside_columns(request, material)), list(all_score_attackers().values()))
    _announce(sizes_of(request, material, panel.names()), knobs, tell)
    lower = [make_design(request, one, seed) for one in lower_efforts(knobs)]
    assessor = Assessor(material, panel, design, judge, budgets, tell, lower)
    given = order.alignment_controls
    controls = request.original if given is None else to_frame(given, "controls").table
    versions = {name: table for name, table in (recipient.also or {}).items() if name in order.also_by_position}
    aligned, notes = check_orders(request.release, (order.alignment, controls), versions, seed)
    findings += notes

    begin(KEPT)
    kept = measure_kept(request, material, design, tell)
    assessments = _assess_all(request.sensitive, assessor, aligned, findings)
    if context.exposure is not None:
        context.exposure(exposure_table({name: one.found for name, one in assessments.items()}, request.rows))
    begin(PEOPLE)
    threats = measure_threats(request, panel, design, level, tell)
    threats = threats.with_latent(recipient.latent, whole.groups, seed, level)
    findings += threats.findings()
    begin(COMPARING)
    fidelity = None
    if request.shared is not None:
        tell("comparing distributions and relations with the original")
        fidelity = measure_fidelity(
            *request.shared,
            stream(seed, "audit", "fidelity"),
            trained_rows=knobs.transfer_rows,
            targets=knobs.predicted_columns,
            utility=request.utility.names,
            groups=request.groups,
            unseen=None if request.fit_rows is None or request.fit_rows.all() else ~request.fit_rows,
        )
    begin(COLUMNS)
    tell(COLUMNS)
    scene = Scene.of(
        request.release,
        list(request.sensitive),
        design.fold,
        stream(seed, "audit", "survey"),
        request.original,
        request.fit_rows,
        kept.mean_retention,
        request.groups,
        list(request.utility),
        budgets,
        fidelity,
    )
    named = survey(scene)
    unread = _unread(request, material, {member.inputs for member in panel.classes})
    implied = measure_implied(request, kept, assessments, level, seed)
    judged = judge_all(assessments, held, named.findings, implied, budgets, level, list(unread), named.telling)
    judged = _with_rows(judged, request, material, panel, design, level, tell, context)
    findings += judged.findings + partly_read(unread) + named.findings + implied_findings(implied)
    anyone = promised(context.promise, judged.results)
    findings += [*anyone.findings, *behind_findings(judged.results, recipient.behind), *context.known()]
    return AuditRecord(
        verdict=judged.verdict,
        claim=anyone.claim,
        statement=judged.statement or anyone.statement or NOTHING_NAMED,
        title=context.title,
        release=context.release,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        budget=budgets.least,
        decided_by=judged.decided_by,
        n=request.n,
        level=level,
        panel=_tried(panel, assessments),
        failed=by_member(failure for one in assessments.values() for failure in one.failures),
        effort=effort,
        splits=splits_of(request, design, context.splits_source),
        sensitive=judged.results,
        utility=context.with_transfer(kept.utility),
        columns=kept.columns,
        mean_retention=kept.mean_retention,
        mean_own_information=kept.mean_own_information,
        effective_rank=kept.effective_rank,
        fairness=kept.fairness,
        linkage=threats.linkage,
        membership=threats.membership,
        flow_membership=context.flow_membership,
        drift=list(context.drift),
        images=compare_images(whole.release, whole.original, (*whole.sensitive, *whole.utility), whole.groups),
        implied=implied,
        fidelity=fidelity,
        findings=sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)),
        threat_model=[
            *threat_model(request, recipient.utility_in_release, recipient.recipient_has_sanitizer),
            *context.threats,
        ],
        utility_in_release=recipient.utility_in_release and len(request.utility) > 0,
        seed=seed,
        seconds=round(time.process_time() - started, 2),
    )


def _with_rows(
    judged: Judgement,
    request: Request,
    material: Material,
    panel: Panel,
    design: Design,
    level: float,
    tell: Callable[[str], None],
    context: Context,
) -> Judgement:
    """Say how many rows would decide and which budget these can, wherever they could not, or were not asked to."""
    name = judged.decided_by
    budget = judged.results[name].budget if name else None
    undecided_yet = judged.verdict == "inconclusive" and budget is not None
    if not name or not (undecided_yet or (judged.verdict is None and context.planned)):
        return judged
    tell("working out how many rows would decide" if budget is not None else "working out what these rows can decide")
    result, view, attribute = (
        judged.results[name],
        material.total_view or material.view,
        next((one for one in request.sensitive if one.name == name), None) or judged_attribute(request.sensitive),
    )
    power = power_of_rows(request, view, attribute, panel, design.effort, level, design.seed)
    told = replace(
        power, told=result.leakage_total.value, parts=shares_of(request.fit_rows), makers=request.sanitizers or 1
    )
    result, words = undecided(result, told, int(attribute.known.sum()), budget, context.folds)
    return replace(judged, results={**judged.results, name: result}, statement=f"{judged.statement} {words}")


def _announce(sizes: Sizes, effort: Effort, tell: Callable[[str], None]) -> None:
    """Say what the audit will take, and whether the machine has it."""
    stages, expected = stages_of(sizes, effort), memory.announced_bytes(sizes, effort)
    expect(stages)
    tell(announcement(stages, memory.in_words(expected)))
    warning = memory.shortage(expected, memory.resident(), memory.free(), effort)
    if warning:
        tell(warning)


def _beside_columns(request: Request, material: Material) -> list[str]:
    """Return what the recipient gets that is read apart from columns: images, words, links, relations."""
    tables = [request.release, *(surface.table for surface in request.surfaces)]
    views = (material.view, material.total_view, material.original_view)
    found = {
        "images": bool(image_names(request.release)),
        "words": any(has_words(table) for table in tables),
        "links": material.view.links is not None,
        "relations": any(view is not None and view.relations is not None for view in views),
    }
    return [kind for kind, there in found.items() if there]


def _tried(panel: Panel, assessments: Mapping[str, Assessment]) -> list[str]:
    """Return who attacked in every fold: the panel, and the order of rows where S has classes."""
    ordered = any(name.split(" ")[0] == ORDER for one in assessments.values() for name in one.result.attackers)
    failed = {failure.member for one in assessments.values() for failure in one.failures}
    return [name for name in panel.names() + ([ORDER] if ordered else []) if name not in failed]


def _unread(request: Request, material: Material, read: Collection[str]) -> dict[str, What]:
    """Return what reached no attacker of everything that is handed over and attacked."""
    tables = [*(one.table for one in material.surfaces if one.counts and not one.draws), request.release]
    tables += [] if material.utility is None else [material.utility]
    found = {name: what for table in tables for name, what in unread_columns(table, request.groups, read).items()}
    return {name.removeprefix(UTILITY): what for name, what in found.items()}


def _attackable(request: Request) -> tuple[Request, list[Finding]]:
    prepared = [attackable(attribute) for attribute in request.sensitive]
    attributes = Attributes(tuple(ready for ready, _ in prepared))
    return replace(request, sensitive=attributes), [note for _, notes in prepared for note in notes]


def _assess_all(
    sensitive: Attributes, assessor: Assessor, aligned: bool, findings: list[Finding]
) -> dict[str, Assessment]:
    joint = sensitive.joint() if len(sensitive) > 1 else None
    chained = len(sensitive) > 1 and joint is None
    assessments = {a.name: assessor.assess(a, aligned, len(sensitive) == 1, chained) for a in sensitive}
    if len(sensitive) > 1:
        if joint is None:
            assessments[JOINT] = assessor.assess_chain(sensitive, list(assessments.values()), aligned)
        else:
            ready, notes = attackable(replace(joint, name=JOINT))
            named = f"'{JOINT}'", together(sensitive.names)
            findings += [note.model_copy(update={"text": note.text.replace(*named), "column": None}) for note in notes]
            assessments[JOINT] = assessor.assess(ready, aligned)
    return assessments
