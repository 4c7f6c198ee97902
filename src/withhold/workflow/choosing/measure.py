"""What a release tells of S and keeps, read by a small fixed panel: the audit's own attacks, at its lowest effort."""

from dataclasses import dataclass, field, replace

import pyarrow as pa

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.beside import Recipient
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS, LEAST
from withhold.audit.kept.kept import measure_kept
from withhold.audit.leakage.attack import Panel, attack, attack_chain
from withhold.audit.leakage.controls import utility_alone
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.material import Material, make_material
from withhold.audit.leakage.parts import Judge
from withhold.audit.leakage.rare_classes import attackable
from withhold.audit.request import Request, cap_rows, make_design, parts_of, read_request
from withhold.audit.view.view import AttackView
from withhold.contracts.quantity import Quantity
from withhold.data.attribute import Attributes
from withhold.workflow.job import Job
from withhold.workflow.release import assemble

# Who reads a trial: one of each way to read, so that no kind of release is looked at by nobody; the audit of what is
# released at last has all.
READERS = (
    "logistic", "boosting", "mlp", "cnn", "words", "linear_gaussian", "boosted_gaussian"
)  # fmt: skip
# Rows that are measured: the interval of a mean over so many is narrower than any budget that is asked for.
MOST_ROWS = 30_000
LEVEL = 0.95


@dataclass(frozen=True)
class Measured:
    """What a release tells and keeps: see `withhold.contracts.choice_record.TrialRecord`.

    `columns` and `codes` are those of the release as attackers read it, for what an audit costs.
    """

    leakage: Quantity | None = None
    each: dict[str, Quantity] = field(default_factory=dict)
    utility: dict[str, float] = field(default_factory=dict)
    retention: float | None = None
    columns: int = 0
    codes: int = 0


def measure(job: Job, features: pa.Table, most_rows: int = MOST_ROWS) -> Measured:
    """Measure a release of a job's rows.

    Attackers learn from all rows and are scored on rows that they did not learn from; rows that were fitted and others
    are judged apart, the worse counts. Utility is measured on rows that were not fitted.

    Parameters
    ----------
    job : Job
        About the rows of the release.
    features : pyarrow.Table
        What is released of each, without utility attributes.
    most_rows : int
        A random part of longer releases is measured, whole subjects.
    """
    asked = job.request
    handed_over = bool(job.roles.utility) and not asked.drop_utility
    request = _request(job, features, handed_over)
    effort = replace(EFFORTS[LEAST], most_rows=most_rows)
    request, _ = cap_rows(request, effort, asked.seed)
    request = replace(request, sensitive=Attributes(tuple(attackable(one)[0] for one in request.sensitive)))
    design = make_design(request, effort, asked.seed)
    # Columns of the original are compared with the release and not attacked: a view of them would be the dearest part.
    material = make_material(replace(request, original=None), handed_over)
    judge = Judge(LEVEL, asked.seed, request.groups, parts_of(request))

    def told(attributes: Attributes) -> Quantity | None:
        return judge.worst(judge.read(_attacked(replace(request, sensitive=attributes), material, design)))

    leakage = told(request.sensitive) if len(request.sensitive) else None
    apart = job.own_budgets if leakage is not None else {}
    each = {one.name: found for one in request.sensitive if one.name in apart and (found := told(Attributes((one,))))}
    kept = measure_kept(request, material, design, lambda text: None)
    scores = {name: result.score.release for name, result in kept.utility.items()}
    view = material.view
    return Measured(leakage, each, scores, kept.mean_retention, view.dense.shape[1], view.ordinal.shape[1])


def _request(job: Job, features: pa.Table, handed_over: bool) -> Request:
    table, roles = job.table, job.roles
    return read_request(
        assemble(features, table, roles, drop_utility=not handed_over),
        job.attributes if len(job.attributes) else None,
        job.useful if len(job.useful) else None,
        job.groups,
        table.select(list(roles.features)),
        job.parts.fit,
        None,
        Recipient(utility_in_release=handed_over),
    )


def _attacked(request: Request, material: Material, design: Design) -> LogRatios:
    """Attack all attributes together in the release, and with the utility attributes where they are handed over."""
    view, table = material.total_view or material.view, material.release
    panel = _panel(view)
    joint = request.sensitive.joint()
    if joint is None:
        if material.utility is not None:
            for name in material.utility.column_names:
                table = table.append_column(f"\x00{name}", material.utility.column(name))
        return attack_chain(table, request.sensitive, panel, panel, design, "trial")
    judged = joint if len(request.sensitive) == 1 else attackable(joint)[0]
    found = attack(view, judged, panel, design, "trial")
    if material.utility is None:
        return found
    # U alone is read better without the columns beside it.
    return found.with_columns(utility_alone(material.utility, judged, panel, design), " (utility only)")


def _panel(view: AttackView) -> Panel:
    there = [kind for kind in ("images", "words") if getattr(view, kind) is not None]
    return Panel(choose_panel(None, there), list(all_score_attackers().values())).only(*READERS)
