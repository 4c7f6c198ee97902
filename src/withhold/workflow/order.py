"""The order in which rows are released: as they came, or at random, so that position tells nothing."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from withhold.io.tables import read_table, write_table
from withhold.workflow.job import Job
from withhold.workflow.parts import Parts

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
        In the private part; it is what links the release to the data.
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
        parts=Parts(job.parts.fit[order], job.parts.source),
    )
    return moved, features.take(rows)
