"""The words of a choice: why this one, and what would help where none holds what was asked for."""

import math
import shlex
from collections.abc import Sequence

from withhold.contracts.choice_record import Ended, TrialRecord
from withhold.contracts.rounding import budget_up
from withhold.contracts.wording import advice, listed, option, verb
from withhold.workflow.choosing.objective import TIE, Objective
from withhold.workflow.job import Job

ENDS = {
    "nothing_left": "",
    "cannot_win": " Nothing else could keep noticeably more, so no more were tried.",
    "time": " Trying {left} as well would have taken too long.",
}
COUNTED = " The audit allows for what attackers miss: it is foretold to pass {}."
USELESS = (
    " The original columns do not predict {} either (always naming the commonest value scores {:.3f}): it cannot tell "
    "methods apart. To compare them by what they keep of all columns, leave out {}."
)


def reason_of(
    job: Job,
    objective: Objective,
    best: TrialRecord,
    count: int,
    ended: Ended,
    left: Sequence[str],
    raw: TrialRecord,
    commonest: float = 0.0,
) -> str:
    """Return why a trial was chosen, in one sentence or two.

    Parameters
    ----------
    count : int
        Trials.
    left : sequence of str
        What was not tried for want of time.
    raw : TrialRecord
        The original columns.
    commonest : float
        The score of always naming the commonest value of the utility column; 0 where there is no such thing.
    """
    keeps, told = f"keeps {kept_of(job, best)}", told_of(job, best)
    tried = f"{count} candidate{'s' * (count != 1)} {'were' if count != 1 else 'was'} tried."
    held, name, limits = objective.held(best), str(best), limits_of(objective)
    if objective.target is not None:
        head = (
            f"{name} {keeps} (target {objective.target:g}) and leaks least: {told}."
            if held
            else f"No candidate reached {objective.target:g}. The closest, {name}, {keeps}; {told}."
        )
    else:
        head = (
            f"{name} {keeps}, the most within {limits}: {told}."
            if held
            else f"No candidate held {limits}. The closest is {name}: {told}. It {keeps}."
        )
    allowed = COUNTED.format(upper_ends(objective)) if objective.counted < 1 else ""
    same = objective.target is None and objective.held(raw)
    original = f" The original columns hold the budget too: at most {raw.most:.3f} nat." if same else ""
    useless = (
        USELESS.format(listed(job.roles.utility), commonest, option("utility"))
        if 0 < raw.kept < commonest + TIE
        else ""
    )
    return f"{head}{allowed} {tried}{ENDS[ended].format(left=', '.join(left))}{original}{useless}"


def limits_of(objective: Objective) -> str:
    """Return the budgets in words, "" where a target was asked for in their place.

    Examples
    --------
    >>> limits_of(Objective(0.05, None))
    '0.05 nat'
    >>> limits_of(Objective(0.08, None, {"sex": 0.03, "race": 0.05}))
    "0.03 nat of 'sex', 0.05 nat of 'race' and 0.08 nat together"
    """
    whole = "" if objective.budget is None else f"{objective.budget:.3g} nat"
    own = ", ".join(f"{limit:.3g} nat of {name!r}" for name, limit in objective.each.items())
    return f"{own} and {whole} together" if own else whole


def upper_ends(objective: Objective) -> str:
    """Return in words up to which upper ends the audit is foretold to pass.

    Examples
    --------
    >>> upper_ends(Objective(0.05, None, counted=0.6))
    'upper ends up to 0.03 nat'
    """
    ends = [f"{objective.counted * limit:.3g} nat of {name!r}" for name, limit in objective.each.items()]
    whole = f"{objective.counted * (objective.budget or 0.0):.3g} nat"
    return f"upper ends up to {', '.join(ends)} and {whole} together" if ends else f"upper ends up to {whole}"


def kept_of(job: Job, trial: TrialRecord) -> str:
    """Say what a trial kept."""
    names = list(job.roles.utility)
    if not names:
        return f"{100 * trial.kept:.0f} % of the columns"
    return f"{verb(names, 'a score', 'a mean score')} of {trial.kept:.3f} for {listed(names)}"


def told_of(job: Job, trial: TrialRecord) -> str:
    """Say what attackers learned in a trial; they are fewer than those of the audit."""
    if not math.isfinite(trial.most):
        return "what its release tells is not known"
    about = listed(job.roles.sensitive)
    return f"the few attackers of its trial learned at most {trial.most:.3f} nat about {about} (95 %)"


def helps_of(
    job: Job, objective: Objective, best: TrialRecord, utility_low: float, column: tuple[str, float] | None
) -> list[str]:
    """Return what would help where nothing held what was asked for.

    Parameters
    ----------
    best : TrialRecord
        The closest.
    utility_low : float
        What the utility attributes alone tell at least, in nats, where they are handed over; else 0.
    column : tuple of str and float, or None
        The original column that alone tells most, and how many nats.

    Returns
    -------
    list of str
        Empty where what was asked for is held.
    """
    if objective.held(best):
        return []
    if objective.target is not None:
        return [f"a target of at most {math.floor(best.kept * 1000) / 1000:g}"]
    budget, helps = objective.budget or 0.0, []
    if utility_low > budget:
        names = list(job.roles.utility)
        leave = option("drop_utility", True)
        helps.append(f"{leave}: {listed(names)} alone {verb(names, 'tells', 'tell')} at least {utility_low:.3f} nat")
    if column is not None:
        leave = advice(f"drop={list(column[:1])}", f"--drop {shlex.quote(column[0])}")
        helps.append(f"{leave}: that column alone tells {column[1]:.3f} nat")
    for name, limit in objective.each.items():
        if objective.counted * limit < (most := best.most_of(name)) < math.inf:
            own = budget_up(most / objective.counted)
            helps.append(
                advice(f"budget={{{name!r}: {own:g}}}", f"--budget {shlex.quote(f'{name}={own:g}')}") + " or more"
            )
    leak = best.leakage
    room = objective.counted * budget
    if leak is not None and leak.high is not None and leak.high > room:
        helps.append(f"a budget from about {budget_up(leak.high / objective.counted):g} nat on")
        if leak.value < room and utility_low <= budget:
            # An interval narrows with the root of the rows.
            factor = ((leak.high - leak.value) / (room - leak.value)) ** 2
            helps.append(f"about {round(factor * job.table.num_rows, -2):,.0f} rows instead of {job.table.num_rows:,}")
    return helps
