"""`withhold plan`: what the data can bear, before anything is fitted."""

from typing import Annotated

from withhold.cli.outcome import Outcome, note
from withhold.workflow.options import File, Option, Overwrite
from withhold.workflow.request import Request

Written = Annotated[File, Option("Also write the JSON document to this file.", "FILE")]
Roles = Annotated[
    File, Option("Write the role of every column to this file, such as withhold.toml, to edit.", "FILE", flag="--write")
]

EXAMPLES = (
    "withhold plan survey.csv --sensitive sex --utility income",
    "withhold plan survey.csv --sensitive sex --utility income --budget 0.05",
    "withhold plan survey.csv --sensitive sex --utility income --write withhold.toml",
)


def plan(request: Request, out: Written = None, roles: Roles = None, overwrite: Overwrite = False) -> Outcome:
    """Say what a table can bear before anything is fitted, and what to run next.

    It says how much the columns tell of the sensitive ones, if the utility column alone breaks the budget, how many
    rows a verdict within the budget needs and which budget these rows can decide, the least that must be lost, which
    methods apply and how long a run takes here. Its options are those of `run`. It takes seconds to a minute.
    """
    from withhold.cli.plan_summary import show_plan
    from withhold.cli.roles_file import roles_toml
    from withhold.io.atomic import write_text
    from withhold.workflow.folder import refuse_existing, refuse_same
    from withhold.workflow.plan import plan_request

    read = {"the data": request.data, "the test data": request.test, "the labels": request.labels}
    for path in (out, roles):
        if path is not None:
            refuse_same(path, {**read, "the file of roles": None if path is roles else roles})
            refuse_existing(path, overwrite)
    record = plan_request(request, note)
    if out is not None:
        write_text(out, record.model_dump_json(indent=2))
        note(f"wrote {out}")
    if roles is not None:
        write_text(roles, roles_toml(request, record.columns))
        note(f"wrote {roles}")
    return Outcome(record, lambda stream: show_plan(record, stream))
