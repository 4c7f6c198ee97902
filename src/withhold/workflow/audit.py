"""Auditing a file that some tool made: where S comes from, whether rows match, and what the file itself contains."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.contracts.finding import Finding
from withhold.io.artifact import read_artifact
from withhold.workflow.advantage import budget_in_nats
from withhold.workflow.alignment import Alignment, align
from withhold.workflow.parts import Parts, parts_by_column, read_splits
from withhold.workflow.request import EFFORTS, check_budget, check_choice
from withhold.workflow.roles import Roles, assign, check_columns
from withhold.workflow.source import Source, group_codes, read_source, sensitive_attributes


@dataclass(frozen=True)
class AuditRequest:
    """The options of `audit`.

    Attributes
    ----------
    release : Path
        The file to attack.
    sensitive, utility : tuple of str
        Columns of the release, of `original` or of `sensitive_from`.
    original : Path or None
        The data before sanitising, rows in the same order or matched by `key`.
    sensitive_from, key : Path or None, str or None
        A file that holds the sensitive columns, and the column that matches its rows.
    sanitizer, splits : Path or None
        The sanitiser that made the release, and which rows it was fitted on.
    """

    release: Path
    sensitive: tuple[str, ...]
    utility: tuple[str, ...] = ()
    original: Path | None = None
    sensitive_from: Path | None = None
    key: str | None = None
    sanitizer: Path | None = None
    splits: Path | None = None
    split: str | None = None
    groups: str | None = None
    drop: tuple[str, ...] = ()
    continuous: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    array: str | None = None
    budget: float | None = None
    budget_advantage: float | None = None
    drop_utility: bool = False
    attackers: tuple[str, ...] | None = None
    effort: str = "standard"
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("effort", self.effort, EFFORTS)
        check_budget(self.budget, self.budget_advantage)
        if self.key is not None and self.original is None and self.sensitive_from is None:
            why = "It matches rows of two files."
            remedy = "Add --sensitive-from or --original."
            raise InvalidParameterError(sentence("The option --key", "used with a second file", "none", why, remedy))
        if self.split is not None and self.splits is not None:
            why = "Both say which rows the sanitiser was fitted on."
            raise InvalidParameterError(
                sentence("The options --split and --splits", "given one at a time", "both", why, "Remove one.")
            )

    @property
    def kinds(self) -> dict[str, str]:
        """Declared kinds of columns."""
        kinds = dict.fromkeys(self.continuous, "continuous")
        return kinds | dict.fromkeys(self.categorical, "categorical")


@dataclass(frozen=True)
class _Gathered:
    """All tables of an audit, row by row the same records.

    Attributes
    ----------
    outside : pyarrow.Table or None
        The table of another file that S came from; None where S is a column of the release.
    alignment : str
        What the order of S rests on.
    """

    release: Source
    outside: pa.Table | None
    original: pa.Table | None
    alignment: Alignment

    @property
    def attributes(self) -> pa.Table:
        """The table that holds S."""
        return self.release.table if self.outside is None else self.outside


def audit_file(request: AuditRequest, log: Callable[[str], None] = lambda text: None) -> AuditRecord:
    """Audit a released file.

    Parameters
    ----------
    request : AuditRequest
        What to audit, and against what.
    log : callable
        Called with one line per step.

    Returns
    -------
    AuditRecord
    """
    files = _gather(request)
    table = files.release.table
    roles = _roles(request, files)
    attributes = sensitive_attributes(files.attributes, request.sensitive, request.kinds)
    groups = group_codes(table if request.groups in table.column_names else files.attributes, request.groups)
    parts = _parts(request, files.release)
    utility, in_release = _utility(request, files)
    aside = [name for name in table.column_names if name not in {*roles.features, *roles.sensitive}]
    if not in_release:
        aside = [name for name in aside if name not in request.utility]
    original = None if files.original is None else _comparable(files.original, request, roles)
    log(f"auditing {files.release.name} with effort {request.effort}")
    record = audit_release(
        table.select([*roles.features, *(request.sensitive if files.outside is None else ())]),
        sensitive_features=_sensitive(request, files),
        utility=utility,
        groups=groups,
        original=original,
        fit_rows=None if parts is None else parts.fit,
        sensitive_kinds=request.kinds or None,
        budget=budget_in_nats(request.budget, request.budget_advantage, attributes),
        effort=request.effort,
        attackers=request.attackers,
        utility_in_release=in_release,
        alignment=files.alignment,
        alignment_controls=_controls(request, files),
        set_aside=table.select(aside) if aside else None,
        splits_source="none" if parts is None else parts.source,
        random_state=request.seed,
        progress=log,
    )
    return _with_notes(record, request)


def _gather(request: AuditRequest) -> _Gathered:
    release = read_source(request.release, request.array)
    original = None
    alignment: Alignment = "given"
    if request.original is not None:
        source = read_source(request.original, request.array)
        original, alignment = align(release.table, source.table, request.key, source.name)
    if request.sensitive_from is not None:
        source = read_source(request.sensitive_from, request.array)
        check_columns(request.sensitive, source.table.column_names, source.name)
        outside, alignment = align(release.table, source.table, request.key, source.name)
        return _Gathered(release, outside, original, alignment)
    if original is not None and all(name in original.column_names for name in request.sensitive):
        return _Gathered(release, original, original, alignment)
    where = release.name if original is None else f"{release.name} or of the file given as --original"
    check_columns(request.sensitive, release.table.column_names, where)
    return _Gathered(release, None, original, "given")


def _sensitive(request: AuditRequest, files: _Gathered) -> pa.Table | list[str]:
    """Return S as values, or as names where its columns are in the file that is judged."""
    return list(request.sensitive) if files.outside is None else files.outside.select(list(request.sensitive))


def _controls(request: AuditRequest, files: _Gathered) -> pa.Table | None:
    """Return what stands beside S in the file it came from.

    Only that file can show whether S is in the order of the release: another one that is says nothing about it.
    """
    return None if files.outside is None else files.outside.drop_columns(list(request.sensitive))


def _roles(request: AuditRequest, files: _Gathered) -> Roles:
    """Give the columns of the release their parts; S and U may be elsewhere."""
    columns = files.release.table.column_names
    own = [name for name in request.sensitive if name in columns and files.outside is None]
    utility = [name for name in request.utility if name in columns]
    groups = request.groups if request.groups in columns else None
    if request.groups is not None and groups is None:
        check_columns([request.groups], files.attributes.column_names, "the release or the file with the attribute")
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


def _utility(request: AuditRequest, files: _Gathered) -> tuple[pa.Table | None, bool]:
    """Return the utility columns and whether the recipient gets them."""
    if not request.utility:
        return None, False
    columns = files.release.table.column_names
    places = [files.release.table, *(t for t in (files.original, files.outside) if t is not None)]
    known = [name for place in places for name in place.column_names]
    check_columns(request.utility, known, "the release or of the original data")
    found = [next(p for p in places if name in p.column_names).column(name) for name in request.utility]
    shared = all(name in columns for name in request.utility) and not request.drop_utility
    return pa.table(found, names=list(request.utility)), shared


def _parts(request: AuditRequest, release: Source) -> Parts | None:
    if request.splits is not None:
        return read_splits(request.splits, release.table.num_rows)
    if request.split is not None:
        return parts_by_column(release.table.column(request.split), request.split)
    return None


def _comparable(original: pa.Table, request: AuditRequest, roles: Roles) -> pa.Table | None:
    """Return the features of the original data: what the attackers get as a ceiling."""
    aside = {*request.sensitive, *request.utility, *request.drop, request.groups, request.split, request.key}
    kept = [name for name in original.column_names if name not in aside]
    return original.select(kept) if kept else None


def _with_notes(record: AuditRecord, request: AuditRequest) -> AuditRecord:
    findings, threats = list(record.findings), list(record.threat_model)
    if request.drop:
        names = ", ".join(map(repr, request.drop))
        text = f"The verdict is about the file without {names}, which no attacker was given."
        findings.append(Finding(code="columns_set_aside", severity="warning", text=text))
    if request.sanitizer is not None:
        header, _ = read_artifact(request.sanitizer)
        name = str(header.get("method", "the sanitiser"))
        threats.append(
            f"The recipient may also have the sanitiser ({name}), but not its key; this panel did not use it."
        )
    return record.model_copy(update={"findings": findings, "threat_model": threats})
