"""Methods compared at several budgets and seeds, beside what anybody could release and what is possible."""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.contracts.checks import check_budget
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.frontier_record import FrontierCell, FrontierRecord, Measure, PossiblePoint
from withhold.contracts.images import image_names
from withhold.contracts.wording import advice, listed, option
from withhold.data.frames import to_frame
from withhold.information.bounds.frontier import frontier
from withhold.io.atomic import write_text
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.bounds import bounds_of
from withhold.workflow.choice import build, command_name, method_class, settings_of
from withhold.workflow.choosing.trial import Candidate
from withhold.workflow.frontier.cells import cells_for, entropy_of, with_the_whole
from withhold.workflow.frontier.grid import fill_all, read_cells
from withhold.workflow.frontier.tuning import cells_found, require_optuna, searched_for
from withhold.workflow.frontier.tuning import tune as tune_settings
from withhold.workflow.given import with_columns
from withhold.workflow.goal import seconds_of
from withhold.workflow.job import Job, job_of
from withhold.workflow.plan_methods import obstacle
from withhold.workflow.request import Request
from withhold.workflow.source import Source, check_declared, read_source

Log = Callable[[str], None]
ASKED = "asked.json"
# What changes no cell: methods, budgets and seeds can be added to a frontier.
INCIDENTAL = ("data", "method", "budget", "budget_advantage", "seed", "title", "device")
# The curves of more combinations of S and U, or of more rows, take longer than a fit.
MOST_CELLS, MOST_ROWS = 200, 20_000
BUDGETS = (0.01, 0.03, 0.1)
# Budgets of the curves, beside those that are asked for.
CURVE = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
ON_ITS_OWN_ROWS = (
    "Settings are compared on the rows that measured them, by a small panel: the best of many looks better than it is. "
    "Run the one you take: its audit judges it with all attackers."
)


def compare(
    methods: Sequence[Any],
    X: Any,
    y: Any = None,
    *,
    sensitive_features: Any,
    budgets: Sequence[float] = BUDGETS,
    groups: Any = None,
    random_state: int = 0,
    seeds: int = 1,
    n_jobs: int = 1,
    tune: float | str | None = None,
    log: Log = lambda text: None,
) -> FrontierRecord:
    """Compare methods at several budgets: what each leaks, and what it keeps, on rows that it was not fitted on.

    Parameters
    ----------
    methods : sequence of str, class or estimator
        Methods by their name, such as "deepminmax", their class, or with parameters: ``DeepMinMax(rounds=100)``. One
        whose `budget` or `lam` is set is tried with that alone.
    X : DataFrame, Table or ndarray, shape (n_samples, n_features)
    y : str, list of str, array or DataFrame, optional
        What must stay useful, released as it is.
    sensitive_features : str, list of str, array or DataFrame
        What is hidden.
    budgets : sequence of float, default=(0.01, 0.03, 0.1)
        Nats that methods aim at.
    groups : str or array, optional
        Subject of each row.
    random_state : int, default=0
        The first seed.
    seeds : int, default=1
        How often each is fitted, on another half of the rows each time.
    n_jobs : int, default=1
        Processes. More than one needs a script that runs only under ``if __name__ == "__main__":``.
    tune : float or str, optional
        Seconds, or a text such as "5m", for searching settings of the methods (extra `tune`), on rows that no cell is
        judged on. What is found best for each budget is in `tuned`, and has cells beside the usual ones.
    log : callable
        Called with one line for each cell.

    Returns
    -------
    FrontierRecord
        With `to_frame()`, `plot(ax)` and `best(budget=...)`.

    Raises
    ------
    InvalidParameterError
        A method that does not apply to these data, or no budget.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(0, 2, 200)
    >>> X = np.column_stack([s + rng.normal(size=200), rng.normal(size=200)])
    >>> found = compare(["leace"], X, sensitive_features=s, budgets=[0.1])
    >>> found.best(budget=0.7) is not None, "leace" in set(found.to_frame()["name"])
    (True, True)
    """
    table = to_frame(X, "X").table
    table, sensitive = with_columns(table, sensitive_features, "sensitive_features")
    table, utility = with_columns(table, y, "y")
    table, subjects = with_columns(table, groups, "groups")
    candidates = [_candidate(one) for one in methods]
    request = Request(
        data=Path("data.parquet"),
        sensitive=sensitive,
        utility=utility,
        groups=subjects[0] if subjects else None,
        method="identity",
        seed=random_state,
    )
    source = Source(request.data, table, "", ".parquet")
    with tempfile.TemporaryDirectory() as folder:
        return frontier_of(
            request,
            source,
            candidates,
            budgets,
            seeds=seeds,
            folder=Path(folder),
            jobs=n_jobs,
            log=log,
            limit=None if tune is None else str(tune),
        )


