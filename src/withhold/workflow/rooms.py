"""The rooms of an output folder: `private` stays, `share` may be sent, `candidate` waits for somebody to decide.

Results lie in `share` after an audit that passed, or once somebody approved them; in `candidate` otherwise, so that no
folder that looks ready to be sent holds what no audit cleared.
"""

import json
from pathlib import Path, PurePosixPath
from typing import Any

PRIVATE, CANDIDATE, SHARE = ROOMS = ("private", "candidate", "share")
# The rooms that results may lie in, never both.
RESULTS = (CANDIDATE, SHARE)
MANIFEST = "manifest.json"
MANIFESTS = tuple(f"{room}/{MANIFEST}" for room in ROOMS)
LEDGER, LEDGER_KEY, KEY = "ledger.sqlite", "ledger.key", "key"


def stays(name: str) -> bool:
    """Say whether a file of the private room outlives its run: the ledger with all that is its own, and the key.

    Examples
    --------
    >>> stays("ledger.sqlite-journal"), stays("private/key"), stays("private/splits.parquet")
    (True, True, False)
    """
    last = PurePosixPath(name).name
    return last == KEY or last.startswith("ledger.")


def results_of(path: Path) -> Path | None:
    """Return the room that holds the results of a finished run, None where none finished.

    Examples
    --------
    >>> results_of(Path("no-such-folder")) is None
    True
    """
    return next((path / room for room in reversed(RESULTS) if (path / room / MANIFEST).exists()), None)


def listed(path: Path) -> list[str]:
    """Return what the manifests of a folder list, as paths within it.

    Examples
    --------
    >>> listed(Path("no-such-folder"))
    []
    """
    found = {room: files_in(path / room / MANIFEST) for room in ROOMS}
    # The version before this one had one manifest for both rooms.
    found[PRIVATE] = found[PRIVATE] or found[SHARE]
    names = [(room, name) for room, files in found.items() for name in (files or {}).values()]
    own = [name for room, name in names if str(name).startswith(f"{room}/")]
    return [name for name in dict.fromkeys(own) if in_a_room(name) and name not in MANIFESTS]


def in_a_room(name: Any) -> bool:
    """Say whether a path is that of an entry of a room.

    Examples
    --------
    >>> in_a_room("share/release.csv"), in_a_room("share/../key"), in_a_room("notes.txt")
    (True, False, False)
    """
    parts = PurePosixPath(str(name)).parts
    return len(parts) == 2 and parts[0] in ROOMS and parts[1] not in ("..", "")


def files_in(path: Path) -> dict[str, str] | None:
    """Return what a manifest lists, None where there is no manifest of ours."""
    files = (document(path) or {}).get("files")
    return files if isinstance(files, dict) else None


def document(path: Path) -> dict[str, Any] | None:
    """Return what a JSON file holds, None where it is no mapping."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
