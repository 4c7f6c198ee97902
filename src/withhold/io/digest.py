"""SHA-256 of files, so that a record can say exactly which data it is about."""

import hashlib
import os
from pathlib import Path

from withhold.io.table_format import LABELS, image_files, source_files, unreadable

_PIECE_BYTES = 1 << 20


def digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file in hexadecimal, or of the names and contents of a folder's parts or images.

    A labels.csv beside images counts too.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_bytes(b"abc")
    >>> digest(path)[:16]  # the test vector of FIPS 180
    'ba7816bf8f01cfea'
    """
    if not Path(path).is_dir():
        return _file_digest(Path(path))
    hashed = hashlib.sha256()
    images, labels = image_files(path), Path(path) / LABELS
    for part in [*images, *([labels] if labels.is_file() else [])] if images else source_files(path):
        hashed.update(f"{part.relative_to(path).as_posix()}\0{_file_digest(part)}\n".encode())
    return hashed.hexdigest()


def _file_digest(path: Path) -> str:
    hashed = hashlib.sha256()
    try:
        with path.open("rb") as handle:
            while piece := handle.read(_PIECE_BYTES):
                hashed.update(piece)
    except OSError as error:
        raise unreadable(path, error) from error
    return hashed.hexdigest()
