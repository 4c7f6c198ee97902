"""The folder of a frontier: cells, the record, the page and the picture."""

from collections.abc import Callable, Sequence
from pathlib import Path

from withhold.contracts.errors import InvalidParameterError, MissingExtraError
from withhold.contracts.frontier_record import FrontierRecord
from withhold.io.atomic import write_bytes, write_text
from withhold.report.frontier import pictures
from withhold.report.frontier_page import render_frontier
from withhold.workflow.choosing.trial import Candidate
from withhold.workflow.folder import refuse_same
from withhold.workflow.frontier.compare import frontier_file
from withhold.workflow.frontier.folder import PAGE, RASTER, RECORD, VECTOR, FrontierFolder
from withhold.workflow.request import Request


def frontier_folder(
    request: Request,
    methods: Sequence[Candidate],
    budgets: Sequence[str],
    *,
    seeds: int,
    out: Path,
    jobs: int = 1,
    resume: bool = False,
    overwrite: bool = False,
    limit: str | None = None,
    log: Callable[[str], None] = lambda text: None,
) -> FrontierRecord:
    """Compare methods on a file, and write the record, the page and the picture beside the cells.

    Parameters
    ----------
    budgets : sequence of str
        As typed.
    resume, overwrite : bool
        Go on with the cells of `out`; start again.
    limit : str or None
        Time for searching settings.
    """
    refuse_same(out, {"the data": request.data, "the table of labels": request.labels})
    with FrontierFolder(out) as folder:
        record = frontier_file(
            request,
            methods,
            [_number(one) for one in budgets],
            seeds=seeds,
            out=out,
            jobs=jobs,
            resume=resume,
            limit=limit,
            ready=lambda: folder.begin(overwrite),
            overwrite=overwrite,
            log=log,
        )
        drawn = ""
        try:
            drawn, raster = pictures(record)
            write_text(folder.place(VECTOR), drawn)
            write_bytes(folder.place(RASTER), raster)
        except MissingExtraError as error:
            log(f"no picture: {error}")
        write_text(folder.place(RECORD), record.model_dump_json(indent=2))
        write_text(folder.place(PAGE), render_frontier(record, drawn))
    log(f"wrote {out}")
    return record


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InvalidParameterError(f"--budgets takes nats such as 0.01,0.03,0.1 (got {text!r}).") from error
