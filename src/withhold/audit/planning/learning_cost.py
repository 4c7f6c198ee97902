"""What attackers lose for having to learn: a few leaks planted beside permuted S in the columns that there are."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from withhold.audit.design import Design
from withhold.audit.effort import Effort
from withhold.audit.leakage.attack import Panel
from withhold.audit.leakage.canaries.registry import all_forms
from withhold.audit.leakage.detection import SMALLEST_SIZE, Planter
from withhold.audit.leakage.parts import Judge
from withhold.audit.planning.law import Law
from withhold.audit.planning.power import Power
from withhold.audit.request import Request, make_design
from withhold.audit.view.view import AttackView
from withhold.contracts.audit_record import PlantForm
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute
from withhold.training.session import one_thread

# Leaks are planted among so many rows, fewer where rows times columns times classes exceed what takes seconds, but not
# fewer than the last number: what is lost for learning falls as one over the rows.
MOST_PLANTED, MOST_ENTRIES, FEWEST_PLANTED = 10_000, 1_000_000, 1_200
# Leaks of nearly the same size, of which the mean loss is taken: one varies by a half. One leak of each form says where
# the limit is likely to be.
NEAR = (0.9, 1.0, 1.1)
# The loss is read off leaks about as large as the limit that follows from it, within this factor: of much smaller ones
# more is lost than the formula has. So often a form is read again, each time of leaks half or twice as large at most.
LIKE, AGAIN = 1.5, 4


def power_of_rows(
    request: Request, view: AttackView, attribute: Attribute, panel: Panel, effort: Effort, level: float, seed: int
) -> Power:
    """Return what an audit of rows like these can find, measured on as many of them as take seconds.

    Parameters
    ----------
    request : Request
        Whose rows they are.
    view : AttackView
        Its columns, as attackers read them.
    attribute : Attribute
        S, for the rows of the request.

    Returns
    -------
    Power
        Of rows judged in the parts of the request.
    """
    few = np.arange(request.n)
    each = view.dense.shape[1] * max(1, attribute.n_classes - 1)
    most = int(np.clip(MOST_ENTRIES / max(1, each), FEWEST_PLANTED, MOST_PLANTED))
    if request.n > most:
        units = few if request.groups is None else np.unique(request.groups, return_inverse=True)[1]
        order = stream(seed, "audit", "planted").permutation(units.max() + 1)
        few = np.flatnonzero(np.isin(units, order[: max(2, len(order) * most // request.n)]))
    words = None if view.words is None else view.words[few]
    relations = None if view.relations is None else view.relations[few]
    part = replace(
        view,
        dense=view.dense[few],
        ordinal=view.ordinal[few],
        images=None,
        words=words,
        links=None,
        relations=relations,
    )
    taken = replace(request, surfaces=(), original=None, set_aside=None, keys=None).take(few)
    return measure_power(
        part, attribute.take(few), panel, make_design(taken, effort, seed), shares_of(taken.fit_rows), level
    )


def shares_of(fit_rows: NDArray[np.bool_] | None) -> tuple[float, ...]:
    """Return the shares of the rows that are judged apart.

    Examples
    --------
    >>> shares_of(np.array([True, True, True, False])), shares_of(None)
    ((0.75, 0.25), (1.0,))
    """
    if fit_rows is None or fit_rows.all() or not fit_rows.any():
        return (1.0,)
    return float(fit_rows.mean()), float(1.0 - fit_rows.mean())


def measure_power(
    view: AttackView,
    attribute: Attribute,
    panel: Panel,
    design: Design,
    parts: tuple[float, ...],
    level: float = 0.95,
) -> Power:
    """Return what an audit of rows like these can find.

    Leaks are planted in the columns as they are and looked for by the attackers of the audit, on all folds: what they
    read tells how much they lose for having learned from so many rows, and that shrinks as rows grow.

    Parameters
    ----------
    view : AttackView
        The columns, as attackers read them.
    attribute : Attribute
        S.
    design : Design
        Its rows are those of the view.
    parts : tuple of float
        Shares of the rows that are judged apart.
    """
    effort = design.effort
    every = replace(design, effort=replace(effort, plant_folds=effort.folds))  # what is lost is read on all rows
    judge = Judge(level, design.seed, design.groups, {"all": np.ones(len(design.fold), bool)})
    planter = Planter(view, attribute, panel.classes, panel.scores, every, judge, view.time is not None)
    known = int(attribute.known.sum())
    law = Law.of(planter.atoms, planter.shares)
    subjects = known if design.groups is None else len(np.unique(design.groups[attribute.known]))
    number, each = attribute.kind == "continuous", known / max(1, subjects)
    power = Power(law, effort, {}, known, parts, level=level, rows_per_subject=each, number=number)
    start = power.detection_limit(known) or planter.largest
    size = min(max(2 * start, SMALLEST_SIZE), planter.largest)
    with one_thread():
        losses = {form: loss(planter, form, size, (1.0,)) for form in _forms(planter, size)}
        power, looked = replace(power, losses=losses), dict[PlantForm, float]()
        for _ in range(AGAIN * len(losses)):
            limit = power.detection_limit(known) or planter.largest
            due = {form: _wanted(limit, looked.get(form, size), planter.largest) for form in losses}
            due = {form: size for form, size in due.items() if not _alike(size, looked.get(form))}
            if not due:
                break
            # The form of which most seems to be lost moves the limit most. Each is read there: one leak of a form that
            # happened to be found well would let the limit be too low.
            worst = max(due, key=lambda form: power.losses[form])
            looked[worst] = due[worst]
            power = replace(power, losses={**power.losses, worst: loss(planter, worst, due[worst])})
    return power


def _wanted(limit: float, last: float, largest: float) -> float:
    """Return at which size a form is to be read next, given at which it was read last."""
    return min(max(limit, last / 2), 2 * last, largest)


def _alike(size: float, last: float | None) -> bool:
    """Whether a form was read near enough."""
    return last is not None and max(size / last, last / size) <= LIKE


def _forms(planter: Planter, size: float) -> list[PlantForm]:
    """Return the forms looked for; what subjects tell is counted in subjects, and the law here in records."""
    forms = all_forms()
    return [form for form in planter.tested(size) if not forms[form].by_subject]


def loss(planter: Planter, form: PlantForm, size: float, near: Sequence[float] = NEAR) -> float:
    """Return C of one form: the mean over a few leaks of about one size."""
    sizes = [min(size * factor, planter.most(form)) for factor in near]
    lost = [_lost(one, _value(planter, form, one)) for one in dict.fromkeys(sizes)]
    return max(0.0, sum(lost) / len(lost))


def _value(planter: Planter, form: PlantForm, size: float) -> float:
    return float(planter.read(form, size).best().mean())


def _lost(size: float, value: float) -> float:
    """Return C where k planted nats read v = k^2 / (k + C); where nothing is read, as if a tenth were."""
    return float(size**2 / max(value, 0.1 * size) - size)
