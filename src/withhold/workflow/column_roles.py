"""The role that was found for each column of a table: hidden, useful, subject, left out and why, or released."""

import pyarrow as pa

from withhold.contracts.images import image_names
from withhold.contracts.plan_record import Role, RoleTold
from withhold.data.arrow_types import family, plain_encodings, value_type
from withhold.data.codec import TableCodec
from withhold.data.schema import AnyColumn, pandas_index
from withhold.data.subjects import repeating_identifier
from withhold.workflow.job import Job

KINDS = {"numeric": "number", "categorical": "categories", "constant": "one value"}
AS_ASKED = "as asked"
REASONS = {"identifier": "it looks like an identifier", "free_text": "it looks like text that people wrote"}


def column_roles(job: Job) -> list[RoleTold]:
    """Return the role of each column, in the order of the table; of arrays and images, none.

    Returns
    -------
    list of RoleTold
        Those of features as a fit would read them, from the rows that it would see.

    Examples
    --------
    >>> from pathlib import Path
    >>> from withhold.workflow.job import job_of
    >>> from withhold.workflow.request import Request
    >>> from withhold.workflow.source import Source
    >>> table = pa.table({"s": [0, 1] * 50, "x": [i / 7 for i in range(100)], "id": [f"p{i}" for i in range(100)]})
    >>> job = job_of(Request(Path("t.csv"), ("s",)), Source(Path("t.csv"), table, "", ".csv"))
    >>> [(one.column, one.role) for one in column_roles(job)]
    [('s', 'sensitive'), ('x', 'feature'), ('id', 'dropped')]
    """
    roles, table = job.roles, job.table
    if image_names(table):
        return []
    features = plain_encodings(table.select(list(roles.features)).take(pa.array(job.parts.known_rows)))
    categorical, continuous = (
        [name for name in names if name in roles.features]
        for names in (job.request.categorical, job.request.continuous)
    )
    schema = TableCodec.fit(features, keep=roles.keep, categorical=categorical, continuous=continuous).schema
    found = {one.name: RoleTold(column=one.name, role="feature", kind=_kind(features, one)) for one in schema.columns}
    for left in schema.dropped:
        found[left.name] = RoleTold(column=left.name, role="dropped", why=REASONS.get(left.reason, ""))
    for attribute in job.attributes:
        found[attribute.name] = RoleTold(column=attribute.name, role="sensitive", kind=attribute.kind)
    index = pandas_index(table.schema)
    for name in roles.dropped:
        found[name] = RoleTold(column=name, role="dropped", why="a pandas index" if name in index else AS_ASKED)
    found |= {name: RoleTold(column=name, role="utility") for name in roles.utility}
    single: dict[Role, str | None] = {"split": roles.split, "key": roles.key, "groups": roles.groups}
    found |= {name: RoleTold(column=name, role=role) for role, name in single.items() if name is not None}
    if job.groups is None and (subjects := _subjects(job)) is not None:
        named, count = subjects
        why = "; ".join([*([found[named].why] if found[named].why else []), f"it seems to name {count:,} subjects"])
        found[named] = found[named].model_copy(update={"why": why, "names_subjects": True})
    return [found[name] for name in table.column_names if name in found]


def _subjects(job: Job) -> tuple[str, int] | None:
    names = [name for name in (*job.roles.features, *job.roles.dropped) if name in job.table.column_names]
    return repeating_identifier(job.table, names, job.table.select(list(job.roles.sensitive)))


def _kind(features: pa.Table, column: AnyColumn) -> str:
    dated = family(value_type(features.schema.field(column.name).type)) == "temporal"
    return "date" if dated else KINDS[column.kind]
