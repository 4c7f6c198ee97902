"""Which methods are tried for a job, with which settings, and in which order: what is cheap and apt comes first."""

from dataclasses import dataclass

from withhold.contracts.images import image_names
from withhold.workflow.choice import method_class
from withhold.workflow.choosing.trial import Candidate
from withhold.workflow.job import Job
from withhold.workflow.plan_methods import obstacle

# What a game aims at, as shares of what is asked for: it reads less than fresh attackers will, so it starts below.
AIMS, FIRST_AIM = (0.1, 0.25, 0.5, 1.0), 2
# Its aim where no budget is given but a utility: twice the default of DeepMinMax.
USUAL_AIM = 0.05
# Weight of hiding, for methods that aim at no budget.
WEIGHTS, FIRST_WEIGHT = (10.0, 3.0, 1.0), 1
# CPU seconds of a first fit, in those of DeepMinMax on the same rows, where nothing is known yet.
COSTS = {"leace": 0.02, "discrete-channel": 0.1, "iidm": 0.5, "mi-backprop": 0.7, "deepminmax": 1.0, "aioi": 3.0}
# What is computed rather than trained.
FORMULAS = ("leace", "discrete-channel")
# Kept columns, or embeddings, can be had from these; one named purpose from these.
FOR_COLUMNS = ("leace", "deepminmax")
# What costs most comes when time may be over: on images a trial of IIDM took 19 CPU s, of MIBackprop 24, of AIOI 90; a
# run on German credit 18, 22 and 29, of DeepMinMax 30 (benchmarks/choice/auto.py).
FOR_PURPOSE = ("leace", "discrete-channel", "iidm", "mi-backprop", "deepminmax", "aioi")


@dataclass(frozen=True)
class Ladder:
    """Settings of one method, from those that hide most to those that keep most.

    Attributes
    ----------
    start : int
        Which is tried first; what comes of it says in which direction to go on.
    """

    rungs: tuple[Candidate, ...]
    start: int = 0

    @property
    def method(self) -> str:
        """The method whose settings these are."""
        return self.rungs[0].method


def ladders_for(job: Job) -> list[Ladder]:
    """Return what is tried for a job, the cheapest first.

    Where columns are to be kept, methods that keep them. Where one purpose is asked for (``use_utility``), and for
    images, which no method keeps as a whole, also those that keep nothing but what serves it.

    Returns
    -------
    list of Ladder
        Empty where no method applies.
    """
    images = bool(image_names(job.table.select(list(job.roles.features))))
    purpose = bool(job.roles.utility) and (job.request.use_utility or images)
    names = [name for name in (FOR_PURPOSE if purpose else FOR_COLUMNS) if not obstacle(name, job)]
    least, together = job.budget or USUAL_AIM, job.together or USUAL_AIM
    return [_ladder(name, least, together) for name in names]


def _ladder(name: str, least: float, together: float) -> Ladder:
    """Return the settings of a method that are tried, for the smallest budget and for that of all attributes."""
    parameters = set(method_class(name).__dataclass_fields__)
    if "budget" in parameters:
        aims = sorted({float(f"{budget * aim:.3g}") for budget in (least, together) for aim in AIMS})
        first = aims.index(float(f"{least * AIMS[FIRST_AIM]:.3g}"))
        return Ladder(tuple(Candidate(name, (f"budget={aim:.3g}",)) for aim in aims), first)
    if "lam" in parameters:
        return Ladder(tuple(Candidate(name, (f"lam={weight:g}",)) for weight in WEIGHTS), FIRST_WEIGHT)
    return Ladder((Candidate(name),))


def between(one: Candidate, other: Candidate) -> Candidate | None:
    """Return the setting halfway between two rungs, None where there is none.

    Examples
    --------
    >>> str(between(Candidate("iidm", ("lam=1",)), Candidate("iidm", ("lam=3",))))
    'iidm lam=1.73'
    """
    (key, low), (_, high) = (rung.settings[0].split("=") for rung in (one, other))
    middle = Candidate(one.method, (f"{key}={(float(low) * float(high)) ** 0.5:.3g}",))
    return None if middle in (one, other) else middle
