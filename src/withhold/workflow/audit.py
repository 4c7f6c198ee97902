"""Auditing a file that some tool made: where S comes from, whether rows match, and what the file itself contains."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.beside import Context, Order, Recipient
from withhold.audit.effort import find_effort
from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.errors import DataError
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_names
from withhold.contracts.wording import option
from withhold.data.arrow_types import family, value_type
from withhold.data.attribute import Attributes
from withhold.data.schema import notes_beside, pandas_index
from withhold.io.formats.registry import left_out
from withhold.io.image_folder import image_notes, unnamed_images
from withhold.io.npz import arrays_beside
from withhold.io.table_format import FILE, has_parts, image_files, is_text
from withhold.io.tables import digest, read_table
from withhold.io.written_forms import written_forms
from withhold.methods.loading import restore
from withhold.workflow.advantage import budget_in_nats
from withhold.workflow.alignment import Alignment, align, labels_of, sample_rows, sampling_note
from withhold.workflow.order import as_released
from withhold.workflow.parts import Parts, parts_by_column, read_splits
from withhold.workflow.plan_costs import expect_audit
from withhold.workflow.recipient import Possession, possess, possess_generator
from withhold.workflow.request import AuditRequest
from withhold.workflow.roles import Roles, assign, check_columns
from withhold.workflow.source import (
    Source,
    check_declared,
    check_exists,
    fitted_types,
    group_codes,
    read_alike,
    read_source,
    read_utility,
    say_small_classes,
    sensitive_attributes,
    with_part_names,
)


@dataclass(frozen=True)
class _Gathered:
    """All tables of an audit, row by row the same records.

    Attributes
    ----------
    outside : pyarrow.Table or None
        The table of another file that S came from; None where S is a column of the release.
    alignment : str
        What the order of S rests on.
    sample : (ndarray, int) or None
        Which rows of how many were read, where the files are too long for all.
    parts : Parts or None
        Which rows of the release were fitted, where that is known.
    order : ndarray of int or None
        The row of the data that each is, where that is known.
    """

    release: Source
    outside: pa.Table | None
    original: pa.Table | None
    alignment: Alignment
    sample: tuple[NDArray[np.int64], int] | None = None
    parts: Parts | None = None
    order: NDArray[np.int64] | None = None

    @property
    def attributes(self) -> pa.Table:
        """The table that holds S."""
        return self.release.table if self.outside is None else self.outside


Log = Callable[[str], None]


def audit_file(request: AuditRequest, log: Log = lambda text: None) -> AuditRecord:
    """Audit a released file.

    Parameters
    ----------
    request : AuditRequest
        What to audit, and against what.
    log : callable
        Called with one line per step.
    """
    files = _gather(request, log)
    table = files.release.table
    roles = _roles(request, files)
    attributes = sensitive_attributes(files.attributes, request.sensitive, request.kinds)
    say_small_classes(attributes, log)
    groups = group_codes(table if request.groups in table.column_names else files.attributes, request.groups)
    parts = files.parts
    useful, in_release = _utility(request, files)
    aside = [name for name in table.column_names if name not in {*roles.features, *roles.sensitive}]
    if not in_release:
        aside = [name for name in aside if name not in request.utility]
    original = None if files.original is None else _comparable(files.original, request)
    also, unproven = _versions(request, files, log)
    known = _possession(request, files, roles, original, log)
    written = _beyond_values(request, files, roles)
    expect_audit()
    log(f"auditing {files.release.name} with effort {request.effort}")
    own = request.sensitive if files.outside is None else ()
    return audit_release(
        table.select([*roles.features, *own, *(useful.names if in_release else ())]),
        sensitive_features=attributes,
        utility=useful if len(useful) else None,
        groups=groups,
        original=None if files.original is None else _comparable(files.original, request, with_utility=True),
        fit_rows=None if parts is None or parts.fold is not None else parts.fit,
        makers=None if parts is None else parts.fold,
        budget=budget_in_nats(request.budgets, request.budget_advantage, attributes),
        effort=request.effort,
        attackers=request.attackers,
        random_state=request.seed,
        progress=log,
        recipient=Recipient(
            utility_in_release=in_release,
            own=own,
            set_aside=table.select(aside) if aside else None,
            also=also,
            surfaces={**known.surfaces, **written},
            redrawn=known.redrawn,
            hypothetical=known.hypothetical,
            latent=known.latent,
            recipient_has_sanitizer=request.sanitizer is not None,
        ),
        order=Order(alignment=files.alignment, alignment_controls=_controls(request, files), also_by_position=unproven),
        context=Context(
            title=request.title,
            release=f"sha256:{digest(request.release)}",
            splits_source="none" if parts is None else parts.source,
            drift=known.drift,
            whose="the original data",
            findings=[*_notes(request, files, table), *known.findings],
            threats=_threats(request, known),
        ),
    )


def _beyond_values(request: AuditRequest, files: _Gathered, roles: Roles) -> dict[str, pa.Table]:
    """Return what the file of the release shows beside values: ways of writing in a text, notes in image files."""
    release = files.release
    if image_files(release.path):
        labels = labels_of(release.path, request.labels)
        notes = image_notes(release.path, None if labels is None else read_table(labels, reading=request.reading))
        return {f"notes in the files of {release.name}": notes} if notes.num_columns else {}
    if not is_text(release.path):
        return {}
    columns = release.table.select(list(roles.features))
    forms = written_forms(release.path, columns.schema, release.rows, release.reading)
    for name in forms.column_names:
        columns = columns.append_column(name, forms.column(name))
    return {f"{release.name} as text": columns} if forms.num_columns else {}


def _versions(request: AuditRequest, files: _Gathered, log: Log) -> tuple[dict[str, pa.Table], list[str]]:
    """Return the other versions in the order of the release, without what is judged apart; and those without a key."""
    release, rows = files.release.table, None if files.sample is None else files.sample[0]
    aside = {*request.utility, *request.drop, request.groups, request.split}
    found: dict[str, pa.Table] = {}
    unproven = []
    text = {field.name: field.type for field in release.schema if family(value_type(field.type)) == "text"}
    for path in request.also:
        source = _beside(path, request, log, rows, text)
        _check_whole(path, request.array, source.table.num_rows)
        key = request.key if request.key in source.table.column_names else None
        source = as_released(source, files.order, key)
        table, how = align(release, source.table, key, source.name, partial=True)
        name = source.name if source.name not in {*found, request.release.name} else f"{source.name} ({len(found) + 2})"
        found[name] = table.select([column for column in table.column_names if column not in aside])
        unproven += [name] if how == "rows" else []
    return found, unproven


def _possession(
    request: AuditRequest, files: _Gathered, roles: Roles, original: pa.Table | None, log: Callable[[str], None]
) -> Possession:
    """Use the sanitiser against its release, as a recipient could."""
    if request.sanitizer is None:
        return Possession()
    log(f"using {request.sanitizer.name} against the release")
    sanitizer, released = restore(request.sanitizer), files.release.table.select(list(roles.features))
    if sanitizer.fresh_noise:
        classes = tuple(t for t in (files.release.table, files.outside, files.original) if t is not None)
        return possess_generator(sanitizer, released, original, request.effort, classes)
    return possess(sanitizer, released, original, request.effort)


def _beside(
    path: Path,
    request: AuditRequest,
    log: Log,
    rows: NDArray[np.int64] | None,
    types: Mapping[str, pa.DataType] | None = None,
) -> Source:
    """Read a further file: the options about arrays and images hold where it has any."""
    array = request.array if has_parts(path) else None
    labels = labels_of(path, request.labels) if image_files(path) else None
    return read_source(path, array, labels, rows, types, request.reading, log)


def _sample(request: AuditRequest) -> tuple[NDArray[np.int64], int] | None:
    """Choose rows of very long files; keys, subjects and splits are about all of them."""
    if any(value is not None for value in (request.key, request.groups, request.splits)):
        return None
    files = [request.release, request.original, request.sensitive_from, *request.also]
    most = find_effort(request.effort).most_rows
    return sample_rows([path for path in files if path is not None], most, request.seed, request.reading)


def _gather(request: AuditRequest, log: Log) -> _Gathered:
    check_exists(request.release)
    labels = labels_of(request.release, request.labels) if image_files(request.release) else request.labels
    sample = _sample(request)
    rows = None if sample is None else sample[0]
    types = None if request.sanitizer is None else fitted_types(restore(request.sanitizer))
    named = {"original": request.original, "sensitive_from": request.sensitive_from}
    given = {role: path for role, path in named.items() if path is not None}
    released = read_source(request.release, request.array, labels, rows, types, request.reading, log)
    read = [with_part_names(released)]
    _check_whole(request.release, request.array, read[0].table.num_rows)
    read += [_beside(path, request, log, rows, types) for path in given.values()]
    release, *others = read_alike(read)
    parts, order = _parts(request, release)
    beside = dict(zip(given, [as_released(other, order, request.key) for other in others], strict=True))
    original = None
    alignment: Alignment = "given"
    if (source := beside.get("original")) is not None:
        original, alignment = align(release.table, source.table, request.key, source.name)
    if (source := beside.get("sensitive_from")) is not None:
        check_columns(request.sensitive, source.table.column_names, source.name)
        outside, alignment = align(release.table, source.table, request.key, source.name)
        return _Gathered(release, outside, original, alignment, sample, parts, order)
    if original is not None and all(name in original.column_names for name in request.sensitive):
        return _Gathered(release, original, original, alignment, sample, parts, order)
    if _labels_stay(request) and all(name in release.table.column_names for name in request.sensitive):
        handed_over = [*image_names(release.table), FILE]
        known = release.table
        return _Gathered(
            replace(release, table=known.select(handed_over)), known, original, "key", sample, parts, order
        )
    where = release.name if original is None else f"{release.name}, with --original beside it,"
    made = "" if original is not None else f" Or name the file that it was made from: {option('original', 'FILE')}"
    check_columns(request.sensitive, release.table.column_names, where, made)
    return _Gathered(release, None, original, "given", sample, parts, order)


def _left_out(path: Path, array: str | None) -> dict[str, tuple[int, ...]]:
    """Return the arrays of a file that no attacker is given."""
    return arrays_beside(path, array) if path.suffix.lower() == ".npz" else {}


def _check_whole(path: Path, array: str | None, n: int) -> None:
    """Refuse a release with something about each record that would not be attacked: S may stand there."""
    left = [f"'{name}' of shape {shape}" for name, shape in _left_out(path, array).items() if n in shape]
    left += left_out(path, array)  # what programs keep beside a table may be about each record
    if left:
        shown = ", ".join(left)
        raise DataError(
            f"{path.name} also holds {shown}, which no attacker would read. Take it out, or put it into a file of "
            "its own and name that with --also."
        )


def _labels_stay(request: AuditRequest) -> bool:
    """Whether a folder of images is handed over without the table that names them, which lies elsewhere."""
    if not image_files(request.release) or request.labels is None or request.split is not None:
        return False
    return not request.labels.resolve().is_relative_to(request.release.resolve())


def _controls(request: AuditRequest, files: _Gathered) -> pa.Table | None:
    """Return what stands beside S in the file it came from.

    Only that file can show whether S is in the order of the release: another one that is says nothing about it. The key
    agrees by definition.
    """
    if files.outside is None:
        return None
    aside = {*request.sensitive, request.key, *pandas_index(files.outside.schema)}
    return files.outside.select([name for name in files.outside.column_names if name not in aside])


def _roles(request: AuditRequest, files: _Gathered) -> Roles:
    """Give the columns of the release their parts; S and U may be elsewhere."""
    columns = files.release.table.column_names
    others = [table for table in (files.original, files.outside) if table is not None]
    known = dict.fromkeys([*columns, *(name for table in others for name in table.column_names)])
    check_columns([*request.continuous, *request.categorical], list(known), "The release, with the files beside it,")
    check_declared(request.reading, list(known), "The release, with the files beside it,")
    own = [name for name in request.sensitive if name in columns and files.outside is None]
    utility = [name for name in request.utility if name in columns]
    groups = request.groups if request.groups in columns else None
    if request.groups is not None and groups is None:
        check_columns([request.groups], files.attributes.column_names, "The release, with the file of the attribute,")
    if files.outside is not None:  # nothing of the release is set aside as S, but a table of roles needs one
        return assign(
            [*columns, _ELSEWHERE],
            files.release.name,
            sensitive=[_ELSEWHERE],
            utility=utility,
            groups=groups,
            split=request.split,
            drop=request.drop,
        )
    return assign(
        columns,
        files.release.name,
        sensitive=own,
        utility=utility,
        groups=groups,
        split=request.split,
        drop=request.drop,
    )


_ELSEWHERE = "\x00sensitive"


def _utility(request: AuditRequest, files: _Gathered) -> tuple[Attributes, bool]:
    """Return the utility attributes and whether the recipient gets them."""
    if not request.utility:
        return Attributes(()), False
    columns = files.release.table.column_names
    places = [files.release.table, *(t for t in (files.original, files.outside) if t is not None)]
    known = [name for place in places for name in place.column_names]
    check_columns(request.utility, known, "The release, with the files beside it,")
    found = [next(p for p in places if name in p.column_names).column(name) for name in request.utility]
    shared = all(name in columns for name in request.utility) and not request.drop_utility
    return read_utility(pa.table(found, names=list(request.utility)), request.utility, request.kinds), shared


def _parts(request: AuditRequest, release: Source) -> tuple[Parts | None, NDArray[np.int64] | None]:
    """Return which rows of the release were fitted, and which row of the data each is, where that is known."""
    if request.splits is not None:
        return read_splits(request.splits, release.table.num_rows)
    if request.split is not None:
        check_columns([request.split], release.table.column_names, release.name)
        return parts_by_column(release.table.column(request.split), request.split), None
    return None, None


def _comparable(original: pa.Table, request: AuditRequest, with_utility: bool = False) -> pa.Table | None:
    """Return the features of the original data: what the attackers get as a ceiling."""
    aside = {*request.sensitive, *request.drop, request.groups, request.split, request.key}
    aside |= set() if with_utility else set(request.utility)
    aside |= {*pandas_index(original.schema), *([FILE] if image_names(original) else ())}
    kept = [name for name in original.column_names if name not in aside]
    return original.select(kept) if kept else None


def _notes(request: AuditRequest, files: _Gathered, table: pa.Table) -> list[Finding]:
    """Return what the files hold that no attacker was given."""
    findings: list[Finding] = []
    if files.sample is not None:
        findings.append(sampling_note(len(files.sample[0]), files.sample[1], request.effort))
    notes = notes_beside(table.schema)
    if notes:
        named = ", ".join(map(repr, notes[:5]))
        text = f"The file holds notes beside its columns ({named}), which no attacker was given: remove them."
        findings.append(Finding(code="notes_in_file", severity="warning", text=text))
    arrays = _left_out(request.release, request.array)
    if arrays:
        named = ", ".join(f"'{name}' of shape {shape}" for name, shape in list(arrays.items())[:5])
        text = f"The file also holds {named}, which no attacker was given: hand it over without them."
        findings.append(Finding(code="arrays_not_judged", severity="warning", text=text))
    if request.drop:
        names = ", ".join(map(repr, request.drop))
        text = f"The verdict is about the file without {names}, which no attacker was given."
        findings.append(Finding(code="columns_set_aside", severity="warning", text=text))
    labels = labels_of(request.release, request.labels) if image_files(request.release) else None
    if labels is not None:
        left = unnamed_images(request.release, read_table(labels, reading=request.reading))
        if left:
            text = f"{left} images of the folder have no row in the labels table: they were not audited."
            findings.append(Finding(code="files_not_judged", severity="warning", text=text))
    return findings


def _threats(request: AuditRequest, known: Possession) -> list[str]:
    """Return what the threat model says of a sanitiser in the recipient's hands."""
    if not known.method:
        return []
    drawn = "" if request.original else " No original data were supplied, so no additional samples were drawn."
    return [f"The sanitiser is a {known.method}.{drawn}"]