def frontier_file(
    request: Request,
    methods: Sequence[Candidate],
    budgets: Sequence[float],
    *,
    seeds: int,
    out: Path,
    jobs: int = 1,
    resume: bool = False,
    overwrite: bool = False,
    limit: str | None = None,
    ready: Callable[[], None] = lambda: None,
    log: Log = lambda text: None,
) -> FrontierRecord:
    """Compare methods on a file; every cell is a file of `out`, so that an interrupted comparison can be continued.

    Parameters
    ----------
    request : Request
        The data and the parts of its columns.
    budgets, seeds
        As for `compare`.
    out : Path
        Folder of the cells.
    jobs : int
        Processes.
    resume : bool
        Go on with the cells that are there, which must be of the same data and options.
    overwrite : bool
        Whatever `out` was asked for before, it is started again.
    limit : str or None
        Time for searching settings.
    ready : callable
        Called before anything is written.
    """
    request = replace(request, method="identity")
    _check(methods, budgets, seeds, jobs, limit)
    source = read_source(request.data, request.array, request.labels, reading=request.reading, log=log)
    check_declared(request.reading, source.table.column_names, source.name)
    made = {name: value for name, value in request.fingerprint().items() if name not in INCIDENTAL}
    asked = json.dumps({**made, "digest": source.digest, "version": version("withhold")}, indent=2, sort_keys=True)
    before = out / ASKED
    if not overwrite and before.exists() and before.read_text("utf-8") != asked:
        raise InvalidParameterError(
            f"{out} holds a frontier of other data or options. Name another folder, or pass --overwrite."
        )
    if not overwrite and before.exists() and not resume:
        raise InvalidParameterError(f"{out} exists. Pass --resume to go on with it, or --overwrite to start again.")

    def begin() -> None:
        ready()
        out.mkdir(parents=True, exist_ok=True)
        write_text(before, asked)

    return frontier_of(
        request, source, methods, budgets, seeds=seeds, folder=out, jobs=jobs, log=log, limit=limit, ready=begin
    )


def frontier_of(
    request: Request,
    source: Source,
    methods: Sequence[Candidate],
    budgets: Sequence[float],
    *,
    seeds: int,
    folder: Path,
    jobs: int,
    log: Log,
    limit: str | None = None,
    ready: Callable[[], None] = lambda: None,
) -> FrontierRecord:
    """Fill the cells of a table and return them as one record; `ready` is called once nothing can be refused."""
    seconds = _check(methods, budgets, seeds, jobs, limit)
    job = job_of(request, source)
    if not len(job.attributes):
        raise InvalidParameterError("There is no column to hide yet. Add --sensitive COL.")
    for name in [command_name(method_class(one.method)) for one in methods]:
        if why := obstacle(name, job):
            raise InvalidParameterError(f"{name} does not apply to these data: {why}. Leave it out.")
    numbers = [request.seed + i for i in range(seeds)]
    cells = cells_for(methods, sorted(set(budgets)), numbers, job)
    ready()
    tuned = []
    if seconds is not None:
        tuned = tune_settings(request, source, methods, sorted(set(budgets)), numbers, folder, seconds, log)
    searched = cells_found(tuned, numbers)
    fill_all(request, source, list(dict.fromkeys([*cells, *searched])), folder, jobs, log)
    found, entropy = read_cells(cells, folder), entropy_of(job)
    found = found if entropy is None else with_the_whole(found, entropy)
    found += [cell.model_copy(update={"name": f"{cell.name}, tuned"}) for cell in read_cells(searched, folder)]
    record = _record(job, found, budgets, numbers, log)
    notes = [*record.notes, *([] if limit is None else [searched_for(tuned, limit)])]
    return record.model_copy(update={"tuned": tuned, "notes": notes})


