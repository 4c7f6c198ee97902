"""What to type after a release that its audit did not pass: the same run, with what was found wrong put right."""

import math
from dataclasses import replace
from pathlib import Path
from shlex import quote

from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.budgets import LARGE_SHARE, usual_budget
from withhold.contracts.rounding import budget_up
from withhold.contracts.run_record import RunRecord
from withhold.report.decision import leading, telling_columns
from withhold.workflow.choice import constructor, method_class
from withhold.workflow.plan_words import USUAL_FOLDS, command_of
from withhold.workflow.request import Request

# After a run without a budget more may be proposed than a plan does, up to this share of all there is to know: what is
# judged by it is at least known to stay below that, and the other step is to share it without any verdict.
LOOSE_SHARE = 0.75
AIM = "budget"  # the setting of methods that aim at one
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
        found = _after_measuring(record, request, result, anyway)
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
            return [("allow more", _allowing(_as_it_was(record, request), name, budget_up(least)))]
        if crossed is not None and crossed <= LARGE_SHARE * result.entropy:
            return [("use every row", _allowing(_cross_fitted(record, request), name, budget_up(crossed)))]
        return _stricter(record, request) if result.cause == "interval_reaches_budget" else []
    if result.cause == "budget_restricts_nothing":
        return [("allow less", _allowing(request, name, usual_budget(result.entropy)))]
    if result.cause == "below_bound" and not request.drop_utility:
        return [("leave it out", replace(request, drop_utility=True))]
    return _without_columns(record, request)


def _cross_fitted(record: RunRecord, request: Request) -> Request:
    """Return the run with the method that it came to, and every row audited."""
    return replace(_named(record, request), cross_fit=USUAL_FOLDS)


def _named(record: RunRecord, request: Request) -> Request:
    """Return the run with the method and the settings that it came to, so that nothing is chosen any more."""
    settings = request.settings if record.choice is None else tuple(record.choice.settings)
    return replace(request, method=record.method.name, settings=settings, target_utility=None, time=None)


def _as_it_was(record: RunRecord, request: Request) -> Request:
    """Return the run of the same release: a method that aims at the budget would make another under another budget."""
    request, aim = _named(record, request), _aim(record)
    said = any(pair.partition("=")[0].strip() == AIM for pair in request.settings)
    return replace(request, settings=request.settings if said or not aim else (*request.settings, f"{AIM}={aim:.6g}"))


def _aim(record: RunRecord) -> float | None:
    """Return the budget that a method aimed at, where it takes one."""
    aim = record.method.settings.get(AIM)
    return float(aim) if aim and AIM in constructor(method_class(record.method.name)) else None


def _allowing(request: Request, name: str, budget: float) -> Request:
    """Return the run under another budget for one attribute, or for all where they have one together."""
    budgets = request.budgets
    changed = budgets.changed(name, budget).written if budgets.named else budget
    return replace(request, budget=changed, budget_advantage=None)


def _after_measuring(
    record: RunRecord, request: Request, result: SensitiveResult, anyway: bool
) -> list[tuple[str, Request]]:
    """Return the run with the usual budget or, where its rows cannot decide that, the smallest one that they can.

    Where that is large, it is cross-fitting that is proposed if the budget is smaller then; where that is more than
    three quarters of all there is to know too, nothing is.
    """
    usual = usual_budget(result.entropy)
    if anyway:  # a run whose rows cannot decide the budget would else end before the fit
        return [("judge it", replace(_as_it_was(record, request), budget=usual))]
    here, across = result.decidable_budget, result.cross_fit_budget
    ways = [
        (max(usual, budget_up(least)), words, way)
        for least, words, way in ((here, "judge it", _as_it_was), (across, "judge every row", _cross_fitted))
        if least is not None
    ]
    for budget, words, way in ways:
        if budget <= LARGE_SHARE * result.entropy:
            return [(words, replace(way(record, request), budget=budget))]
    budget, _, way = min(ways, key=lambda one: one[0], default=(math.inf, "", _as_it_was))
    loosely = budget <= LOOSE_SHARE * result.entropy
    return [("judge loosely", replace(way(record, request), budget=budget))] if loosely else []


def _without_columns(record: RunRecord, request: Request) -> list[tuple[str, Request]]:
    """Return the run without the columns that findings name, and that its choice of a method said to leave out."""
    named = telling_columns([*record.audit.findings, *record.method.findings])
    known = {*record.audit.columns} - {*request.sensitive, *request.utility}
    helps = [] if record.choice is None else record.choice.helps
    named += [name for name in record.audit.columns if any(line.startswith(f"--drop {quote(name)}:") for line in helps)]
    drop = [name for name in dict.fromkeys(named) if name in known]
    left = len(known) > len(drop) > 0  # without any column there is nothing to release
    return [("leave out columns", replace(request, drop=(*request.drop, *drop)))] if left else []


def _stricter(record: RunRecord, request: Request) -> list[tuple[str, Request]]:
    """Return the run that hides more: by half the budget its method aims at, or by a stronger method."""
    request, aim = _named(record, request), _aim(record)
    if aim is None:
        return [("hide more", replace(request, method=STRONGER, settings=(), preset=None))]
    others = tuple(pair for pair in request.settings if pair.partition("=")[0].strip() != AIM)
    return [("hide more", replace(request, settings=(*others, f"{AIM}={aim / 2:.2g}")))]


def _command(request: Request, out: Path, anyway: bool) -> list[str]:
    return [*command_of(request, out), *(["--anyway"] if anyway else []), "--overwrite"]
