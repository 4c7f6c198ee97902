"""The limit that is hardest to keep or to decide: of all attributes together, or of one that has its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from withhold.audit.planning.outlook import Outlook, foretell
from withhold.audit.request import Request as AuditRequest
from withhold.audit.request import read_request
from withhold.contracts.budgets import JOINT
from withhold.contracts.plan_record import Outlook as Word
from withhold.workflow.job import Job
from withhold.workflow.plan_words import DECIDES

# A chance of a verdict below which a run is not worth its time.
HOPELESS = 0.05
# From what may be run to what cannot come out within the budget.
BADNESS: tuple[Word, ...] = (
    "no_budget",
    "decides",
    "uncertain",
    "too_few_rows",
    "restricts_nothing",
    "utility_reveals",
)


@dataclass(frozen=True)
class Forecast:
    """What was foretold of one limit.

    Attributes
    ----------
    name : str
        The attribute, or "joint".
    job : Job
        As if that were all that is hidden.
    """

    name: str
    job: Job
    found: Outlook
    word: Word

    @property
    def budget(self) -> float | None:
        """The limit, in nats."""
        return self.job.together

    @property
    def chance(self) -> float:
        """How likely the rows decide the budget."""
        return 1.0 if self.budget is None else self.found.power.chance_decided(self.budget, self.found.rows)


def forecasts(job: Job, *, read_raw: bool) -> list[Forecast]:
    """Foretell an audit of the original for all attributes together, and for each that has a budget of its own.

    Parameters
    ----------
    read_raw : bool
        Whether the original columns are read, which takes longer.

    Returns
    -------
    list of Forecast
        The first is about all attributes together.
    """
    names = job.attributes.names
    several = len(names) > 1
    every = [(JOINT if several else names[0], job, read_raw)]
    if several and job.budgets.named:
        every += [(name, job.about(name), False) for name in names]
    out = []
    for name, part, raw in every:
        found = foretell(
            original_of(part),
            job.request.effort,
            utility_in_release=not job.request.drop_utility,
            read_raw=raw,
            random_state=job.request.seed,
        )
        out.append(Forecast(name, part, found, outlook_of(found, part.together, job.request.drop_utility)))
    return out


def binding(made: Sequence[Forecast]) -> Forecast:
    """Return the forecast that decides: the worst word, and among these the least chance."""
    return max(made, key=lambda one: (BADNESS.index(one.word), -one.chance))


def original_of(job: Job) -> AuditRequest:
    """Return the audit of the original itself: what a release that changes nothing would be judged on."""
    table, roles = job.table, job.roles
    return read_request(
        table.select(list(roles.features)),
        job.attributes,
        job.useful if len(job.useful) else None,
        job.groups,
        None,
        job.parts.fit if job.parts.fold is None else None,
        None,
        makers=job.parts.fold,
    )


def outlook_of(found: Outlook, budget: float | None, drop_utility: bool) -> Word:
    """Return in one word what will come of it."""
    if budget is None:
        return "no_budget"
    if budget >= found.power.law.entropy:
        return "restricts_nothing"
    if found.utility is not None and not drop_utility and (found.utility.low or 0.0) > budget:
        return "utility_reveals"
    chance = found.power.chance_decided(budget, found.rows)
    return "too_few_rows" if chance < HOPELESS else "uncertain" if chance < DECIDES else "decides"