def _candidate(method: Any) -> Candidate:
    if isinstance(method, str):
        return Candidate(method)
    if isinstance(method, Sanitizer):
        return Candidate(command_name(type(method)), settings_of(method))
    if isinstance(method, type) and issubclass(method, Sanitizer):
        return Candidate(command_name(method))
    raise InvalidParameterError(
        f"compare takes names, classes and estimators of this package (got {method!r:.60}). Leave it out."
    )


def _check(
    methods: Sequence[Candidate], budgets: Sequence[float], seeds: int, jobs: int, limit: str | None
) -> float | None:
    """Refuse what means nothing, before any file is read; return the seconds for searching settings."""
    for budget in budgets:
        check_budget(budget, advice("each of budgets", "--budgets"))
    if not budgets or not methods or seeds < 1 or jobs < 1:
        raise InvalidParameterError("Name at least one method, one budget, one seed and one job.")
    for one in methods:
        method_class(one.method)
        if one.settings:
            build(one.method, pairs=one.settings)[0].check()
    seconds = seconds_of(limit, option("tune"))
    if seconds is not None:
        require_optuna()
    return seconds


def _record(
    job: Job, found: list[FrontierCell], budgets: Sequence[float], seeds: list[int], log: Log
) -> FrontierRecord:
    measure: Measure = "retention"
    if job.roles.utility:
        measure = "nat" if all(one.kept is not None or one.trial.failed for one in found) else "score"
    possible, notes = ([], []) if measure != "nat" else _possible(job, budgets, log)
    if measure == "score":
        notes = ["What is possible is not drawn: the utility columns are no classes, or too many."]
    return FrontierRecord(
        sensitive=list(job.roles.sensitive),
        utility=list(job.roles.utility),
        n=job.table.num_rows,
        entropy=entropy_of(job),
        measure=measure,
        seeds=seeds,
        budgets=sorted(set(budgets)),
        cells=found,
        possible=possible,
        notes=[*notes, ON_ITS_OWN_ROWS],
    )


def _possible(job: Job, budgets: Sequence[float], log: Log) -> tuple[list[PossiblePoint], list[str]]:
    """Return what releases can keep at each leakage, or why that is not computed."""
    features = job.table.select(list(job.roles.features))
    utility = job.useful
    s, u = job.attributes.joint(), utility.joint()
    classes = s is not None and u is not None and s.kind == u.kind == "categorical"
    if s is None or u is None or not classes or image_names(features) or s.n_classes * u.n_classes > MOST_CELLS:
        return [], [f"What releases can keep of {listed(job.roles.utility)} is not computed for these data."]
    log("computing bounds")
    rows = np.arange(job.table.num_rows)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(job.request.seed).permutation(len(rows))[:MOST_ROWS])
    curve = sorted({*CURVE, *budgets})
    taken = features.take(pa.array(rows))
    known = bounds_of(taken, job.attributes.take(rows), utility.take(rows), curve, seed=job.request.seed)
    counts = np.zeros((u.n_classes, s.n_classes))
    both = u.known & s.known
    np.add.at(counts, (u.codes[both], s.codes[both]), 1.0)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    free = frontier(counts / counts.sum(), curve)
    told = known.mutual_information["u_x"]
    return [
        PossiblePoint(leakage=k, most=free.entropy_u - float(left), reached=max(0.0, told - lost))
        for k, left, lost in zip(curve, free.lower_bound, known.achievable_bound, strict=True)
    ], []
