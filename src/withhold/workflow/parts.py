"""Which rows the sanitiser is fitted on and which it never sees, and the file that records it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError
from withhold.contracts.seeds import stream
from withhold.contracts.wording import listed
from withhold.data.attributes import Attributes
from withhold.data.splits import split_rows
from withhold.io.tables import read_table

Source = Literal["none", "run", "file", "column", "test_file"]

FIT_WORDS = frozenset({"train", "fit", "training"})
AUDIT_WORDS = frozenset({"test", "audit", "testing", "holdout", "held-out"})
AUDIT_SHARE = 0.3
# Below this many rows on either side, an interval on leakage spans everything.
FEWEST = 5


@dataclass(frozen=True)
class Parts:
    """Rows of the fit part (True) and of the audit part (False), and where the division came from."""

    fit: np.ndarray
    source: Source

    @property
    def fit_rows(self) -> np.ndarray:
        """Positions of the rows the sanitiser is fitted on."""
        return np.flatnonzero(self.fit)

    @property
    def audit_rows(self) -> np.ndarray:
        """Positions of the rows it never sees."""
        return np.flatnonzero(~self.fit)


def draw_parts(attributes: Attributes, groups: np.ndarray | None, n: int, seed: int) -> Parts:
    """Draw the audit part: 30 % of the rows, stratified by S, subjects kept together.

    Parameters
    ----------
    attributes : Attributes
        The sensitive attributes.
    groups : ndarray of int or None
        Subject of each row.
    n : int
        Rows.
    seed : int
        Seed of the draw.

    Returns
    -------
    Parts
    """
    first = attributes.joint() if len(attributes) > 1 else next(iter(attributes), None)
    strata = first.codes if first is not None and first.kind == "categorical" else None
    kept, _ = split_rows(n, AUDIT_SHARE, stream(seed, "workflow", "parts"), groups=groups, stratify=strata)
    mask = np.zeros(n, dtype=bool)
    mask[kept] = True
    return checked(Parts(mask, "run"))


def refuse_parted(parts: Parts, persons: np.ndarray | None, named: str) -> None:
    """Refuse a division that puts rows of one person on both sides, where one side trains a generator for the other.

    Parameters
    ----------
    parts : Parts
        Drawn elsewhere: a column or a second file.
    persons : ndarray of int or None
        Person of each row.
    named : str
        The column that names them.

    Examples
    --------
    >>> refuse_parted(Parts(np.array([True, False, False]), "column"), np.array([0, 1, 1]), "person")
    >>> refuse_parted(Parts(np.array([True, False, False]), "column"), np.array([0, 0, 1]), "person")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.DataError: Rows of 1 of 2 persons named in 'person' stand in both parts: ...
    """
    if persons is None:
        return
    both = np.intersect1d(persons[parts.fit], persons[~parts.fit])
    if len(both):
        raise DataError(
            f"Rows of {len(both):,} of {len(np.unique(persons)):,} persons named in {named!r} stand in both parts: the "
            "generator would be trained, without protection, on rows of persons whose other rows are released. Put all "
            "rows of a person into one part, or leave the division to withhold."
        )


def parts_by_column(column: pa.ChunkedArray, name: str) -> Parts:
    """Read the division from a column with train or fit, and test or audit.

    Examples
    --------
    >>> column = pa.chunked_array([["train"] * 5 + ["test"] * 5])
    >>> parts_by_column(column, "split").fit_rows
    array([0, 1, 2, 3, 4])
    """
    return checked(Parts(_fitted(column, name), "column"))


def _fitted(column: pa.ChunkedArray, name: str) -> np.ndarray:
    words = [str(value).strip().lower() for value in column.to_pylist()]
    strange = sorted({word for word in words if word not in FIT_WORDS | AUDIT_WORDS})
    if strange:
        found = ", ".join(map(repr, strange[:5]))
        raise DataError(f"Split column {name!r} may contain only train/fit or test/audit; found {found}.")
    return np.array([word in FIT_WORDS for word in words], dtype=bool)


def splits_table(parts: Parts, rows: np.ndarray) -> pa.Table:
    """Return what `splits.parquet` holds of every row of the release, in its order: its part, and which it was.

    Parameters
    ----------
    parts : Parts
        Of the rows of the release.
    rows : ndarray of int
        Position of each in the data; with a second file, in both one after the other.

    Examples
    --------
    >>> splits_table(Parts(np.array([True, False]), "run"), np.array([1, 0])).to_pydict()
    {'row': [0, 1], 'part': ['fit', 'audit'], 'data_row': [1, 0]}
    """
    words = np.where(parts.fit, "fit", "audit")
    return pa.table(
        {"row": np.arange(len(words)), "part": pa.array(words.tolist(), pa.string()), "data_row": pa.array(rows)}
    )


def read_splits(path: Path, n: int) -> tuple[Parts, np.ndarray | None]:
    """Read a `splits.parquet`, refusing one of another release; of an earlier version it does not know the order.

    Parameters
    ----------
    path : Path
        The file.
    n : int
        Rows of the release.
    """
    table = read_table(path)
    if "part" not in table.column_names or table.num_rows != n:
        raise DataError(
            f"{path} is not of this release: it needs {n:,} rows and a column 'part', and has {table.num_rows:,} rows "
            f"and {listed(table.column_names)}. Pass the private/splits.parquet of the run that made the release."
        )
    if "row" in table.column_names:
        table = table.sort_by("row")
    parts = Parts(_fitted(table.column("part"), "part"), "file")
    if parts.fit.any():  # of a generator's records none was fitted
        checked(parts)
    return parts, table.column("data_row").to_numpy() if "data_row" in table.column_names else None


def checked(parts: Parts) -> Parts:
    """Refuse a part with too few rows to learn from or to judge on."""
    fit, audit = len(parts.fit_rows), len(parts.audit_rows)
    if fit < FEWEST or audit < FEWEST:
        raise DataError(
            f"Fitting and auditing need at least {FEWEST} rows each (got {fit} and {audit}). Give more rows, or divide "
            "them otherwise."
        )
    return parts
