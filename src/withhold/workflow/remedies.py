"""What to type after a release that its audit did not pass: the same run, with what was found wrong put right."""

from dataclasses import replace
from pathlib import Path

from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.rounding import budget_up
from withhold.contracts.run_record import RunRecord
from withhold.report.decision import leading
from withhold.workflow.choice import constructor, method_class
from withhold.workflow.choosing.words import command_of
from withhold.workflow.plan_words import LARGE_SHARE, USUAL_BUDGET, USUAL_FOLDS
from withhold.workflow.request import Request

# Findings that name a column which gives S away by itself, or which nobody read.
COLUMNS = ("column_reveals_s", "column_determines_s", "s_written_in", "sensitive_contained", "partly_read")
STRONGER = "deepminmax"  # hides from any kind of reader, and keeps columns


def remedies(record: RunRecord, request: Request, out: Path, anyway: bool = False) -> list[tuple[str, list[str]]]:
    """Return what can be typed next, each with a few words about what it does; none where nothing typed would help.

    Parameters
    ----------
    record : RunRecord
        Of a release that was not cleared.
    request : Request
        What was asked.
    out : Path
        Its folder.
    anyway : bool
        Whether it went on against the forecast.

    Returns
    -------
    list of (str, list of str)
    """
    lead = leading(record.audit)
    # Each release under differential privacy is charged: none is made again for a better verdict.
    if lead is None or method_class(record.method.name).fresh_noise:
        return []
    result = lead[1]
    if request.cross_fit is not None:  # with a budget no method is chosen
        request = replace(request, method=record.method.name)
    if record.audit.verdict == "fail":
        found = _after_fail(record, request, result)
    elif record.audit.verdict == "inconclusive":
        found = _after_inconclusive(record, request, *lead)
    elif record.audit.verdict is None:
        budget = _decidable(result, anyway)
        found = [] if budget is None else [("judge it", replace(request, budget=budget))]
    else:
        found = _without_columns(record, request)
    return [(words, _command(asked, out, anyway)) for words, asked in found]


def _after_fail(record: RunRecord, request: Request, result: SensitiveResult) -> list[tuple[str, Request]]:
    if result.cause in ("utility_reveals", "below_bound") and not request.drop_utility:
        return [("leave it out", replace(request, drop_utility=True))]
    if result.cause == "contains_s":
        return _without_columns(record, request)
    return [*_without_columns(record, request), *_stricter(record, request)]


def _after_inconclusive(
    record: RunRecord, request: Request, name: str, result: SensitiveResult
) -> list[tuple[str, Request]]:
    if result.cause in ("plants_missed", "interval_reaches_budget"):
        least, crossed, budget = result.decidable_budget, result.cross_fit_budget, record.audit.budget_of(name)
        if crossed is not None and budget is not None and budget >= crossed:
            return [("use every row", _cross_fitted(record, request))]
        if least is not None and least <= LARGE_SHARE * result.entropy:
            return [("allow more", _allowing(request, name, budget_up(least)))]
        return _stricter(record, request) if result.cause == "interval_reaches_budget" else []
    if result.cause == "budget_restricts_nothing":
        return [("allow less", _allowing(request, name, _usual(result)))]
    if result.cause == "below_bound" and not request.drop_utility:
        return [("leave it out", replace(request, drop_utility=True))]
    return _without_columns(record, request)


def _cross_fitted(record: RunRecord, request: Request) -> Request:
    """Return the run with the method that it came to, and every row audited."""
    settings = request.settings if record.choice is None else tuple(record.choice.settings)
    return replace(
        request, method=record.method.name, settings=settings, target_utility=None, time=None, cross_fit=USUAL_FOLDS
    )


def _allowing(request: Request, name: str, budget: float) -> Request:
    """Return the run under another budget for one attribute, or for all where they have one together."""
    budgets = request.budgets
    changed = budgets.changed(name, budget).written if budgets.named else budget
    return replace(request, budget=changed, budget_advantage=None)


def _usual(result: SensitiveResult) -> float:
    return min(USUAL_BUDGET, float(f"{LARGE_SHARE * result.entropy:.1g}"))


def _decidable(result: SensitiveResult, anyway: bool) -> float | None:
    """Return the usual budget or, where test leaks as small go unnoticed, the smallest one that does not, if worth it.

    A run with a budget that its rows cannot decide would end before the fit, unless it goes on anyway.
    """
    usual, limit = _usual(result), result.detection_limit
    if anyway or not result.plants or (limit is not None and limit <= usual):
        return usual
    return None if limit is None or budget_up(limit) > LARGE_SHARE * result.entropy else budget_up(limit)


def _without_columns(record: RunRecord, request: Request) -> list[tuple[str, Request]]:
    """Return the run without the columns that findings name."""
    named = [found.column for found in record.audit.findings if found.code in COLUMNS or found.severity == "critical"]
    known = {*record.audit.columns} - {*request.sensitive, *request.utility}
    drop = [name for name in dict.fromkeys(named) if name in known]
    return [("leave out columns", replace(request, drop=(*request.drop, *drop)))] if drop else []


def _stricter(record: RunRecord, request: Request) -> list[tuple[str, Request]]:
    """Return the run that hides more: by half the budget its method aims at, or by a stronger method."""
    name, aim = record.method.name, record.method.settings.get("budget")
    request = replace(request, target_utility=None, time=None)  # which go with a method that is still to be chosen
    if "budget" not in constructor(method_class(name)) or not aim:
        return [("hide more", replace(request, method=STRONGER, settings=(), preset=None))]
    if record.choice is not None:
        request = replace(request, settings=tuple(record.choice.settings))
    others = tuple(pair for pair in request.settings if pair.partition("=")[0].strip() != "budget")
    return [("hide more", replace(request, method=name, settings=(*others, f"budget={float(aim) / 2:.2g}")))]


def _command(request: Request, out: Path, anyway: bool) -> list[str]:
    return [*command_of(request, out), *(["--anyway"] if anyway else []), "--overwrite"]
