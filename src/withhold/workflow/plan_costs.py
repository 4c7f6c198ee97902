"""CPU seconds of a run on this machine: a fixed piece of work says how fast it is, sizes of the data say the rest."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from withhold.audit.design import one_thread
from withhold.audit.duration import Sizes, estimate_seconds, stages_of
from withhold.audit.effort import find_effort
from withhold.audit.planning.outlook import Outlook
from withhold.audit.view.view import AttackView
from withhold.contracts.images import image_names
from withhold.contracts.timetable import expect, watching
from withhold.workflow.job import Job

# What the fixed piece of work takes on the machine whose unit costs `audit.duration` holds: products of matrices at
# 7e10 multiply-adds a second, passes through memory, many small products, counting.
REFERENCE, TRIES = 0.031, 5
# DeepMinMax on tables: seconds for each round, and its rounds (`DeepMinMax._fit_encoded`); decoders and their folds for
# each thousand rows. Read off fits of 1,000, 2,000 and 10,000 rows of two tables (22, 24 and 46 s).
ROUND_SECONDS, ROUNDS, FEWEST, MOST, ROWS_PER_ROUND = 0.07, 300, 300, 900, 33
DECODER_SECONDS = 0.8
# Closed forms: coding and decoding for each row.
ROW_SECONDS, LEAST_SECONDS = 3e-5, 0.1
# Rows that are read to know how many columns attackers make of the features.
READ = 2_000
FITTING, BOUNDS, BOUNDS_SECONDS = "fitting", "computing bounds", 3.0


@dataclass(frozen=True)
class Costs:
    """What a run takes, in CPU seconds.

    Attributes
    ----------
    machine : float
        How many times longer this machine takes than the one the unit costs are of.
    audit : float
    fits : mapping of str to float
        By method; methods whose fit was not measured are not in it.
    """

    machine: float
    audit: float
    fits: Mapping[str, float]


def costs(job: Job, found: Outlook) -> Costs:
    """Foretell what a run of this job takes.

    Parameters
    ----------
    job : Job
    found : Outlook
        How attackers read the columns.

    Returns
    -------
    Costs
    """
    factor = slowness()
    sizes, effort = (
        _sizes(job, found.columns, found.codes, len(found.power.law.shares)),
        find_effort(job.request.effort),
    )
    fits = {name: factor * seconds for name, seconds in _fits(int(job.parts.fit.sum()), job.table.num_rows).items()}
    return Costs(factor, factor * estimate_seconds(sizes, effort), fits)


def _sizes(job: Job, columns: int, codes: int, classes: int) -> Sizes:
    """Return the sizes of the audit of a run, given how attackers read the features."""
    request, effort = job.request, find_effort(job.request.effort)
    attributes = len(job.attributes) + (len(job.attributes) > 1)
    features = job.table.select(list(job.roles.features))
    # A released table is attacked, once more with U, and so is the representation behind it.
    surfaces = 2 if image_names(features) == [] else 1
    handed_over = bool(job.roles.utility) and not request.drop_utility
    return Sizes(
        rows=min(job.table.num_rows, effort.most_rows),
        columns=columns,
        codes=codes,
        attacks=(surfaces + handed_over) * attributes,
        sensitive=attributes,
        utility=len(job.roles.utility),
        original=features.num_columns,
        classes=max(2, classes),
    )


def expect_run(job: Job) -> None:
    """Tell the timetable of the command what a run of this job takes, if somebody watches it.

    Parameters
    ----------
    job : Job
    """
    if not _timed():
        return
    effort, features = find_effort(job.request.effort), job.table.select(list(job.roles.features))
    view = AttackView.fit(features.slice(0, READ), row_order=False)
    classes = max((attribute.n_classes for attribute in job.attributes), default=2)
    sizes = _sizes(job, view.dense.shape[1], view.ordinal.shape[1], classes)
    fit = _fits(int(job.parts.fit.sum()), job.table.num_rows).get(job.request.method)
    bounds = [(BOUNDS, BOUNDS_SECONDS)] if job.roles.utility else []
    expect([(FITTING, fit), *stages_of(sizes, effort), *bounds])


def expect_fit(method: str, rows: int) -> None:
    """Tell the timetable of the command what fitting a method on so many rows takes, if somebody watches it."""
    if _timed():
        expect([(FITTING, _fits(rows, rows).get(method))])


def expect_audit() -> None:
    """Tell the timetable of the command how fast this machine is, if somebody watches it; the audit knows the rest."""
    _timed()


def _timed() -> bool:
    table = watching()
    if table is not None:
        table.machine = slowness()
    return table is not None


def _fits(fitted: int, rows: int) -> dict[str, float]:
    rounds = float(np.clip(ROUNDS + fitted / ROWS_PER_ROUND, FEWEST, MOST))
    closed = LEAST_SECONDS + ROW_SECONDS * rows
    return {
        "deepminmax": ROUND_SECONDS * rounds + DECODER_SECONDS * rows / 1000,
        "leace": closed,
        "identity": closed,
        "noise": closed,
    }


def slowness() -> float:
    """Return how many times longer a fixed piece of work takes here: the best of a few tries, within a second."""
    generator = torch.Generator().manual_seed(0)
    large, small = torch.randn((512, 512), generator=generator), torch.randn((64, 64), generator=generator)
    memory = np.zeros(2_000_000, np.float32)
    codes = np.arange(500_000) * 7919 % 500
    spent = []
    with one_thread():
        for _ in range(TRIES):
            started = time.process_time()
            for _ in range(6):
                torch.mm(large, large)
            for _ in range(8):
                memory += 1.0
            turned = small
            for _ in range(300):
                turned = torch.tanh(turned @ small)
            for _ in range(4):
                np.bincount(codes, minlength=500)
            spent.append(time.process_time() - started)
    return max(0.2, min(spent) / REFERENCE)
