"""A file through a transform on one machine, a batch at a time: constant memory, order kept, whole or not at all."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError, sentence
from withhold.contracts.transform import Transform
from withhold.engines.adapter import BatchAdapter
from withhold.engines.journal import Journal
from withhold.io.table_format import table_format
from withhold.io.tables import digest, open_writer, row_count, table_batches

# Called after each batch with the rows done and, where the source states it, the rows in all.
Progress = Callable[[int, int | None], None]

ROWS_PER_BATCH = 16_384
BATCHES_PER_PART = 8


@dataclass(frozen=True)
class TransformSummary:
    """What was done.

    Attributes
    ----------
    rows : int
        Records in the release.
    columns : tuple of str
        Its columns.
    seconds : float
        Of this run.
    resumed_rows : int
        Records taken over from an interrupted run.
    """

    rows: int
    columns: tuple[str, ...]
    seconds: float
    resumed_rows: int = 0


def transform_file(
    transformer: Transform,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    rows_per_batch: int = ROWS_PER_BATCH,
    progress: Progress | None = None,
    resume: bool = False,
    columns: Sequence[str] = (),
    array: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    identity: str = "",
    types: Mapping[str, pa.DataType] | None = None,
) -> TransformSummary:
    """Release the records of a file with a fitted transform.

    Parameters
    ----------
    transformer : Transform
        Anything with `transform`; see `BatchAdapter` for what it is given.
    source : path
        A table in any format that can be read. Parquet, CSV and Arrow files and folders of images are streamed; .npz
        is read whole.
    target : path
        The release; the suffix is its format, none is a folder of images. What was there before is replaced only when
        the new one is complete.
    rows_per_batch : int
        Records in memory at a time.
    progress : callable, optional
        Called with rows done and rows in all (None where unknown).
    resume : bool
        Keep finished parts in a hidden folder beside the target while running and continue from those that an
        interrupted run with the same source, transform and settings left. The result is the same as without a break.
    columns : sequence of str
        Columns that are copied into the release unchanged, such as the utility attribute or a key.
    array : str, optional
        Array of an .npz source that holds the features.
    labels : path, optional
        Table that names the images of a folder; without it they come in order of name.
    identity : str
        Names the transform and its noise key for `resume` (artifact digest and key fingerprint), so that parts of
        two different transforms never meet in one file.
    types : mapping of str to DataType, optional
        Types that the transform knows its columns by; a CSV file, which states none, is read with them.

    Returns
    -------
    TransformSummary

    Examples
    --------
    >>> import tempfile
    >>> from withhold.io.tables import read_table, write_table
    >>> class Rounded:
    ...     def transform(self, X):
    ...         return pa.table({"age": [10 * round(age / 10) for age in X["age"].to_pylist()]})
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_table(folder / "a.csv", pa.table({"age": [31, 58], "id": ["a", "b"]}))
    >>> transform_file(Rounded(), folder / "a.csv", folder / "z.csv", columns=["id"]).rows
    2
    >>> read_table(folder / "z.csv").to_pylist()
    [{'age': 30, 'id': 'a'}, {'age': 60, 'id': 'b'}]
    """
    start = time.monotonic()
    source, target = Path(source), Path(os.path.realpath(target))
    _check(source, target, resume, identity)
    total = row_count(source)
    batches = table_batches(source, rows_per_batch, array, labels, types)
    if not resume:
        rows, names = _write(target, _counted(_released(transformer, batches, columns), progress, total), source, array)
        return TransformSummary(rows, names, time.monotonic() - start)
    settings = {"rows": rows_per_batch, "parts": BATCHES_PER_PART, "columns": list(columns), "array": array}
    read = digest(source) + ("" if labels is None else f"+{digest(labels)}")
    proof = {"source": read, "transform": identity, "version": version("withhold"), "settings": settings}
    journal = Journal(target, proof)
    resumed = journal.rows
    remaining = islice(batches, journal.parts * BATCHES_PER_PART, None)
    released = _counted(_released(transformer, remaining, columns), progress, total, resumed)
    while part := list(islice(released, BATCHES_PER_PART)):
        journal.add(part)
    rows, names = _write(target, journal.batches(rows_per_batch), source, array)
    journal.remove()
    return TransformSummary(rows, names, time.monotonic() - start, resumed)


def _check(source: Path, target: Path, resume: bool, identity: str) -> None:
    if target.suffix:  # without one it may be a folder of images
        table_format(target)
    if Path(os.path.realpath(source)) == target:
        why = "The original records would be lost."
        raise InvalidParameterError(
            sentence("The release", "another file than its source", f"'{target}' for both", why, "Choose another name.")
        )
    if resume and not identity:
        why = "Parts of different transforms must not meet in one release."
        remedy = "Pass the digest of the artifact and the fingerprint of the noise key."
        raise InvalidParameterError(sentence("The 'identity' of a resumable run", "a text", "none", why, remedy))


def _released(transformer: Transform, batches: Iterator[pa.RecordBatch], columns: Sequence[str]) -> Iterator[pa.Table]:
    adapter = None
    for batch in batches:
        adapter = adapter or BatchAdapter(transformer, batch.schema, columns)
        yield adapter.apply(batch)


def _counted(
    batches: Iterator[pa.Table], progress: Progress | None, total: int | None, done: int = 0
) -> Iterator[pa.Table]:
    for batch in batches:
        done += batch.num_rows
        yield batch
        if progress is not None:
            progress(done, total)


def _write(target: Path, batches: Iterator[pa.Table], source: Path, array: str | None) -> tuple[int, tuple[str, ...]]:
    first = next(batches, None)
    if first is None:
        why = "There is nothing to release."
        raise DataError(sentence(f"The table '{source}'", "at least one row", "none", why, "Check the file."))
    with open_writer(target, first.schema, array or "x") as writer:
        writer.write(first)
        for batch in batches:
            writer.write(batch)
    return writer.rows, tuple(first.column_names)
