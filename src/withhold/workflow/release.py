"""Fitting a method and putting its release together: all rows in the order they came, utility copied unchanged."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.run_record import MethodSummary
from withhold.data.arrow_types import plain_encodings
from withhold.data.columns.column import bare_field
from withhold.data.schema import without_index
from withhold.methods.estimator.artifact import changed, settings
from withhold.methods.estimator.drift import release_counting
from withhold.methods.estimator.dropped import told_elsewhere
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.choice import build, command_name, constructor, method_class
from withhold.workflow.parts import Parts
from withhold.workflow.request import Request, declared
from withhold.workflow.roles import Roles

MATRIX = re.compile(r"x(0|[1-9]\d*)")


@dataclass(frozen=True)
class Fitted:
    """A fitted method and what it made of the features of every row."""

    sanitizer: Sanitizer
    features: pa.Table
    summary: MethodSummary


def unfitted(request: Request, key: NoiseKey | None = None, budget: float | None = None) -> Sanitizer:
    """Make the method a request names; a wrong setting is found here, before any work.

    A method that takes a budget itself is given the one the audit will judge by, in nats, unless `--set` says another.
    """
    _check_utility(request)
    _check_epsilon(request)
    check_key(request.key, method_class(request.method))
    attributes = (*request.sensitive, *request.utility)
    kinds = declared(request.kinds, (*request.sensitive, *_seen_utility(request)))
    sanitizer, _ = build(
        request.method,
        pairs=request.settings,
        preset=request.preset,
        output=request.output,
        decode=request.decode,
        noise_key=None if method_class(request.method).fresh_noise else key,
        keep=tuple(name for name in request.keep if name != request.groups),
        sensitive_kinds=kinds or None,
        categorical=tuple(name for name in request.categorical if name not in attributes),
        continuous=tuple(name for name in request.continuous if name not in attributes),
        device=request.device,
        random_state=request.seed,
        **({} if budget is None else {"budget": budget}),
        **({} if request.epsilon is None else {"epsilon": request.epsilon}),
    )
    sanitizer.check()
    return sanitizer


def _check_epsilon(request: Request) -> None:
    """Refuse an epsilon where no method would use it."""
    cls = method_class(request.method)
    if request.epsilon is not None and "epsilon" not in constructor(cls):
        raise InvalidParameterError(
            "--epsilon only applies to differentially private methods. Leave it out, or choose --method cadp."
        )


def check_key(key: str | None, method: type[Sanitizer]) -> None:
    """Refuse a column that names records where no release is counted.

    Examples
    --------
    >>> from withhold.methods.cadp.cadp import CADP
    >>> check_key("person", CADP)
    """
    if key is not None and not method.fresh_noise:
        raise InvalidParameterError(
            "--key only applies to differentially private methods such as cadp. Use --groups to name subjects, --drop "
            "to leave a column out."
        )


def utility_for_fit(request: Request, table: pa.Table) -> pa.Table | None:
    """Return the utility columns when the method needs them or is to see them, else None."""
    seen = _seen_utility(request)
    return table.select(list(seen)) if seen else None


def _seen_utility(request: Request) -> tuple[str, ...]:
    cls = method_class(request.method)
    return request.utility if request.use_utility or cls.needs_y or cls.needs_class else ()


def _check_utility(request: Request) -> None:
    """Refuse a method without the utility column that it needs, or with several where it keeps one."""
    cls, count = method_class(request.method), len(request.utility)
    if cls.needs_y and not count:
        raise InvalidParameterError(
            f"{request.method} needs to know what should stay useful. Add --utility COL, or choose a method that keeps "
            "everything, such as --method deepminmax."
        )
    sees = cls.needs_y or request.use_utility or cls.needs_class
    if sees and count > 1 and not cls.several_y:
        raise InvalidParameterError(
            f"{request.method} sees one --utility column while it is fitted (got {count}). Name one."
        )


def fit_and_release(
    sanitizer: Sanitizer, request: Request, roles: Roles, table: pa.Table, parts: Parts, groups: np.ndarray | None
) -> Fitted:
    """Fit on the fit part and release every row.

    Parameters
    ----------
    sanitizer : Sanitizer
        Unfitted.
    request, roles, table, parts, groups
        The job, its columns, the table, the division of its rows and the subject of each row.
    """
    fit, audit = parts.fit_rows, parts.audit_rows
    known, unseen = table.take(fit), table.take(audit)
    started = time.perf_counter()
    # Rows of the fit part meet decoders that saw no row of their subject, which only fit_transform can do.
    with told_elsewhere():
        first = sanitizer.fit_transform(
            features_of(known, roles),
            utility_for_fit(request, known),
            sensitive_features=known.select(list(roles.sensitive)),
            groups=None if groups is None else groups[fit],
        )
    seconds = time.perf_counter() - started
    # Drift of the audit part is said in the audit.
    second = release_counting(sanitizer, features_of(unseen, roles), None)
    released = in_order([as_table(first, roles, sanitizer), as_table(second, roles, sanitizer)], [fit, audit])
    return Fitted(sanitizer, released, summary_of(sanitizer, seconds))


def is_matrix(table: pa.Table, names: Sequence[str]) -> bool:
    """Say whether columns are one matrix read from an array (x0, x1, ... of one float type): an embedding.

    Examples
    --------
    >>> is_matrix(pa.table({"x0": [0.5], "x1": [1.5], "y": [3]}), ["x0", "x1"])
    True
    """
    types = {table.schema.field(name).type for name in names}
    return len(types) == 1 and pa.types.is_floating(next(iter(types))) and all(map(MATRIX.fullmatch, names))


def features_of(table: pa.Table, roles: Roles) -> Any:
    """Return what a method is given: the array an embedding was read from, or a table."""
    if is_matrix(table, roles.features):
        return np.column_stack([table.column(name).to_numpy() for name in roles.features])
    return without_index(table.select(list(roles.features)))  # row labels that were kept are features


def as_table(released: Any, roles: Roles, sanitizer: Sanitizer) -> pa.Table:
    """Return a release as a table: x0, x1, ... for an array that came in as one, else the method's own names."""
    if isinstance(released, pa.Table):
        return plain_encodings(released)
    columns = [np.ascontiguousarray(column) for column in released.T]
    array = all(map(MATRIX.fullmatch, roles.features))
    names = [f"x{j}" for j in range(len(columns))] if array else [str(n) for n in sanitizer.get_feature_names_out()]
    return pa.table(columns, names=names)


