"""CPU seconds of a run on this machine: a fixed piece of work says how fast it is, sizes of the data say the rest."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from withhold.audit.duration import Sizes, estimate_seconds, stages_of
from withhold.audit.effort import find_effort
from withhold.audit.planning.outlook import Outlook
from withhold.audit.view.view import AttackView
from withhold.contracts.images import image_names
from withhold.contracts.timetable import expect, watching
from withhold.methods.catalogue import AUTO, DEFAULT
from withhold.training.session import one_thread, private_randomness
from withhold.training.trees import TreeClassifier
from withhold.workflow.goal import seconds_of
from withhold.workflow.job import Job

# What a small network and some trees take on the machine whose unit costs `audit.duration` holds: most of a run is such
# work, and products of large matrices, by which machines differ most, are little of it.
REFERENCE, TRIES = 0.15, 3
# DeepMinMax on tables: seconds for each round, and its rounds (`DeepMinMax._fit_encoded`); decoders and their folds for
# each thousand rows. Read off fits of 1,000, 2,000 and 10,000 rows of two tables (22, 24 and 46 s).
ROUND_SECONDS, ROUNDS, FEWEST, MOST, ROWS_PER_ROUND = 0.07, 300, 300, 900, 33
DECODER_SECONDS = 0.8
# AIOI on images and windows, whose rounds are the same for all rows: fits of 28 x 28, 32 x 40 and 100 x 6 values.
GAME_SECONDS, PIXEL_SECONDS = 45.0, 0.025
# Closed forms: coding and decoding for each row.
ROW_SECONDS, LEAST_SECONDS = 3e-5, 0.1
# Rows that are read to know how many columns attackers make of the features.
READ = 2_000
# Fits that a choice usually takes, in those of all rows.
CHOOSING, TRIALS = "choosing a method", 2.5
FITTING, BOUNDS, BOUNDS_SECONDS = "fitting", "computing bounds", 1.0
# Loading libraries, the check before the fit, and writing: about what the plan itself takes.
BESIDE_SECONDS = 8.0


@dataclass(frozen=True)
class Costs:
    """What a run takes, in CPU seconds.

    Attributes
    ----------
    machine : float
        How many times longer this machine takes than the one the unit costs are of.
    beside : float
        All but fit and audit.
    fits : mapping of str to float
        By method, of all sanitisers of the release; methods whose fit was not measured are not in it.
    fit, choosing : float or None
        Of the method that is asked for, and of choosing one, 0 where none is chosen; None: not known.
    """

    machine: float
    audit: float
    beside: float
    fits: Mapping[str, float]
    fit: float | None
    choosing: float | None


def costs(job: Job, found: Outlook) -> Costs:
    """Foretell what a run of this job takes.

    Parameters
    ----------
    found : Outlook
        How attackers read the columns.
    """
    factor = slowness()
    audit = audit_seconds(job, found.columns, found.codes, len(found.power.law.shares))
    fits = {name: factor * seconds for name, seconds in fits_of(job).items()}
    fit = fits.get(method_of(job))
    beside = BESIDE_SECONDS + BOUNDS_SECONDS * bool(job.roles.utility)
    return Costs(factor, factor * audit, factor * beside, fits, fit, choosing_seconds(job, fit))


def method_of(job: Job) -> str:
    """Return the method whose fit says what a run takes: the default one where one is to be chosen."""
    return DEFAULT if job.request.method == AUTO else job.request.method


def choosing_seconds(job: Job, fit: float | None) -> float | None:
    """Return what choosing a method takes, given the seconds of a fit: 0 where none is chosen, None where not known."""
    if not job.request.chooses:
        return 0.0
    limit = seconds_of(job.request.time)
    return min([one for one in (None if fit is None else TRIALS * fit, limit) if one is not None], default=None)


def audit_seconds(job: Job, columns: int, codes: int, classes: int) -> float:
    """Return the CPU seconds of the audit of a run, on the machine that the unit costs are of.

    Parameters
    ----------
    columns, codes : int
        Of the release as attackers read it.
    classes : int
        Of all sensitive attributes together.
    """
    return estimate_seconds(_sizes(job, columns, codes, classes), find_effort(job.request.effort))


def _sizes(job: Job, columns: int, codes: int, classes: int) -> Sizes:
    """Return the sizes of the audit of a run, given how attackers read the features."""
    request, effort = job.request, find_effort(job.request.effort)
    attributes = len(job.attributes) + (len(job.attributes) > 1)
    features = job.table.select(list(job.roles.features))
    # A released table is attacked, once more with U, and so is the representation behind it, where there is one.
    surfaces = 2 if image_names(features) == [] and job.parts.fold is None else 1
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
        parts=job.parts.fold is None,
    )


def expect_run(job: Job) -> None:
    """Tell the timetable of the command what a run of this job takes, if somebody watches it."""
    if not _timed():
        return
    effort, features = find_effort(job.request.effort), job.table.select(list(job.roles.features))
    view = AttackView.fit(features.slice(0, READ), row_order=False)
    classes = max((attribute.n_classes for attribute in job.attributes), default=2)
    sizes = _sizes(job, view.dense.shape[1], view.ordinal.shape[1], classes)
    fit = fits_of(job).get(method_of(job))
    bounds = [(BOUNDS, BOUNDS_SECONDS)] if job.roles.utility else []
    choosing = [(CHOOSING, choosing_seconds(job, fit))] if job.request.chooses else []
    expect([*choosing, (FITTING, fit), *stages_of(sizes, effort), *bounds])


def expect_fit(method: str, rows: int) -> None:
    """Tell the timetable of the command what fitting a method on so many rows takes, if somebody watches it."""
    if _timed():
        expect([(FITTING, fit_seconds(rows, rows).get(method))])


def expect_audit() -> None:
    """Tell the timetable of the command how fast this machine is, if somebody watches it; the audit knows the rest."""
    _timed()


def _timed() -> bool:
    table = watching()
    if table is not None:
        table.machine = slowness()
    return table is not None


def fits_of(job: Job) -> dict[str, float]:
    """Return the CPU seconds of fits of a job by method, of all its sanitisers, as `fit_seconds`."""
    features = job.table.select(list(job.roles.features))
    pixels = sum(int(np.prod(features.schema.field(name).type.shape)) for name in image_names(features))
    one = fit_seconds(job.parts.fitted, job.table.num_rows, pixels)
    return {name: job.parts.fits * seconds for name, seconds in one.items()}


def fit_seconds(fitted: int, rows: int, pixels: int = 0) -> dict[str, float]:
    """Return the CPU seconds of fits by method, on the same machine, where they were measured.

    Examples
    --------
    >>> sorted(fit_seconds(700, 1_000)), fit_seconds(700, 1_000, pixels=784)
    (['deepminmax', 'identity', 'leace', 'noise'], {'aioi': 64.6})
    """
    if pixels:
        return {"aioi": GAME_SECONDS + PIXEL_SECONDS * pixels}
    rounds = float(np.clip(ROUNDS + fitted / ROWS_PER_ROUND, FEWEST, MOST))
    closed = LEAST_SECONDS + ROW_SECONDS * rows
    return {
        "deepminmax": ROUND_SECONDS * rounds + DECODER_SECONDS * rows / 1000,
        "leace": closed,
        "identity": closed,
        "noise": closed,
    }


def slowness() -> float:
    """Return how many times longer than on the machine of the unit costs a small network and some trees take here."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn((2_048, 32), generator=generator)
    classes, spent = (rows[:, 0] > 0).long(), []
    with one_thread(), private_randomness(torch.device("cpu"), 0):
        for _ in range(TRIES):
            net = nn.Sequential(nn.Linear(32, 192), nn.ReLU(), nn.Linear(192, 192), nn.ReLU(), nn.Linear(192, 2))
            optimiser = torch.optim.Adam(net.parameters())
            started = time.process_time()
            for _ in range(40):
                taken = torch.randint(0, len(rows), (512,), generator=generator)
                optimiser.zero_grad()
                nn.functional.cross_entropy(net(rows[taken]), classes[taken]).backward()  # type: ignore[no-untyped-call]
                optimiser.step()
            TreeClassifier(max_iter=20).fit(rows.numpy(), classes.numpy())
            spent.append(time.process_time() - started)
    return max(0.2, float(np.median(spent)) / REFERENCE)
