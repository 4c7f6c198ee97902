"""The artifact: one file that holds a fitted sanitiser, and that can only ever be read as numbers and text.

The file is a safetensors file whose metadata have one entry, `withhold`, a JSON text with a magic word, the version of
this format, the version of the library, the header its owner gave and a seal: the SHA-256 of the whole file with the
seal's own place filled with zeros. Any changed, missing or added byte is therefore found. The seal protects against
damage, not against a forger, who can compute it too; reading never executes anything from the file in either case.

The same header and tensors give the same bytes with the same library version.
"""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from withhold.contracts.errors import ArtifactError, InvalidTypeError
from withhold.io.absent import absent
from withhold.io.atomic import write_bytes
from withhold.io.table_format import check_regular, unreadable

MAGIC = "withhold sanitizer"
FORMAT_VERSION = 1

Tensors = dict[str, NDArray[Any]]

_ENTRY = "withhold"
_BLANK_SEAL = "0" * 64
_LENGTH_BYTES = 8  # a safetensors file starts with the length of its JSON part, little-endian


def write_artifact(path: str | os.PathLike[str], header: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    """Write one artifact file, whole or not at all.

    Parameters
    ----------
    path : path
        The file to write.
    header : mapping
        JSON values only: settings, schema, digests. No NaN.
    tensors : mapping of str to ndarray
        Numbers and booleans.

    Returns
    -------
    str
        The content digest, as `content_digest` gives it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "s.withhold"
    >>> digest = write_artifact(path, {"method": "leace"}, {"map": np.eye(2)})
    >>> header, tensors = read_artifact(path)
    >>> header, tensors["map"].shape, artifact_digest(path) == digest
    ({'method': 'leace'}, (2, 2), True)
    """
    arrays = _storable(tensors)
    entry = {
        "seal": _BLANK_SEAL,  # first, so that the first seal in the file is this one whatever the header holds
        "magic": MAGIC,
        "format_version": FORMAT_VERSION,
        "library_version": version("withhold"),
        "header": json.loads(_canonical_json(header)),
    }
    # One metadata entry only: safetensors writes several in an arbitrary order, and the bytes would not repeat.
    blank = save_tensors(arrays, metadata={_ENTRY: json.dumps(entry)})
    seal = hashlib.sha256(blank).hexdigest()
    write_bytes(path, _replace_seal(blank, _BLANK_SEAL, seal))
    return content_digest(header, arrays)


def read_artifact(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Tensors]:
    """Read an artifact file and check every byte of it.

    Returns
    -------
    header : dict
        As it was written, plus nothing.
    tensors : dict of str to ndarray

    Raises
    ------
    ArtifactError
        The file is empty, cut short, damaged, not an artifact, or of a format this version does not know.
    FileError
        The file is missing or cannot be opened.
    """
    raw = _read_bytes(Path(path))
    entry = _entry(Path(path), raw)
    try:
        tensors = load_tensors(raw)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise _damaged(Path(path)) from error
    # Copies, because arrays that point into the file's bytes are read-only and torch warns about them.
    return dict(entry["header"]), {name: array.copy() for name, array in tensors.items()}


def content_digest(header: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of header and tensors, the same in memory and after any number of writes and reads.

    Unlike the bytes of the file it does not depend on the version of the library.

    Examples
    --------
    >>> content_digest({"a": 1}, {"w": np.zeros(2)})[:8]
    'fb1ddaca'
    """
    arrays = _storable(tensors)
    hashed = hashlib.sha256(_canonical_json(header).encode())
    for name in sorted(arrays):
        array = arrays[name]
        description = json.dumps([name, array.dtype.str, array.shape])
        hashed.update(len(description).to_bytes(8, "little") + description.encode() + array.tobytes())
    return hashed.hexdigest()


def artifact_digest(path: str | os.PathLike[str]) -> str:
    """Return the content digest of an artifact file, after checking the file as `read_artifact` does."""
    return content_digest(*read_artifact(path))


def _entry(path: Path, raw: bytes) -> dict[str, Any]:
    metadata = _metadata(path, raw)
    try:
        entry = _finite_json(metadata[_ENTRY])
        magic, found = entry["magic"], entry["format_version"]
        seal, header = entry["seal"], entry["header"]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise _foreign(path, "a safetensors file that something else wrote") from error
    if magic != MAGIC or not isinstance(seal, str) or len(seal) != len(_BLANK_SEAL) or not isinstance(header, dict):
        raise _foreign(path, "a safetensors file that something else wrote")
    intact = hashlib.sha256(_replace_seal(raw, seal, _BLANK_SEAL)).hexdigest() == seal
    if found != FORMAT_VERSION and intact:
        raise ArtifactError(
            f"'{path}' has artifact format {found}, written by withhold {entry.get('library_version')}; this version "
            f"reads format {FORMAT_VERSION}. Install that version of withhold, or fit the sanitiser again."
        )
    if not intact:
        raise _damaged(path)
    return dict(entry)


def _metadata(path: Path, raw: bytes) -> dict[str, Any]:
    if not raw:
        raise _foreign(path, "an empty file")
    start = raw[_LENGTH_BYTES : _LENGTH_BYTES + 1]
    length = int.from_bytes(raw[:_LENGTH_BYTES], "little")
    if len(raw) <= _LENGTH_BYTES or (start == b"{" and length > len(raw) - _LENGTH_BYTES):
        raise _damaged(path, "is cut short")
    if start != b"{" or length > len(raw) - _LENGTH_BYTES:
        raise _foreign(path, "a file of another kind")
    try:
        parsed = json.loads(raw[_LENGTH_BYTES : _LENGTH_BYTES + length])
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error
    metadata = parsed.get("__metadata__", {}) if isinstance(parsed, dict) else {}
    return metadata if isinstance(metadata, dict) else {}


def _finite_json(text: str) -> Any:
    """Read JSON without what only Python takes for it, NaN and Infinity, and without numbers beyond every float."""

    def number(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            raise ValueError(f"the number {digits[:20]}")
        return value

    def constant(word: str) -> float:
        raise ValueError(word)

    return json.loads(text, parse_float=number, parse_constant=constant)


def _replace_seal(raw: bytes, old: str, new: str) -> bytes:
    # The entry is a JSON text inside JSON, hence the backslashes.
    return raw.replace(f'\\"seal\\": \\"{old}\\"'.encode(), f'\\"seal\\": \\"{new}\\"'.encode(), 1)


def _storable(tensors: Mapping[str, NDArray[Any]]) -> Tensors:
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise InvalidTypeError(f"Tensor '{name}' must hold numbers or booleans (got {array.dtype}).")
    return {name: array.astype(array.dtype.newbyteorder("<"), copy=False) for name, array in arrays.items()}


def _canonical_json(header: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(header), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(f"The header of an artifact must be JSON without NaN ({error}).") from error


def _read_bytes(path: Path) -> bytes:
    check_regular(path)
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise absent(path) from error
    except OSError as error:
        raise unreadable(path, error) from error


def _damaged(path: Path, got: str = "was changed or cut off after it was written") -> ArtifactError:
    return ArtifactError(f"'{path}' {got}. Copy it again from its source, or fit again.")


def _foreign(path: Path, got: str) -> ArtifactError:
    return ArtifactError(
        f"'{path}' is no withhold sanitiser but {got}. Pass the file that `withhold fit` or `sanitizer.save` wrote."
    )
