"""What an audit that could not decide says of rows: how many would, and which budget these rows can decide."""

from withhold.audit.planning.power import Power
from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.rounding import budget_up

# Causes of "inconclusive" that more rows could end.
FOR_WANT_OF_ROWS = ("plants_missed", "interval_reaches_budget")
# Where the rows at hand should have decided, the number is given at which hardly any audit fails to.
SURELY = 0.95


def undecided(result: SensitiveResult, power: Power, rows: int, budget: float) -> tuple[SensitiveResult, str]:
    """Return a result with the rows that would decide, and the sentence that says so.

    Parameters
    ----------
    result : SensitiveResult
        Inconclusive for want of rows.
    power : Power
        Of the release, with what attackers read of it as told.
    rows : int
        That were judged.
    budget : float

    Returns
    -------
    SensitiveResult, str
    """
    needed = power.rows_needed(budget)
    if needed is not None and needed <= rows:
        needed = power.rows_needed(budget, SURELY)
    decides = power.decidable_budget(rows)
    result = result.model_copy(update={"rows_needed": needed, "decidable_budget": decides})
    if power.told >= budget:
        first = (
            f"More rows would not help: the attackers' best estimate, {power.told:.3f} nat, is not below the budget. "
            "Hide more, or allow more."
        )
    elif needed is None:
        first = f"No number of rows would make a release that tells {power.told:.3f} nat pass for sure. Hide more."
    elif needed <= rows:
        first = f"{rows:,} rows usually decide this budget; this release hid the test leaks better than others do."
    else:
        first = f"About {needed:,} rows like these would decide this budget."
    if decides is None:
        return result, f"{first} {rows:,} rows decide no budget below all there is to know."
    return result, f"{first} {rows:,} rows can decide budgets from {budget_up(decides):g} nat on."
