"""A file through a transform on one machine, a batch at a time; what a killed run left behind is taken up again."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError, FileError, InvalidParameterError, WithholdError
from withhold.contracts.wording import listed
from withhold.data.arrow_types import encoded_again
from withhold.data.frames import to_frame
from withhold.data.schema import pandas_index
from withhold.io.atomic import TEMPORARY_PREFIX, not_a_folder, write_text
from withhold.io.reading import FOUND_OUT, Reading
from withhold.io.table_format import check_writable
from withhold.io.tables import TableWriter, digest, open_writer, row_count, table_batches

_JOURNAL = "journal.json"
_OURS = re.compile(rf"part-\d{{6,}}\.feather|{re.escape(_JOURNAL)}|{re.escape(TEMPORARY_PREFIX)}.*")


class Journal:
    """The finished parts of one run.

    Parameters
    ----------
    target : Path
        The file the run is to write.
    identity : mapping
        JSON values that name the source, the transform and the settings; parts of a run with others are removed.
    """

    def __init__(self, target: Path, identity: Mapping[str, Any]) -> None:
        self.folder = target.parent / f".{target.name}.withhold-parts"
        self._refuse_strangers()
        self._identity = dict(identity)
        self._parts = self._left_behind()
        if not self._parts:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.rows = sum(int(part["rows"]) for part in self._parts)

    @property
    def parts(self) -> int:
        """Number of finished parts."""
        return len(self._parts)

    def add(self, batches: list[pa.Table]) -> None:
        """Store one finished part."""
        self.folder.mkdir(exist_ok=True)
        path = self._path(len(self._parts))
        with TableWriter(path, batches[0].schema) as writer:
            for batch in batches:
                writer.write(batch)
        self._parts.append({"rows": writer.rows, "sha256": digest(path)})
        self.rows += writer.rows
        content = {"identity": self._identity, "parts": self._parts}
        write_text(self.folder / _JOURNAL, json.dumps(content, indent=1))

    def batches(self, rows: int) -> Iterator[pa.Table]:
        """Yield all finished records in order."""
        for number in range(len(self._parts)):
            for batch in table_batches(self._path(number), rows):
                yield pa.Table.from_batches([batch])

    def remove(self) -> None:
        """Delete the work folder, the journal first, so that what a kill leaves is not taken for parts."""
        (self.folder / _JOURNAL).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _refuse_strangers(self) -> None:
        """Refuse a link, which leads elsewhere, and a folder with what no run of ours writes there."""
        if not os.path.lexists(self.folder):
            return
        if what := not_a_folder(self.folder):
            raise FileError(f"{self.folder} is {what}, where finished parts would be kept. Remove it, then run again.")
        strange = [one for one in self.folder.iterdir() if one.is_symlink() or not _OURS.fullmatch(one.name)]
        if strange:
            raise FileError(f"{strange[0]} was not written by withhold, which keeps parts there. Move it away.")

    def _left_behind(self) -> list[dict[str, Any]]:
        try:
            content = json.loads((self.folder / _JOURNAL).read_text(encoding="utf-8"))
            if content["identity"] != json.loads(json.dumps(self._identity)):
                return []
            intact = []
            for number, part in enumerate(content["parts"]):
                if digest(self._path(number)) != part["sha256"]:
                    break
                intact.append({"rows": int(part["rows"]), "sha256": str(part["sha256"])})
        except (OSError, ValueError, KeyError, TypeError, WithholdError):
            return []
        return intact

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.feather"


class Transform(Protocol):
    """Records in, release out; never needs the sensitive attribute."""

    def transform(self, X: Any) -> Any:
        """Return the release of `X`, in the container `X` came in."""


class BatchAdapter:
    """Apply a transform to batches of one table.

    Parameters
    ----------
    transform : Transform
        With scikit-learn's attributes: one that has `feature_names_in_` is given tables of those columns; one that has
        only `n_features_in_` was fitted on an array and is given arrays; any other is given all columns as a table.
    schema : pyarrow.Schema
        Of the source.
    copied : sequence of str
        Columns that go into the release unchanged and are not shown to a transform that does not know them.

    Examples
    --------
    >>> class Double:
    ...     n_features_in_ = 2
    ...     def transform(self, X):
    ...         return 2 * X
    >>> batch = pa.record_batch({"x0": [1.0], "x1": [2.0], "label": ["a"]})
    >>> BatchAdapter(Double(), batch.schema, ["label"]).apply(batch).to_pylist()
    [{'x0': 2.0, 'x1': 4.0, 'label': 'a'}]
    """

    def __init__(self, transform: Transform, schema: pa.Schema, copied: Sequence[str] = ()) -> None:
        self._transform = transform
        self._copied = list(copied)
        self._source_names = list(schema.names)
        _check_present(self._copied, self._source_names, "which is to be copied")
        names = getattr(transform, "feature_names_in_", None)
        width = getattr(transform, "n_features_in_", None)
        self._as_array = names is None and width is not None
        self._inputs = self._input_names(names, width, schema)
        self._output_schema: pa.Schema | None = None

    def apply(self, batch: pa.RecordBatch) -> pa.Table:
        """Return the released records of `batch`, the same columns and types every time."""
        given = pa.Table.from_batches([batch]).select(self._inputs)
        released = self._as_table(self._transform.transform(_matrix(given) if self._as_array else given))
        if released.num_rows != batch.num_rows:
            raise DataError(
                f"The transform made {released.num_rows:,} rows of {batch.num_rows:,}. Use one that keeps rows."
            )
        complete = encoded_again(self._with_copied(released, batch))
        if self._output_schema is None:
            self._output_schema = complete.schema
        return self._uniform(complete, self._output_schema)

    def _input_names(self, names: Any, width: int | None, schema: pa.Schema) -> list[str]:
        if names is not None:
            wanted = [str(name) for name in names]
            _check_present(wanted, self._source_names, "which the sanitiser was fitted on")
            return wanted
        numbered = [f"x{j}" for j in range(width or 0)]
        if numbered and set(numbered) <= set(self._source_names):
            return numbered
        # Row labels are no features; what a transform says that it reads it is shown, copied or not.
        aside = {*self._copied, *pandas_index(schema)} - set(getattr(self._transform, "reads", ()))
        return [name for name in self._source_names if name not in aside]

    def _as_table(self, output: Any) -> pa.Table:
        table = to_frame(output, "The output of the transform").table
        if isinstance(output, pa.Table | pa.RecordBatch) or hasattr(output, "columns"):
            return table
        namer = getattr(self._transform, "get_feature_names_out", None)
        names = [str(name) for name in namer()] if namer is not None else []
        return table.rename_columns(names) if len(names) == table.num_columns else table

    def _with_copied(self, released: pa.Table, batch: pa.RecordBatch) -> pa.Table:
        both = [name for name in self._copied if name in released.column_names]
        if both:
            raise DataError(
                f"{both[0]!r} is a column of the release, and a copy would put the original values back. Leave out "
                f"--copy {quote(both[0])}."
            )
        for name in self._copied:
            released = released.append_column(batch.schema.field(name), batch.column(name))
        place = {name: i for i, name in enumerate(self._source_names)}
        if set(released.column_names) <= set(place):
            released = released.select(sorted(released.column_names, key=place.__getitem__))
        return released

    def _uniform(self, table: pa.Table, schema: pa.Schema) -> pa.Table:
        if table.column_names == schema.names:
            try:
                return table if table.schema.equals(schema) else table.cast(schema)
            except (pa.ArrowException, NotImplementedError):
                pass
        got = ", ".join(f"{field.name}: {field.type}" for field in table.schema if field not in list(schema))
        raise DataError(
            f"The transform gave a later batch other columns or types ({got}). Give its columns fixed types."
        )


def _check_present(wanted: list[str], present: list[str], use: str) -> None:
    missing = [name for name in wanted if name not in present]
    if missing:
        raise DataError(f"The source has no column {listed(missing)}, {use}. Its columns are {listed(present, 20)}.")


def _matrix(table: pa.Table) -> np.ndarray[Any, Any]:
    batch = table.combine_chunks().to_batches()[0]
    unfit = [
        field for field in batch.schema if not (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
    ]
    if unfit:
        raise DataError(
            f"The sanitiser was fitted on an array of numbers, and {unfit[0].name!r} is of type {unfit[0].type}. "
            f"Convert or remove the column, or pass --copy {quote(unfit[0].name)}."
        )
    matrix: np.ndarray[Any, Any] = np.asarray(batch.to_tensor(null_to_nan=True, row_major=True))
    return matrix


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
    reading: Reading = FOUND_OUT,
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
    reading : Reading
        What is said of how the file is to be read.

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
    batches = table_batches(source, rows_per_batch, array, labels, types, reading)
    if not resume:
        rows, names = _write(
            target, _counted(_released(transformer, batches, columns), progress, total), source, array, reading
        )
        return TransformSummary(rows, names, time.monotonic() - start)
    settings = {"rows": rows_per_batch, "parts": BATCHES_PER_PART, "columns": list(columns), "array": array}
    settings["reading"] = asdict(reading)
    read = digest(source) + ("" if labels is None else f"+{digest(labels)}")
    proof = {"source": read, "transform": identity, "version": version("withhold"), "settings": settings}
    journal = Journal(target, proof)
    resumed = journal.rows
    remaining = islice(batches, journal.parts * BATCHES_PER_PART, None)
    released = _counted(_released(transformer, remaining, columns), progress, total, resumed)
    while part := list(islice(released, BATCHES_PER_PART)):
        journal.add(part)
    rows, names = _write(target, journal.batches(rows_per_batch), source, array, reading)
    journal.remove()
    return TransformSummary(rows, names, time.monotonic() - start, resumed)


def _check(source: Path, target: Path, resume: bool, identity: str) -> None:
    if target.suffix:  # without one it may be a folder of images
        check_writable(target)
    if Path(os.path.realpath(source)) == target:
        raise InvalidParameterError(f"The release would replace its source '{target}'. Name another file with --out.")
    if resume and not identity:
        raise InvalidParameterError(
            "A resumable transform needs an identity: the digest of the artifact and the fingerprint of the noise key."
        )


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


def _write(
    target: Path, batches: Iterator[pa.Table], source: Path, array: str | None, reading: Reading
) -> tuple[int, tuple[str, ...]]:
    first = next(batches, None)
    if first is None:
        raise DataError(f"{source.name} has no rows, so there is nothing to release.")
    with open_writer(target, first.schema, array or "x", reading) as writer:
        writer.write(first)
        for batch in batches:
            writer.write(batch)
    return writer.rows, tuple(first.column_names)
