"""The order in which rows are released: at random, so that position tells nothing, and how the owner undoes it."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError
from withhold.io.tables import read_table, write_table
from withhold.workflow.job import Job
from withhold.workflow.source import Source

# A note for an interrupted run; afterwards the order stands in splits.parquet.
ORDER = "order.parquet"


def random_order(n: int) -> np.ndarray:
    """Return a permutation drawn by the operating system: no seed in a record brings the first order back.

    Examples
    --------
    >>> sorted(random_order(4).tolist())
    [0, 1, 2, 3]
    """
    # Ranks of 64-bit numbers; two are equal among a million with a chance of 3e-8, and then keep their order.
    return np.argsort(np.frombuffer(os.urandom(8 * n), dtype=np.uint64), kind="stable")


def release_order(path: Path, n: int) -> np.ndarray:
    """Return the row of the data that each row of the release is: of an interrupted run, else drawn and written now.

    Parameters
    ----------
    path : Path
        In the private part; it is what links the release to the data until splits.parquet does.
    n : int
        Rows.
    """
    if not path.exists():
        order = random_order(n)
        write_table(path, pa.table({"row": pa.array(np.arange(n)), "data_row": pa.array(order)}))
    return np.asarray(read_table(path).column("data_row").to_numpy())


def in_order(job: Job, features: pa.Table, order: np.ndarray) -> tuple[Job, pa.Table]:
    """Return a job and its sanitised features with the rows in another order.

    Parameters
    ----------
    job : Job
        As it was fitted.
    features : pyarrow.Table
        What the method released of each row.
    order : ndarray of int
        From `release_order`.
    """
    rows = pa.array(order)
    moved = replace(
        job,
        table=job.table.take(rows),
        attributes=job.attributes.take(order),
        groups=None if job.groups is None else job.groups[order],
        parts=job.parts.take(order),
    )
    return moved, features.take(rows)


def as_released(source: Source, order: np.ndarray | None, key: str | None) -> Source:
    """Put a file that is in the order of the data into that of the release; a key says which rows belong together.

    Parameters
    ----------
    source : Source
        The original, or another file in its order.
    order : ndarray of int or None
        The row of the data that each row of the release is, where that is known.
    key : str or None
        A column that names records, where there is one.
    """
    if order is None or key is not None:
        return source
    last = int(order.max(initial=-1)) + 1
    if last > source.table.num_rows:
        raise DataError(
            f"{source.name} has {source.table.num_rows:,} rows, and row {last:,} of the data was released. Pass the "
            "file that the run was given (with --test, the rows of both, one after the other)."
        )
    return replace(source, table=source.table.take(pa.array(order)))
