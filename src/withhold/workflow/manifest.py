"""The two manifests of a run: that of the results tells nothing of the data, that of `private` which data it was.

`share/manifest.json`, or that of `candidate`, is the run's record without the audit. `private/manifest.json` lists the
private files, the digests of all files, the name and digest of the data, the key of that digest's public form, and what
was asked.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.disclosure_record import DisclosureRecord
from withhold.contracts.errors import DataError
from withhold.contracts.run_record import KEYED, RunRecord
from withhold.io.atomic import write_text
from withhold.io.table_format import check_regular
from withhold.workflow.rooms import MANIFEST, PRIVATE, SHARE, results_of

AUDIT = "audit"
Kind = TypeVar("Kind", AuditRecord, RunRecord, DisclosureRecord)
REQUEST = "request"


def keyed(digest: str, key: str | None = None) -> tuple[str, str]:
    """Return the public form of a digest, and the key without which it tells nothing, a new one by default.

    Examples
    --------
    >>> public, key = keyed("ba7816bf8f01cfea")
    >>> keyed("ba7816bf8f01cfea", key)[0] == public, keyed("ba7816bf8f01cfea")[0] == public
    (True, False)
    """
    key = secrets.token_hex(32) if key is None else key
    return KEYED + hmac.new(bytes.fromhex(key), digest.encode(), hashlib.sha256).hexdigest(), key


def shared_manifest(record: RunRecord) -> str:
    """Return the text of share/manifest.json."""
    return record.model_dump_json(exclude={AUDIT}, indent=2)


def private_manifest(
    files: Mapping[str, str], digests: Mapping[str, str], data: Mapping[str, str], request: Mapping[str, object]
) -> str:
    """Return the text of private/manifest.json.

    Parameters
    ----------
    files, digests : mapping of str to str
        Private files and digests of all files, by role.
    data : mapping of str to str
        Name, digest and the key of its public form.
    request : mapping
        The options that `--resume` compares.
    """
    document = {"files": dict(files), "digests": dict(digests), "data": dict(data), REQUEST: dict(request)}
    return json.dumps(document, indent=2)


def read_record(path: Path) -> RunRecord | AuditRecord | DisclosureRecord:
    """Read what `run --json`, `audit --json` (with `--control` too) or a run's `share/audit.json` hold.

    An `audit.json` beside the manifest of its run gives the whole run again.

    Parameters
    ----------
    path : Path
        A JSON file.
    """
    content = _load(path)
    if AUDIT in content:
        content.pop(REQUEST, None)
        return _validated(RunRecord, content, path)
    if "n_control" in content:
        return _validated(DisclosureRecord, content, path)
    audit = _validated(AuditRecord, content, path)
    beside = path.parent / MANIFEST
    if path.name == "audit.json" and beside.exists():
        manifest = _load(beside)
        manifest.pop(REQUEST, None)
        return _validated(RunRecord, {**manifest, AUDIT: audit.model_dump()}, beside)
    return audit


def read_run(out: Path) -> tuple[RunRecord, dict[str, Any]]:
    """Read a finished run from its output folder, with the options it was made with."""
    folder, private = results_of(out) or out / SHARE, out / PRIVATE / MANIFEST
    manifest = _load(folder / MANIFEST)
    # The version before had one manifest.
    request: dict[str, Any] = manifest.pop(REQUEST, None) or _load(private).get(REQUEST, {})
    whole = out / PRIVATE / "audit.json"  # with the classes of hidden attributes, which are not shared
    audit = _load(whole if whole.exists() else folder / "audit.json")
    return _validated(RunRecord, {**manifest, AUDIT: audit}, folder / MANIFEST), request


def read_private(out: Path) -> dict[str, Any]:
    """Read the private manifest of a finished run: files, digests, data and what was asked."""
    path = out / PRIVATE / MANIFEST
    content = _load(path)
    missing = [part for part in ("files", "digests", "data", REQUEST) if not isinstance(content.get(part), dict)]
    if missing:
        raise DataError(f"{path} lacks {missing[0]!r}: it is damaged. Run again with --overwrite.")
    return content


def list_private(out: Path, role: str, name: str) -> None:
    """Add a file to those that the private manifest of a finished run lists: only these are ours to replace."""
    content = read_private(out)
    content["files"][role] = name
    write_text(out / PRIVATE / MANIFEST, json.dumps(content, indent=2), 0o600)


def _load(path: Path) -> dict[str, Any]:
    check_regular(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"File not found: {str(path)!r}.") from error
    except (OSError, ValueError) as error:
        raise DataError(f"{path.name} is not JSON ({error}). Pass audit.json, or what --json printed.") from error
    if not isinstance(content, dict):
        raise DataError(f"{path.name} is not the record of an audit or a run. Pass audit.json, or what --json printed.")
    if "error" in content and len(content) == 1:
        raise DataError(f"{path.name} holds the error of a command that failed. Run the command again.")
    return content


def _validated(kind: type[Kind], content: dict[str, Any], path: Path) -> Kind:
    supported = kind.model_fields["schema_version"].default
    version = content.get("schema_version")
    if version != supported:
        shown = "no schema_version" if version is None else f"schema_version {version!r}"
        remedy = "Use the version of withhold that wrote it." if isinstance(version, int) else "Pass audit.json."
        raise DataError(f"{path.name} has {shown}; this version of withhold reads {supported}. {remedy}")
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"{path.name} is not a complete record ({first['msg'].lower()} at {place}). Pass audit.json as it was "
            "written."
        ) from error
