"""The rows of a long file that an audit reads at all: what its effort would not judge need not fill the memory."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.finding import Finding
from withhold.contracts.seeds import root, stream
from withhold.data.encodings import plain_encodings
from withhold.io.table_format import image_files
from withhold.io.tables import row_count, table_batches

# Only files of many times the rows that are judged: others are read whole, and sampled by the audit itself.
MANY = 4
BATCH = 65_536


def sample_rows(files: Sequence[Path], most: int, seed: int) -> tuple[NDArray[np.int64], int] | None:
    """Choose rows at random where files that belong together row by row are much longer than what is judged.

    Parameters
    ----------
    files : sequence of Path
        All of one length, or nothing is chosen; so it is where a format does not state its length.
    most : int
        Rows that are judged.
    seed : int

    Returns
    -------
    (ndarray, int) or None
        Row numbers, ascending, and how many there are in all.
    """
    if any(path.suffix.lower() in (".csv", ".npz") or not path.exists() or image_files(path) for path in files):
        return None
    lengths = {row_count(path) for path in files}
    total = lengths.pop()
    if lengths or total is None or total <= MANY * most:
        return None
    chosen = stream(root(seed), "audit", "rows of a long file").choice(total, most, replace=False)
    return np.sort(chosen).astype(np.int64), total


def read_rows(path: Path, rows: NDArray[np.int64]) -> pa.Table:
    """Return some rows of a file, in ascending order, in the memory of these and of one batch.

    Examples
    --------
    >>> import tempfile
    >>> from withhold.io.tables import write_table
    >>> path = Path(tempfile.mkdtemp()) / "a.parquet"
    >>> write_table(path, pa.table({"a": range(9)}))
    >>> read_rows(path, np.array([2, 7])).column("a").to_pylist()
    [2, 7]
    """
    taken, first = [], 0
    for batch in table_batches(path, BATCH):
        low, high = np.searchsorted(rows, (first, first + batch.num_rows))
        taken.append(plain_encodings(pa.Table.from_batches([batch]), path.name).take(pa.array(rows[low:high] - first)))
        first += batch.num_rows
    return pa.concat_tables(taken).unify_dictionaries().combine_chunks()


def sampling_note(judged: int, total: int, effort: str) -> Finding:
    """Say how many rows were judged.

    Examples
    --------
    >>> sampling_note(60_000, 10_000_000, "quick").text[:48]
    '60,000 of 10,000,000 rows were judged, chosen at'
    """
    text = (
        f"{judged:,} of {total:,} rows were judged, chosen at random: the {effort} effort stops there, and a file of "
        "this length is not read whole. Attackers with all rows may learn more; a higher effort uses more."
    )
    return Finding(code="rows_sampled", severity="warning", text=text)
