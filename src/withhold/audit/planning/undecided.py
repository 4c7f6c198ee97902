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
    # Of a leak that was missed and is not in the forecast, or where so many rows have just failed, nobody knows how
    # many would do: only that these did not.
    limit = result.detection_limit
    missed = [] if limit is not None and limit <= asked else [one for one in result.plants if not one.detected]
    unforeseen = any(one.form not in power.losses for one in missed)
    wanting = budget is not None and result.cause in FOR_WANT_OF_ROWS
    beyond = needed is not None and ((wanting and needed <= rows) or unforeseen)
    needed = max(round(float(f"{needed:.2g}")), rows) if needed is not None and beyond else needed
    many = "" if needed is None else f"about {rounded_up(needed, 2)}"
    if needed is not None and beyond:
        many = f"more than {rows:,}" if needed == rows else f"at least {needed:,}"
    # The same release under another budget is told as much again: only what is found of test leaks is still to be seen.
    forecast = replace(power, high=result.leakage_total.high).decidable_budget(rows)
    decides = _seen(forecast, result, power, asked if wanting else None)
    crossed = power.cross_fitted(folds).decidable_budget(rows) if folds else None
    crossed = _seen(crossed, result, power) if unforeseen else crossed
    result = result.model_copy(update={"decidable_budget": decides, "cross_fit_budget": crossed})
    if budget is None:
        can = _can(rows, decides, crossed, folds, result.entropy)
        few = needed is not None and needed >= rows and (decides is None or decides > asked)
        return result, f"{can} {_capital(many)} like these would decide {asked:g} nat." if few else can
    result = result.model_copy(update={"rows_needed": needed, "rows_exceed": beyond})
    if budget >= power.law.entropy:
        first = "No number of rows decides a budget that restricts nothing."
    elif result.cause not in FOR_WANT_OF_ROWS and needed is not None:
        first = f"More rows alone would not help. Mend that first; then {many} rows like these would decide."
    elif power.told >= budget:
        first = (
            f"More rows would not help: the attackers' best estimate, {power.told:.3f} nat, is not below the budget. "
            "Hide more, or allow more."
        )
    elif needed is None:
        first = f"No number of rows would make a release that tells {power.told:.3f} nat pass for sure. Hide more."
    elif beyond and unforeseen:
        first = f"{_capital(many)} rows like these would be needed to decide this budget."
    elif beyond:
        first = f"{rows:,} rows usually decide this budget; this release needs {many} like these."
    else:
        first = f"{_capital(many)} rows like these would decide this budget."
    return result, f"{first} {_can(rows, decides, crossed, folds, result.entropy)}"


def _seen(forecast: float | None, result: SensitiveResult, power: Power, asked: float | None = None) -> float | None:
    """Return the smallest budget that rows decide by the forecast and by what this audit saw; None: there is none.

    A leak that was planted and missed would be missed again. Where one was found in every form, a budget of that size
    is decided; what was read, corrected by what was found of the leaks, must stay within it.

    Parameters
    ----------
    asked : float, optional
        A budget that this audit could not decide for want of rows.
    """
    missed, limit = [one for one in result.plants if not one.detected], result.detection_limit
    least = [] if forecast is None else [forecast]
    if missed and limit is not None:
        recovery = min((one.found.value / one.size for one in result.plants if one.size == limit), default=1.0)
        least += [limit, (result.leakage_total.high or 0.0) / min(1.0, max(recovery, 0.5))]
    elif missed:
        foreseen = all(one.form in power.losses for one in missed)
        largest = max(one.size for one in missed)
        least = [one for one in least if foreseen and one > largest]
    if asked is not None and least and max(least) <= asked:
        least = [one for one in [result.corrected_high] if one is not None and one > asked]
    decides = max(least, default=None)
    return None if decides is None or decides >= power.law.entropy else decides


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


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
