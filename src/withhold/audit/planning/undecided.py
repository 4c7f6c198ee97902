"""What an audit that could not decide says of rows: how many would, and which budget these rows can decide."""

from dataclasses import replace

from withhold.audit.planning.power import Power
from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.budgets import LARGE_SHARE, usual_budget
from withhold.contracts.disclosure_record import DisclosureResult
from withhold.contracts.rounding import budget_up, rounded_up
from withhold.contracts.wording import option, percent

# Causes of "inconclusive" that more rows could end; others stay whatever their number.
FOR_WANT_OF_ROWS = ("plants_missed", "interval_reaches_budget")
# Where the rows at hand should have decided, the number is given at which hardly any audit fails to.
SURELY = 0.95


def undecided(
    result: SensitiveResult, power: Power, rows: int, budget: float | None, folds: int = 0
) -> tuple[SensitiveResult, str]:
    """Return a result with the rows that would decide and the budget that these can, and the sentence that says so.

    Parameters
    ----------
    result : SensitiveResult
        Inconclusive for want of rows, or not judged.
    power : Power
        Of the release, with what attackers read of it as told.
    rows : int
        That were judged.
    budget : float or None
        None: none was asked for, and the usual one is spoken of.
    folds : int
        Into how many the release could be cross-fitted; 0: it cannot.
    """
    asked = usual_budget(result.entropy) if budget is None else budget
    needed = power.rows_needed(asked)
    if needed is not None and needed <= rows:
        needed = power.rows_needed(asked, SURELY)
    many = "" if needed is None else rounded_up(needed, 2)
    # The same release under another budget is told as much again: only what is found of test leaks is still to be seen.
    decides = replace(power, high=result.leakage_total.high).decidable_budget(rows)
    able = decides is not None and decides <= asked
    crossed = power.cross_fitted(folds).decidable_budget(rows) if folds else None
    result = result.model_copy(update={"decidable_budget": decides, "cross_fit_budget": crossed})
    if budget is None:
        can = _can(rows, decides, crossed, folds, result.entropy)
        few = needed is not None and needed > rows and not able
        return result, f"{can} About {many} like these would decide {asked:g} nat." if few else can
    result = result.model_copy(update={"rows_needed": needed})
    if budget >= power.law.entropy:
        first = "No number of rows decides a budget that restricts nothing."
    elif result.cause not in FOR_WANT_OF_ROWS and needed is not None:
        first = f"More rows alone would not help. Mend that first; then about {many} rows like these would decide."
    elif power.told >= budget:
        first = (
            f"More rows would not help: the attackers' best estimate, {power.told:.3f} nat, is not below the budget. "
            "Hide more, or allow more."
        )
    elif needed is None:
        first = f"No number of rows would make a release that tells {power.told:.3f} nat pass for sure. Hide more."
    elif needed <= rows or able:
        first = f"{rows:,} rows usually decide this budget; this release hid the test leaks better than others do."
    else:
        first = f"About {many} rows like these would decide this budget."
    return result, f"{first} {_can(rows, decides, crossed, folds, result.entropy)}"


def _can(rows: int, decides: float | None, crossed: float | None, folds: int, entropy: float) -> str:
    """Return which budgets rows can decide, and that it says little where they are large."""
    if decides is None:
        can = f"{rows:,} rows are too few to decide any budget."
    else:
        can = f"{rows:,} rows can decide budgets from {_nats(decides, entropy)} on."
    if crossed is not None and (decides is None or budget_up(crossed) < budget_up(decides)):
        can += f" With {option('cross_fit', folds)}, where each counts, from {_nats(crossed, entropy)} on."
    return can


def _nats(budget: float, entropy: float) -> str:
    share = f" ({percent(budget / entropy)} of all there is to know)" if budget > LARGE_SHARE * entropy else ""
    return f"{budget_up(budget):g} nat{share}"


def undecided_people(result: DisclosureResult, people: int) -> str:
    """Return the same of an audit against a control, where an interval narrows with the root of the people.

    Parameters
    ----------
    result : DisclosureResult
        Neither within its budget nor above it.
    people : int
        Of the smaller side.
    """
    excess, budget = result.excess, result.budget or 0.0
    told, recovery = max(0.0, excess.value), max(0.5, result.recovered or 0.0)  # less found is no test leak found
    half = (excess.high if excess.high is not None else result.entropy) - excess.value
    least = (told + half) / recovery
    if told >= budget * recovery:
        first = f"More people would not help: the best estimate, {told:.3f} nat, is not below the budget"
    else:
        needed = people * max(1.0, half / (budget * recovery - told)) ** 2
        first = f"About {round(needed, -2 if needed > 1000 else -1):,.0f} people on each side would decide this budget"
    if least >= result.entropy:
        return f"{first}; {people:,} are too few to decide any budget."
    return f"{first}; {people:,} can decide budgets from about {budget_up(least):g} nat on."
