"""The cells of a frontier: which there are, and what one of them comes to."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.beside import Recipient
from withhold.audit.effort import EFFORTS, LEAST
from withhold.audit.leakage.attack import Panel, attack
from withhold.audit.leakage.controls import hard_predictions
from withhold.audit.leakage.parts import Judge
from withhold.audit.leakage.rare_classes import attackable
from withhold.audit.request import Request, cap_rows, make_design, read_request
from withhold.audit.view.view import AttackView
from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.frontier_record import FrontierCell
from withhold.contracts.quantity import Quantity
from withhold.training.session import one_thread
from withhold.workflow.choice import command_name, method_class, parse
from withhold.workflow.choosing.candidates import WEIGHTS
from withhold.workflow.choosing.measure import LEVEL, MOST_ROWS, READERS, measure
from withhold.workflow.choosing.trial import Candidate, attempt, recorded
from withhold.workflow.job import Job
from withhold.workflow.request import declared

# Noise of the rival that knows no attribute, in standard deviations, from much to little.
NOISES = (3.0, 1.0, 0.3)
WHOLE, UNCHANGED = "the file as it is", "without the hidden columns"
WITHOUT_UTILITY, PREDICTION = "without the utility columns too", "predicted utility alone"
NOISE = "noise"


@dataclass(frozen=True)
class Cell:
    """One method with settings, or a trivial release, and a seed.

    Attributes
    ----------
    name : str
        The method, or what the trivial release is.
    settings : tuple of str
        KEY=VALUE, as `--set` takes it.
    budget : float or None
        What the method aims at, in nats.
    rival : bool
        Whether it is a trivial release.
    """

    name: str
    settings: tuple[str, ...]
    seed: int
    budget: float | None = None
    rival: bool = False

    @property
    def file(self) -> str:
        """The name of its file.

        Examples
        --------
        >>> Cell("deepminmax", ("budget=0.03",), 1, 0.03).file
        'deepminmax-budget-0.03-seed-1.json'
        """
        words = re.sub(r"[^a-z0-9.]", "-", "-".join((self.name, *self.settings)).lower()).strip("-")
        return f"{words}-seed-{self.seed}.json"

    def __str__(self) -> str:
        return f"{' '.join((self.name, *self.settings))}, seed {self.seed}"


def cells_for(methods: Sequence[Candidate], budgets: Sequence[float], seeds: Sequence[int], job: Job) -> list[Cell]:
    """Return the cells of a frontier: all of the first seed come first, and of each seed what is trivial.

    Parameters
    ----------
    methods : sequence of Candidate
        One that aims at no budget is tried at three weights of hiding instead, or once where it has none. One whose
        settings say its budget or weight is tried with that alone.
    budgets : sequence of float
        Nats.
    """
    trivial = [Cell(UNCHANGED, (), 0, rival=True)]
    if job.roles.utility:
        trivial += [] if job.request.drop_utility else [Cell(WITHOUT_UTILITY, (), 0, rival=True)]
        trivial += [Cell(PREDICTION, (), 0, rival=True)]
    trivial += [Cell(NOISE, (f"scale={scale:g}",), 0, rival=True) for scale in NOISES]
    tried = dict.fromkeys(one for method in methods for one in cells_of(method, budgets))
    return [replace(cell, seed=seed) for seed in seeds for cell in (*trivial, *tried)]


def cells_of(candidate: Candidate, budgets: Sequence[float]) -> list[Cell]:
    """Return the cells of one method, of seed 0: its usual settings for these budgets, beside those that are given."""
    cls, own = method_class(candidate.method), candidate.settings
    method, said = command_name(cls), parse(own, cls)
    if "budget" in cls.__dataclass_fields__:
        if "budget" in said:
            return [Cell(method, own, 0, said["budget"])]
        return [Cell(method, (*own, f"budget={budget:g}"), 0, budget) for budget in budgets]
    if "lam" in cls.__dataclass_fields__ and "lam" not in said:
        return [Cell(method, (*own, f"lam={weight:g}"), 0) for weight in WEIGHTS]
    return [Cell(method, own, 0)]


def fill(job: Job, cell: Cell) -> FrontierCell:
    """Fit what a cell names on one part of the rows, release all, and measure it.

    On one thread, so that a cell comes out the same however many are worked on beside it.

    Parameters
    ----------
    job : Job
        With the seed of the cell.

    Returns
    -------
    FrontierCell
        A method that cannot be fitted makes a cell that says why.
    """
    with one_thread():
        if cell.rival and cell.name != NOISE:
            trial, released = _trivial(job, cell)
        else:
            found = attempt(job, Candidate(cell.name, cell.settings))
            trial, released = found.record, None if found.fitted is None else found.fitted.features
        kept = None if released is None or trial.failed else kept_information(job, released)
    return FrontierCell(name=cell.name, rival=cell.rival, budget=cell.budget, seed=cell.seed, trial=trial, kept=kept)


def _trivial(job: Job, cell: Cell) -> tuple[TrialRecord, pa.Table]:
    original = job.table.select(list(job.roles.features))
    whole = replace(job, request=replace(job.request, drop_utility=True))
    started = time.process_time()
    released = _predicted(job) if cell.name == PREDICTION else original
    found = measure(job if cell.name == UNCHANGED else whole, released)
    return recorded(job, "identity", found, started), released


def with_the_whole(cells: Sequence[FrontierCell], entropy: float) -> list[FrontierCell]:
    """Return the cells with the file itself, hidden columns and all, before the one without these: it tells all of S.

    Parameters
    ----------
    entropy : float
        H(S), in nats.
    """
    found = []
    for cell in cells:
        if cell.name == UNCHANGED:
            everything = Quantity(value=entropy, low=entropy, high=entropy, kind="exact", n=cell.trial.n)
            trial = cell.trial.model_copy(update={"leakage": everything, "seconds": 0.0})
            found.append(cell.model_copy(update={"name": WHOLE, "trial": trial}))
        found.append(cell)
    return found


def entropy_of(job: Job) -> float | None:
    """Return H(S) of all sensitive attributes together, in nats; None of numbers and of too many combinations."""
    joint = job.attributes.joint()
    return None if joint is None or joint.kind != "categorical" else joint.entropy()


def _predicted(job: Job) -> pa.Table:
    """Return what the features predict of each utility column, from other rows."""
    request = _request(job, job.table.select(list(job.roles.features)))
    effort = EFFORTS[LEAST]
    design = make_design(request, effort, job.request.seed)
    panel = Panel(choose_panel(["boosting"]), list(all_score_attackers().values()))
    return hard_predictions(AttackView.fit(request.release), tuple(request.utility), panel, design)


def kept_information(job: Job, released: pa.Table) -> Quantity | None:
    """Return nats that released columns tell of the utility attributes together, on rows that were not fitted.

    Parameters
    ----------
    released : pyarrow.Table
        Without the utility columns themselves.

    Returns
    -------
    Quantity or None
        A lower bound. None without utility attributes, for numbers and for too many classes.
    """
    request = _request(job, released)
    joint = request.utility.joint() if len(request.utility) else None
    if joint is None or joint.kind != "categorical":
        return None
    effort, seed = replace(EFFORTS[LEAST], most_rows=MOST_ROWS), job.request.seed
    request, _ = cap_rows(request, effort, seed)
    useful = request.utility.joint()
    view, fit = AttackView.fit(request.release), request.fit_rows
    there = [kind for kind in ("images", "words") if getattr(view, kind) is not None]
    panel = Panel(choose_panel(None, there), list(all_score_attackers().values())).only(*READERS)
    design = make_design(request, effort, seed)
    unseen = np.ones(request.n, bool) if fit is None or fit.all() else ~fit
    judge = Judge(LEVEL, seed, request.groups, {"audit": unseen})
    if useful is None:
        return None
    found = attack(view, attackable(useful)[0], panel, design, "kept")
    return judge.worst(judge.read(found))


def _request(job: Job, released: pa.Table) -> Request:
    """Return the audit of released columns, with the utility attributes beside them."""
    table, roles = job.table, job.roles
    return read_request(
        released,
        table.select(list(roles.sensitive)),
        table.select(list(roles.utility)) if roles.utility else None,
        job.groups,
        None,
        job.parts.fit,
        declared(job.request.kinds, (*roles.sensitive, *roles.utility)),
        Recipient(utility_in_release=False),
    )
