"""The request of an audit: what is attacked, S, U and subjects taken apart, and the rows and folds that it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.beside import NO_MORE, Recipient
from withhold.audit.design import Design
from withhold.audit.effort import Effort
from withhold.audit.view.auxiliary import Surface, read_surfaces
from withhold.audit.view.decoding import decode
from withhold.audit.view.features import as_column
from withhold.contracts.audit_record import Splits, SplitsSource
from withhold.contracts.checks import check_rows
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.finding import Finding
from withhold.contracts.images import check_known, image_names
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute, Attributes
from withhold.data.attributes import check_declared, names_given, read_attributes
from withhold.data.frames import Frame, to_frame
from withhold.data.labels import check_arrow_text, check_same_index
from withhold.data.object_forms import object_forms
from withhold.data.splits import fold_numbers, some_rows

# With fewer records even the smallest fold has no class twice.
LEAST_ROWS = 4
SENSITIVE = "sensitive_features"


@dataclass(frozen=True)
class Request:
    """The parts of one audit.

    Attributes
    ----------
    release : pyarrow.Table
        Attacked columns only.
    original : pyarrow.Table or None
        Original features, without S, U and groups.
    own : tuple of str
        Columns of what was passed as the release that are sensitive attributes.
    set_aside : pyarrow.Table or None
        Columns that are handed over too but not attacked.
    surfaces : tuple of Surface
        What else the recipient holds or can make of the same records, without S, U and groups.
    rows : ndarray of int or None
        Where each record stood in what was passed; None: where it stands.
    keys : pyarrow.Table or None
        The column of the release that names the subjects: judged apart from the records, attacked with the subjects.
    shared : (pyarrow.Table, pyarrow.Table) or None
        Original and release as analyses would read them, utility attributes included where they are handed over. None
        without originals, for arrays, whose columns have no names, and where no feature has the name of one.
    makers : ndarray of int or None
        Of a cross-fitted release: which of the sanitisers released each row.
    """

    release: pa.Table
    original: pa.Table | None
    sensitive: Attributes
    utility: Attributes
    groups: NDArray[np.int64] | None
    fit_rows: NDArray[np.bool_] | None
    own: tuple[str, ...] = ()
    set_aside: pa.Table | None = None
    surfaces: tuple[Surface, ...] = ()
    rows: NDArray[np.int64] | None = None
    keys: pa.Table | None = None
    shared: tuple[pa.Table, pa.Table] | None = None
    makers: NDArray[np.int64] | None = None

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.sensitive[0].codes) if len(self.sensitive) else self.release.num_rows

    @property
    def sanitizers(self) -> int | None:
        """Number of sanitisers that released the rows, where the release is cross-fitted."""
        return None if self.makers is None else len(np.unique(self.makers))

    def take(self, rows: NDArray[np.int64]) -> "Request":
        """Return the request about some rows."""
        return Request(
            self.release.take(pa.array(rows)),
            None if self.original is None else self.original.take(pa.array(rows)),
            self.sensitive.take(rows),
            self.utility.take(rows),
            None if self.groups is None else self.groups[rows],
            None if self.fit_rows is None else self.fit_rows[rows],
            self.own,
            None if self.set_aside is None else self.set_aside.take(pa.array(rows)),
            tuple(surface.take(rows) for surface in self.surfaces),
            rows if self.rows is None else self.rows[rows],
            None if self.keys is None else self.keys.take(pa.array(rows)),
            None if self.shared is None else (self.shared[0].take(pa.array(rows)), self.shared[1].take(pa.array(rows))),
            None if self.makers is None else self.makers[rows],
        )


def read_request(
    release: Any,
    sensitive_features: Any,
    utility: Any,
    groups: Any,
    original: Any,
    fit_rows: Any,
    kinds: Mapping[str, str] | None,
    recipient: Recipient = NO_MORE,
    makers: Any = None,
) -> Request:
    """Read and check everything `audit_release` was given.

    Parameters
    ----------
    release, sensitive_features, utility, groups, original, fit_rows, recipient, makers
        As in `audit_release`.
    kinds : mapping or None
        Declared kinds.
    """
    beside = {SENSITIVE: sensitive_features, "utility": utility, "groups": groups, "original": original}
    for name, values in beside.items():
        check_same_index(release, values, name, "release")
    frame = _decoded(_with_beyond(release, to_frame(release, "release")))
    source = None if original is None else _decoded(_with_beyond(original, to_frame(original, "original")))
    for name in image_names(frame.table):
        check_known(frame.table.column(name), f"Column {name!r} of the release")
    n = frame.n_rows
    if n < LEAST_ROWS:
        raise DataError(f"The release has {n} rows; an audit needs at least {LEAST_ROWS}. Audit the whole release.")
    sensitive, own = _read(sensitive_features, frame, source, kinds, SENSITIVE)
    targets, targets_named = _read(utility, frame, source, kinds, "utility")
    if not isinstance(sensitive_features, Attributes):
        check_declared(kinds, sensitive, targets)
    subjects, group_name = _groups(groups, frame, source)
    for attribute in (*sensitive, *targets):
        check_rows(attribute.name, len(attribute.codes), n, "the release")
    clash = set(sensitive.names) & set(targets.names)
    if clash:
        raise InvalidParameterError(
            f"{sorted(clash)[0]!r} cannot be both sensitive_features and utility. Name another utility attribute."
        )
    own = set(recipient.own) if isinstance(sensitive_features, Attributes) else own
    judged = {*own, *targets_named, *([group_name] if group_name else [])}
    mask = None
    if fit_rows is not None:
        mask = np.asarray(fit_rows).reshape(-1)
        check_rows("fit_rows", len(mask), n, "the release")
        mask = mask.astype(bool)
    if makers is not None:
        makers = np.asarray(makers, dtype=np.int64).reshape(-1)
        check_rows("makers", len(makers), n, "the release")
        if mask is not None and mask.any():
            raise InvalidParameterError("makers are sanitisers that never saw the rows; leave fit_rows out.")
    if source is not None:
        check_rows("original", source.n_rows, n, "the release")
    aside = None if recipient.set_aside is None else to_frame(recipient.set_aside, "set_aside").table
    if aside is not None:
        check_rows("set_aside", aside.num_rows, n, "the release")
    table = _without(frame.table, judged | (set(targets.names) if isinstance(utility, Attributes) else set()))
    keys = frame.table.select([group_name]) if group_name in frame.table.column_names else None
    named = own & {*frame.table.column_names, *_columns_of(recipient.also)}
    features = None if source is None else _without(source.table, judged | set(sensitive.names) | set(targets.names))
    # Arrays have no names; a representation shares nothing with its original but the utility attribute beside it.
    shared = None
    arrays = {"numpy", "torch"} & {frame.container, *([] if source is None else [source.container])}
    if (
        source is not None
        and features is not None
        and not arrays
        and set(features.column_names) & {*table.column_names}
    ):
        useful = _useful(utility, frame, targets) if recipient.utility_in_release else {}
        before = {name: source.table.column(name) for name in useful if name in source.table.column_names}
        shared = _beside(features, {**useful, **before}), _beside(table, useful)
    return Request(
        table,
        features,
        sensitive,
        targets,
        subjects,
        mask,
        tuple(name for name in sensitive.names if name in named),
        aside,
        read_surfaces(
            table,
            recipient.also,
            recipient.surfaces,
            recipient.redrawn,
            lambda given: decode(_without(given, judged)),
            recipient.hypothetical,
        ),
        keys=keys,
        shared=shared,
        makers=makers,
    )


def attribute_table(attributes: Attributes) -> pa.Table:
    """Return attributes as a table that attackers can read."""
    return pa.table({a.name: as_column(a) for a in attributes})


def stratum(attribute: Attribute, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return class and part of each row as one code; quarters stand for a continuous attribute."""
    codes = attribute.codes
    if attribute.kind == "continuous":
        known = attribute.known
        codes = np.full(len(known), -1, dtype=np.int64)
        codes[known] = np.searchsorted(np.quantile(attribute.values[known], [0.25, 0.5, 0.75]), attribute.values[known])
    return codes if mask is None else codes * 2 + mask.astype(np.int64)


