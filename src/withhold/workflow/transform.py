"""Applying a saved sanitiser to a file of new records."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError, WithholdError, sentence
from withhold.io.tables import TableWriter, digest, table_batches, write_table
from withhold.methods.loading import load
from withhold.methods.sanitizer import Sanitizer
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.fit import key_path
from withhold.workflow.folder import cannot_write
from withhold.workflow.release import MATRIX
from withhold.workflow.report import refuse_existing
from withhold.workflow.source import check_exists

# Rows held at a time: some 30 MB of 128 float32 columns with their working copies.
BATCH = 16_384


def transform_file(
    sanitizer: Path,
    data: Path,
    out: Path,
    *,
    noise_key: Path | None = None,
    array: str | None = None,
    engine: str = "local",
    device: str = "auto",
    resume: bool = False,
    overwrite: bool = False,
    log: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Release new records, in pieces, into one file that appears when it is complete.

    Parameters
    ----------
    sanitizer : Path
        What `fit` or `run` saved.
    data : Path
        New records; columns the sanitiser does not know are left out.
    out : Path
        The release.
    noise_key : Path or None
        The secret of earlier releases; by default the file beside the sanitiser (NAME.key, or `key` in its folder).
    array : str or None
        The array of an `.npz` file.
    engine : {"local"}
        Where to compute.
    device : str
        On what to compute.
    resume, overwrite : bool
        Continue after an interruption; replace an earlier file.
    log : callable
        Called with one line per step.

    Returns
    -------
    dict
        `release`, `rows`, `digest`, `noise`, `method`, `input_digest`.
    """
    check_engine(engine)
    check_exists(sanitizer)
    check_exists(data)
    # A release is written whole or not at all, so after an interruption there is either nothing or all of it.
    refuse_existing(out, overwrite or resume)
    key, where = _key(sanitizer, noise_key)
    method = load(sanitizer, noise_key=key)
    if "device" in method.get_params(deep=False):
        method.set_params(device=device)
    if where is not None:
        log(f"using the noise key {where}")
    try:
        rows = _write(method, data, out, array)
    except WithholdError:
        raise
    except OSError as error:
        raise cannot_write(out, error) from error
    return {
        "release": str(out),
        "rows": rows,
        "digest": digest(out),
        "noise": method.noise_note_,
        "method": type(method).__name__.lower(),
        "input_digest": digest(data),
    }


def check_engine(engine: str) -> None:
    """Refuse an engine that this version does not have.

    Examples
    --------
    >>> check_engine("local")
    """
    if engine != "local":
        why = "This version computes on one machine, in pieces of bounded memory."
        if engine == "ray":
            why = "Many machines come with a later version; this one computes on one, in pieces of bounded memory."
        raise InvalidParameterError(sentence("The option --engine", "local", repr(engine), why, "Leave it out."))


def _key(sanitizer: Path, given: Path | None) -> tuple[NoiseKey | None, Path | None]:
    if given is not None:
        return NoiseKey.from_file(given), given
    for path in (key_path(sanitizer), sanitizer.parent / "key"):
        if path.is_file():
            return NoiseKey.from_file(path), path
    return None, None


def _write(method: Sanitizer, data: Path, out: Path, array: str | None) -> int:
    pieces = _released(method, data, array)
    first = next(pieces, None)
    if first is None:
        why = "There is nothing to release."
        raise DataError(sentence(f"The table {data.name}", "at least one row", "none", why, "Check the file."))
    if out.suffix.lower() == ".npz":
        whole = pa.concat_tables([first, *pieces])
        write_table(out, whole, array=array or "x")
        return int(whole.num_rows)
    rows = 0
    with TableWriter(out, first.schema) as writer:
        for piece in _chain(first, pieces):
            writer.write(piece if piece.schema.equals(first.schema) else piece.cast(first.schema))
            rows += piece.num_rows
    return rows


def _chain(first: pa.Table, rest: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from rest


def _released(method: Sanitizer, data: Path, array: str | None) -> Iterator[pa.Table]:
    for batch in table_batches(data, BATCH, array=array):
        table = pa.Table.from_batches([batch])
        released = method.transform(table if method.codec_ is not None else _matrix(method, table))
        if isinstance(released, np.ndarray):
            letter = "x" if method.codec_ is None else "z"
            released = pa.table({f"{letter}{j}": np.ascontiguousarray(c) for j, c in enumerate(released.T)})
        yield released


def _matrix(method: Sanitizer, table: pa.Table) -> np.ndarray:
    """Return what an embedding's sanitiser was fitted on: the columns x0, x1, ..., or all where none is so named."""
    names = [name for name in table.column_names if MATRIX.fullmatch(name)] or table.column_names
    columns = [table.column(name) for name in names]
    if any(not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)) for column in columns):
        why = f"This {type(method).__name__} was fitted on an array."
        raise DataError(sentence("The new records", "numbers", "columns of other types", why, "Pass the same columns."))
    return np.column_stack([column.to_numpy() for column in columns])
