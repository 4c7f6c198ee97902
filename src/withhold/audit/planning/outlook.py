"""Foretold before anything is fitted: what the original and U alone tell, and what an audit of the rows can see."""

from dataclasses import dataclass, replace

import numpy as np

from withhold.audit.effort import Effort, find_effort
from withhold.audit.leakage.parts import Judge
from withhold.audit.leakage.rare_classes import attackable
from withhold.audit.planning.learning_cost import MOST_PLANTED, power_of_rows, shares_of
from withhold.audit.planning.power import Power
from withhold.audit.planning.telling import Reader, cheap, utility_tells, whole_panel
from withhold.audit.request import Request, cap_rows, make_design
from withhold.audit.view.reading import read_columns
from withhold.audit.view.view import AttackView
from withhold.contracts.budgets import JOINT
from withhold.contracts.plan_record import RawTold
from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import root
from withhold.data.attribute import Attribute, Attributes
from withhold.training.session import one_thread

# Rows that columns are read on: more say little more of a column, and cost minutes.
MOST_READ = 20_000


@dataclass(frozen=True)
class Outlook:
    """What was foretold.

    Attributes
    ----------
    utility : Quantity or None
        What U alone tells of all attributes together; None without U.
    power : Power
        Where nothing is told beyond U.
    judged : Attribute
        All sensitive attributes together, or the one with most classes where they have no joint.
    rows : int
        Rows with a known attribute that the effort judges.
    columns, codes : int
        Of the original as attackers read it, for what an audit costs.
    """

    raw: dict[str, RawTold]
    utility: Quantity | None
    power: Power
    judged: Attribute
    rows: int
    columns: int
    codes: int


def foretell(
    request: Request,
    effort_name: str,
    *,
    utility_in_release: bool = True,
    read_raw: bool = True,
    level: float = 0.95,
    random_state: int | None = 0,
) -> Outlook:
    """Say what an audit of these rows will be able to see, and what the original tells; nothing is released.

    Parameters
    ----------
    request : Request
        An audit of the original itself: its columns as the release, S, U, subjects and parts.
    effort_name : {"quick", "standard", "thorough"}
    utility_in_release : bool
        Whether the recipient gets U.
    read_raw : bool
        Whether the original columns are read; without it `raw` is empty, and it takes seconds.
    """
    effort, seed = find_effort(effort_name), root(random_state)
    request = replace(request, sensitive=Attributes(tuple(attackable(one)[0] for one in request.sensitive)))
    request, _ = cap_rows(request, effort, seed)
    judged = judged_attribute(request.sensitive)
    with one_thread():
        told = utility_tells(request, judged, level, seed) if len(request.utility) else None
        raw = _raw(request, effort, level, seed) if read_raw else {}
        few, _ = cap_rows(request, replace(effort, most_rows=MOST_PLANTED), seed)  # whether or not columns are read
        view = AttackView.fit(few.release)
        power = power_of_rows(few, view, judged_attribute(few.sensitive), whole_panel(view), effort, level, seed)
    if told is not None and utility_in_release:
        power = replace(power, told=told.value)
    power = replace(power, parts=shares_of(request.fit_rows), makers=request.sanitizers or 1)
    rows = int(judged.known.sum())
    return Outlook(raw, told, power, judged, rows, view.dense.shape[1], view.ordinal.shape[1])


def judged_attribute(sensitive: Attributes) -> Attribute:
    """Return all attributes together; where they have no joint, the one with most classes, or the first number."""
    joint = sensitive.joint()
    if joint is None:
        return max(sensitive, key=lambda one: one.n_classes)
    return joint if len(sensitive) == 1 else attackable(joint)[0]


def _raw(request: Request, effort: Effort, level: float, seed: int) -> dict[str, RawTold]:
    request, _ = cap_rows(request, replace(effort, most_rows=MOST_READ), seed)
    design = cheap(make_design(request, effort, seed))
    judge = Judge(level, seed, request.groups, {"all": np.ones(request.n, bool)})
    reader = Reader(AttackView.fit(request.release), tuple(read_columns(request.release)), design, judge)
    told = {attribute.name: reader.read(attribute) for attribute in request.sensitive}
    joint = request.sensitive.joint() if len(request.sensitive) > 1 else None
    if joint is not None:  # whose budget is judged too
        told[JOINT] = reader.read(attackable(joint)[0], each=False)
    return told