def in_order(tables: Sequence[pa.Table], positions: Sequence[np.ndarray]) -> pa.Table:
    """Put rows of several tables back where they belong.

    Examples
    --------
    >>> tables = [pa.table({"a": [1, 3]}), pa.table({"a": [2]})]
    >>> in_order(tables, [np.array([0, 2]), np.array([1])]).to_pydict()
    {'a': [1, 2, 3]}
    """
    schema = tables[0].schema
    whole = pa.concat_tables([table.cast(schema) if table.schema != schema else table for table in tables])
    order = np.argsort(np.concatenate(positions), kind="stable")
    return whole.unify_dictionaries().combine_chunks().take(pa.array(order))


def assemble(features: pa.Table, table: pa.Table, roles: Roles, *, drop_utility: bool = False) -> pa.Table:
    """Put sanitised features and copied columns together, in the order of the input.

    Columns of a representation come first. The sensitive, split and dropped columns are never part of it; the
    subject column only when the user asked to keep it.

    Parameters
    ----------
    features : pyarrow.Table
        What the method released.
    table : pyarrow.Table
        The input.
    roles : Roles
        The part each column plays.
    drop_utility : bool
        Leave the utility columns out.
    """
    copied = [] if drop_utility else list(roles.utility)
    if roles.kept_groups and roles.groups is not None:
        copied.append(roles.groups)
    clash = [name for name in copied if name in features.column_names]
    if clash:
        raise InvalidParameterError(
            f"{clash[0]!r} is also the name of a released feature. Rename the column in the data."
        )
    columns = {name: features.column(name) for name in features.column_names}
    columns |= {name: table.column(name) for name in copied}
    place = {name: i for i, name in enumerate(table.column_names)}
    known = all(name in place for name in features.column_names)
    order = sorted(columns, key=lambda name: place[name]) if known else list(columns)
    fields = [
        features.schema.field(name) if name in features.column_names else table.schema.field(name) for name in order
    ]
    return pa.Table.from_arrays([columns[name] for name in order], schema=pa.schema([bare_field(f) for f in fields]))


def summary_of(sanitizer: Sanitizer, seconds: float | None = None) -> MethodSummary:
    """Describe a fitted method; nothing secret is in it."""
    return MethodSummary(
        name=command_name(type(sanitizer)),
        settings=settings(sanitizer),
        changed=changed(sanitizer),
        output=sanitizer.output_,
        guarantee=sanitizer.guarantee(),
        diagnostics=dict(sanitizer.diagnostics_),
        curves=dict(sanitizer.curves_),
        findings=list(sanitizer.findings_),
        fit_seconds=seconds,
    )