def _read(
    spec: Any, frame: Frame, source: Frame | None, kinds: Mapping[str, str] | None, role: str
) -> tuple[Attributes, set[str]]:
    """Return attributes, and the names they were given by: looked up in the release, then in the original.

    Values stand for themselves, and are not compared with columns of the release here: a release that holds S is not an
    error of the caller but the worst finding there is.
    """
    if spec is None or isinstance(spec, Attributes):
        return spec or Attributes(()), set()
    named, holder = set(names_given(spec)), None
    if named and (len(spec) < frame.n_rows or isinstance(spec, str)):
        holder = frame if named <= set(frame.table.column_names) or source is None else source
    return read_attributes(spec, holder, kinds, role), named


def _useful(spec: Any, frame: Frame, targets: Attributes) -> dict[str, Any]:
    """Return the utility attributes as columns, in the types in which they are handed over where these are known."""
    known = frame.table
    if isinstance(spec, pa.Table | pd.DataFrame):
        known = to_frame(spec, "utility").table
    return {one.name: known.column(one.name) if one.name in known.column_names else as_column(one) for one in targets}


def _beside(table: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    for name, column in columns.items():
        if name not in table.column_names:
            table = table.append_column(name, column)
    return table


def _groups(spec: Any, frame: Frame, source: Frame | None) -> tuple[NDArray[np.int64] | None, str | None]:
    if spec is None:
        return None, None
    if isinstance(spec, str):
        holder = frame if spec in frame.table.column_names or source is None else source
        if spec not in holder.table.column_names:
            columns = ", ".join(frame.table.column_names[:20])
            raise DataError(f"The release has no column {spec!r} to take groups from. Choose one of {columns}.")
        values: Any = holder.table.column(spec).to_pylist()
    else:
        check_arrow_text(spec, "groups")
        values = np.asarray(spec).reshape(-1).tolist()
    check_rows("groups", len(values), frame.n_rows, "the release")
    index: dict[Any, int] = {}
    # A row whose subject is unknown is a subject of its own.
    codes = [index.setdefault(("row", i) if v is None or v != v else v, len(index)) for i, v in enumerate(values)]
    return np.asarray(codes, dtype=np.int64), spec if isinstance(spec, str) else None


def _with_beyond(values: Any, frame: Frame) -> Frame:
    """Return a frame with what a file written from it shows beside values: forms of objects, row labels of pandas."""
    if not isinstance(values, pd.DataFrame):
        return frame
    forms = object_forms(values)
    for name in forms.column_names:
        frame = replace(frame, table=frame.table.append_column(_free(name, frame.table), forms.column(name)))
    if isinstance(values.index, pd.RangeIndex):
        return frame
    names = [None if name in values.columns else name for name in values.index.names]
    bare = values[[]].set_axis(values.index.set_names(names))
    try:
        labels = pa.Table.from_pandas(bare, preserve_index=True)
    except pa.ArrowException:  # labels of several types
        labels = pa.Table.from_pandas(bare.set_axis(bare.index.map(str)), preserve_index=True)
    table = frame.table
    for name in labels.column_names:
        table = table.append_column(name, labels.column(name))
    return replace(frame, table=table.replace_schema_metadata(labels.schema.metadata))


def _free(name: str, table: pa.Table) -> str:
    while name in table.column_names:
        name += "'"
    return name


def _decoded(frame: Frame) -> Frame:
    return replace(frame, table=decode(frame.table))


def _columns_of(tables: Mapping[str, Any] | None) -> set[str]:
    return {column for table in (tables or {}).values() for column in to_frame(table, "also").table.column_names}


def _without(table: pa.Table, names: set[str]) -> pa.Table:
    return table.select([i for i, name in enumerate(table.column_names) if name not in names])


def cap_rows(request: Request, effort: Effort, seed: int) -> tuple[Request, list[Finding]]:
    """Keep as many rows as the effort allows, whole subjects, in their order; say so when some were left out.

    Parameters
    ----------
    request : Request
        What is judged.
    effort : Effort
        Its `most_rows` is the limit.
    seed : int
        Of the choice.
    """
    if request.n <= effort.most_rows:
        return request, []
    rows = some_rows(request.n, effort.most_rows, stream(seed, "audit", "rows"), request.groups)
    text = (
        f"{len(rows):,} of {request.n:,} rows were judged, chosen at random: the {effort.name} effort stops there. "
        "Attackers with all rows may learn more; a higher effort uses more."
    )
    return request.take(rows), [Finding(code="rows_sampled", severity="warning", text=text)]


def make_design(request: Request, effort: Effort, seed: int) -> Design:
    """Divide rows into folds, subjects kept together, S and parts in proportion.

    Parameters
    ----------
    request : Request
        What is judged.
    effort : Effort
        Its `folds`; fewer where there are few subjects.
    seed : int
        Of the division.
    """
    first = request.sensitive or request.utility  # nothing to hide: what is to stay is divided in proportion
    strata = stratum(first.joint() or first[0], request.fit_rows) if len(first) else None
    units = request.n if request.groups is None else len(np.unique(request.groups))
    folds = max(2, min(effort.folds, units // 2))
    fold = fold_numbers(request.n, folds, stream(seed, "audit", "folds"), request.groups, strata)
    everywhere = np.ones(request.n, bool)
    return Design(fold, request.groups, tuple(range(folds)), everywhere, everywhere, effort, seed)


def parts_of(request: Request) -> dict[str, np.ndarray]:
    """Return the parts of the release that are judged apart: rows the sanitiser was fitted on, and the rest."""
    if request.fit_rows is None:
        return {"audit": np.ones(request.n, bool)}
    return {name: mask for name, mask in (("fit", request.fit_rows), ("audit", ~request.fit_rows)) if mask.any()}


def splits_of(request: Request, design: Design, source: SplitsSource) -> Splits:
    """Describe how rows were divided."""
    fit = None if request.fit_rows is None else int(request.fit_rows.sum())
    subjects = None if request.groups is None else len(np.unique(request.groups))
    return Splits(
        fit=fit,
        audit=request.n - (fit or 0),
        folds=len(design.scored_folds),
        groups=subjects,
        sanitizers=request.sanitizers,
        source=source,
    )
