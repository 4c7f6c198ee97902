"""A plan as a person reads it: the answer first, then one line for each reason, then the command."""

import shlex
from collections.abc import Iterator
from typing import IO

from withhold.cli.outcome import say
from withhold.contracts.budgets import JOINT
from withhold.contracts.plan_record import BudgetTold, PlanRecord, PriceTold, RawTold
from withhold.contracts.rounding import rounded_up
from withhold.contracts.timetable import in_words
from withhold.contracts.wording import listed, verb
from withhold.report.formats import called
from withhold.workflow.column_roles import AS_ASKED

HEADS = {
    "decides": "GO AHEAD",
    "uncertain": "UNCERTAIN",
    "too_few_rows": "TOO FEW ROWS",
    "utility_reveals": "OVER BUDGET BEFORE ANY FIT",
    "restricts_nothing": "NO REAL BUDGET",
    "no_budget": "NO BUDGET YET",
}
MOST_COLUMNS = 5
ABOVE = (
    "(each line is a reading of its own, with an error: one column cannot tell more than all, but may be read better)"
)
NOTHING = 0.0005  # nats that are printed as 0.000


def show_plan(record: PlanRecord, stream: IO[str]) -> None:
    """Print a plan, at most about 25 lines."""
    say(f"{HEADS[record.outlook]}: {record.statement}", stream)
    for title, text in _lines(record):
        say(f"{title:<10}{text}", stream)
    say(f"{'next':<10}{shlex.join(record.command)}", stream)
    if record.otherwise:
        say(f"{'or':<10}{shlex.join(record.otherwise)}", stream)


def _lines(record: PlanRecord) -> Iterator[tuple[str, str]]:
    for i, (name, own) in enumerate(record.budgets.items()):
        yield "" if i else "budgets", f"{called(name, [*record.sensitive, JOINT])}: {_budget(own)}"
    if record.budget is not None and not record.budgets:
        yield "budget", _budget(record.budget)
    for name, raw in record.raw.items():
        yield from _raw(f"'{name}'" if name in record.sensitive else called(name, [*record.sensitive, JOINT]), raw)
    alone = record.utility_alone
    if alone is not None:
        names, told, hidden = listed(alone.utility), alone.told, listed(record.decided_by or record.sensitive)
        tells, whose = verb(alone.utility, "tells", "tell"), verb(alone.utility, "its", "their")
        what = f"{tells} {told.value:.3f} nat about {hidden} on {whose} own"
        within = f" (95 %: {max(0.0, told.low or 0.0):.3f} to {told.high:.3f})" if told.high is not None else ""
        yield "utility", f"{names} {what}{within}" + ("" if alone.handed_over else "; it is not handed over")
    left = [f"'{one.column}' ({one.why})" for one in record.columns if one.role == "dropped" and one.why != AS_ASKED]
    if left:
        yield "left out", listed(left, MOST_COLUMNS, quote="") + "; --keep COL keeps one"
    yield "rows", _rows(record)
    price = record.price
    if price is not None and alone is not None and price.known < NOTHING:
        yield (
            "price",
            f"none: the other columns tell nothing of {listed(alone.utility)} that could be lost",
        )
    elif price is not None and alone is not None:
        yield (
            "price",
            f"of the {price.known:.3f} nat that the columns tell of {listed(alone.utility)}, {_least(price)}; a "
            f"release that loses {price.reached:.3f} is known",
        )
    applying = [one.method for one in record.methods if one.applies]
    yield "methods", ", ".join(applying) if applying else "none applies"
    for one in record.methods:
        if one.why:
            yield "", f"{'' if one.applies else 'not '}{one.method}: {one.why}"
    yield "time", _time(record)
    for text in record.notes:
        yield "note", text


def _time(record: PlanRecord) -> str:
    """Return what the command takes, and what of that is fitted."""
    fits = "the fit" if record.fits == 1 else f"{record.fits} fits"
    stages = (("choosing a method", record.choosing_seconds), (fits, record.fit_seconds))
    known = " and ".join(f"{in_words(seconds)} for {name}" for name, seconds in stages if seconds)
    whole = record.audit_seconds + record.beside_seconds + sum(seconds or 0.0 for _, seconds in stages)
    without = [name for name, seconds in stages if seconds is None]
    unknown = f", without {' and '.join(without)}: how long that takes is not known" if without else ""
    return f"about {in_words(whole)} of one processor core on this machine{f' ({known})' if known else ''}{unknown}"


def _least(price: PriceTold) -> str:
    if price.least_low < NOTHING:
        return "these rows do not show that any must be lost"
    return f"every release within the budget loses {price.least_low:.3f} or more (95 %)"


def _budget(told: BudgetTold) -> str:
    asked = "" if told.advantage is None else f"an advantage of {told.advantage:g} is "
    if told.balanced_accuracy is None or told.chance is None:
        return f"{asked}{told.nats:.3g} nat"
    return f"{asked}{told.nats:.3g} nat: {_right(told.balanced_accuracy, told.chance, 'at most ')}"


def _raw(name: str, raw: RawTold) -> Iterator[tuple[str, str]]:
    together = raw.together
    if (together.low or 0.0) <= 0:
        yield "today", f"the columns tell nothing certain about {name} (at most {together.high or 0.0:.3f} nat)"
    else:
        how = f"{together.value:.3f} of {raw.entropy:.3f} nat"
        if raw.balanced_accuracy is not None and raw.chance is not None:
            how = f"{_right(raw.balanced_accuracy, raw.chance)} ({how})"
        yield "today", f"the columns tell {name}: {how}"
    for one in raw.columns[:MOST_COLUMNS]:
        yield "", f"{one.column}: {_right(one.balanced_accuracy, 1.0 / raw.classes)} ({one.information:.3f} nat)"
    rest = raw.columns[MOST_COLUMNS:]
    if rest:
        yield "", f"and {len(rest)} more column{'s' * (len(rest) > 1)}"
    most = together.value if (together.low or 0.0) > 0 else 0.0
    if any(one.information > most for one in raw.columns):
        yield "", ABOVE


def _rows(record: PlanRecord) -> str:
    power = record.power
    finds = (
        "finds not even the largest test leak"
        if power.detection_limit is None
        else f"finds leaks from {power.detection_limit:.2g} nat on"
    )
    which = f"the budget of {listed(record.decided_by)}" if record.budgets else "this budget"
    needs = "" if power.rows_needed is None else f"; {which} needs about {rounded_up(power.rows_needed, 2)} rows"
    return f"an audit of {power.rows:,} rows ({record.effort}) {finds}{needs}"


def _right(accuracy: float, chance: float, most: str = "") -> str:
    """Return an accuracy among equally common classes as a frequency that people know."""
    return f"right {most}{100 * accuracy:.0f} times in 100 where guessing gives {100 * chance:.0f}"
