"""Everything a run needs to know before it starts: the table, the part of each column and of each row."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from withhold.contracts.budgets import Budgets
from withhold.contracts.run_record import DataSummary
from withhold.data.any_values import finite_table
from withhold.data.attributes import Attributes
from withhold.data.schema import pandas_index
from withhold.io.reading import FOUND_OUT, Reading
from withhold.privacy.record_names import name_bytes
from withhold.workflow.advantage import budget_in_nats
from withhold.workflow.choice import method_class
from withhold.workflow.parts import Parts, checked, draw_folds, draw_parts, parts_by_column, refuse_parted
from withhold.workflow.request import Request
from withhold.workflow.roles import Roles, assign
from withhold.workflow.source import (
    Source,
    check_declared,
    group_codes,
    names_of_files,
    read_source,
    read_utility,
    say_small_classes,
    sensitive_attributes,
    with_test_file,
)


@dataclass(frozen=True)
class Job:
    """A request with the data it is about, read and checked.

    Attributes
    ----------
    request : Request
        What was asked.
    table : pyarrow.Table
        All rows; with a test file those of both.
    summary : DataSummary
        The shape of the data.
    name, digest : str
        The file's name and SHA-256, which are not shared.
    suffix : str
        Format of the release, the one that came in: none for a folder of images.
    roles, attributes, groups, parts
        The part of each column, the sensitive attributes, the subject of each row (also by the key of a ledger), fit
        and audit rows.
    budgets : Budgets
        In nats, however they were stated.
    reading : Reading
        How a text file was read; the release is written the same way.
    """

    request: Request
    table: pa.Table
    summary: DataSummary
    name: str
    digest: str
    suffix: str
    roles: Roles
    attributes: Attributes
    groups: np.ndarray | None
    parts: Parts
    budgets: Budgets
    reading: Reading = FOUND_OUT

    @cached_property
    def useful(self) -> Attributes:
        """The utility attributes."""
        return read_utility(self.table, self.roles.utility, self.request.kinds)

    @property
    def budget(self) -> float | None:
        """The smallest budget, in nats: a release that tells no more than that of all together keeps every other."""
        return self.budgets.least

    @property
    def together(self) -> float | None:
        """What may be learned of all sensitive attributes together, in nats."""
        return self.budgets.together(self.attributes.names) if len(self.attributes) else self.budgets.every

    @property
    def own_budgets(self) -> dict[str, float]:
        """What may be learned of single attributes, where there are several and some have a budget of their own."""
        own = {name: limit for name in self.attributes.names if (limit := self.budgets.of(name)) is not None}
        return own if len(self.attributes) > 1 and self.budgets.named else {}

    def about(self, name: str) -> "Job":
        """Return the same job as if one attribute alone were hidden, within its own budget."""
        attributes = Attributes(tuple(one for one in self.attributes if one.name == name))
        roles = replace(self.roles, sensitive=(name,))
        return replace(self, attributes=attributes, roles=roles, budgets=Budgets(self.budgets.of(name)))


def prepare(request: Request, log: Callable[[str], None] = lambda text: None) -> Job:
    """Read the data of a request and give rows and columns their parts; nothing is written.

    Parameters
    ----------
    request : Request
        What was asked.
    log : callable
        Called with one line per step.
    """
    source = read_source(request.data, request.array, request.labels, reading=request.reading, log=log)
    check_declared(request.reading, source.table.column_names, source.name)
    fit = None
    if request.test is not None:
        source, fit = with_test_file(source, read_source(request.test, request.array, reading=request.reading, log=log))
    job = job_of(request, source, fit)
    say_small_classes(job.attributes, log)
    return job


def roles_of(request: Request, source: Source) -> Roles:
    """Give the columns of a table their parts."""
    return assign(
        source.table.column_names,
        source.name,
        sensitive=request.sensitive,
        utility=request.utility,
        groups=request.groups,
        split=request.split,
        drop=(*request.drop, *names_of_files(request.labels)),
        keep=request.keep,
        needs_sensitive=method_class(request.method).needs_sensitive,
        index=pandas_index(source.table.schema),
        key=request.key,
    )


def job_of(request: Request, source: Source, fit: np.ndarray | None = None) -> Job:
    """Give rows and columns of a table their parts.

    Parameters
    ----------
    request : Request
        What was asked.
    source : Source
        The table, read.
    fit : ndarray of bool or None
        Rows to fit on, where a second file says so.
    """
    counted = method_class(request.method).fresh_noise
    roles = roles_of(request, source)
    if counted:  # no value of a record decides whether there is a release
        source = replace(source, table=finite_table(source.table))
    attributes = sensitive_attributes(source.table, roles.sensitive, request.kinds)
    named = roles.names_records if counted else None
    groups = joined(group_codes(source.table, roles.groups), person_codes(source.table, named))
    if fit is not None:
        parts = checked(Parts(fit, "test_file"))
    elif request.cross_fit is not None:
        parts = draw_folds(attributes, groups, source.table.num_rows, request.cross_fit, request.seed)
    elif request.split is not None:
        parts = parts_by_column(source.table.column(request.split), request.split)
    else:
        parts = draw_parts(attributes, groups, source.table.num_rows, request.seed)
    if named is not None:
        refuse_parted(parts, groups, named)
    budgets = budget_in_nats(request.budgets, request.budget_advantage, attributes)
    summary = DataSummary(
        rows=source.table.num_rows,
        columns=source.table.num_columns,
        sensitive=list(roles.sensitive),
        utility=list(roles.utility),
        groups=roles.groups,
        dropped=list(roles.dropped),
    )
    job = Job(
        request,
        source.table,
        summary,
        source.name,
        source.digest,
        source.suffix,
        roles,
        attributes,
        groups,
        parts,
        budgets,
        source.reading,
    )
    _ = job.useful  # what the audit would refuse is refused before the fit
    return job


def person_codes(table: pa.Table, name: str | None) -> np.ndarray | None:
    """Return the person of each row as an integer, told apart as a ledger does; None without a column.

    Examples
    --------
    >>> person_codes(pa.table({"id": ["7", " 7 ", "8"]}), "id")
    array([0, 0, 1])
    """
    if name is None:
        return None
    known: dict[bytes, int] = {}
    names = (name_bytes(value, "identifier") for value in table.column(name).to_pylist())
    return np.array([known.setdefault(each, len(known)) for each in names], dtype=np.int64)


def joined(groups: np.ndarray | None, persons: np.ndarray | None) -> np.ndarray | None:
    """Return the smallest groups of rows that divide neither a subject nor a person; None where each row is its own.

    Examples
    --------
    >>> joined(np.array([0, 0, 1, 2]), np.array([5, 6, 6, 7]))
    array([0, 0, 0, 1])
    >>> joined(None, np.array([2, 1, 3])) is None
    True
    """
    if persons is None:
        return groups
    if groups is None:
        return persons if len(np.unique(persons)) < len(persons) else None
    subjects, people = (np.unique(codes, return_inverse=True)[1] for codes in (groups, persons))
    nodes = int(subjects.max()) + 1 + int(people.max()) + 1
    links = coo_array((np.ones(len(groups)), (subjects, people + int(subjects.max()) + 1)), shape=(nodes, nodes))
    return np.asarray(connected_components(links, directed=False)[1][subjects], dtype=np.int64)
