"""Which rows the sanitiser is fitted on and which it never sees, and the file that records it."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError
from withhold.contracts.seeds import stream
from withhold.contracts.wording import listed, option
from withhold.data.attributes import Attributes
from withhold.data.splits import fold_numbers, split_rows
from withhold.io.tables import read_table

Source = Literal["none", "run", "file", "column", "test_file", "cross_fit"]

FIT_WORDS = frozenset({"train", "fit", "training"})
AUDIT_WORDS = frozenset({"test", "audit", "testing", "holdout", "held-out"})
AUDIT_SHARE = 0.3
# Below this many rows on either side, an interval on leakage spans everything.
FEWEST = 5
FOLD = "fold"


@dataclass(frozen=True)
class Parts:
    """Rows of the fit part (True) and of the audit part (False), and where the division came from.

    Attributes
    ----------
    fit : ndarray of bool
        Nowhere True where the release is cross-fitted: the sanitiser of a row never saw it.
    fold : ndarray of int or None
        Of a cross-fitted release: the fold of each row, released by a sanitiser that was fitted on the others.
    """

    fit: np.ndarray
    source: Source
    fold: np.ndarray | None = None

    @property
    def fit_rows(self) -> np.ndarray:
        """Positions of the rows the sanitiser is fitted on."""
        return np.flatnonzero(self.fit)

    @property
    def audit_rows(self) -> np.ndarray:
        """Positions of the rows it never sees."""
        return np.flatnonzero(~self.fit)

    @property
    def known_rows(self) -> np.ndarray:
        """Positions of the rows that columns are read from: those of the fit, of a cross-fitted release all."""
        return self.fit_rows if self.fold is None else np.arange(len(self.fold))

    @property
    def fits(self) -> int:
        """How many sanitisers are fitted."""
        return 1 if self.fold is None else int(self.fold.max()) + 1

    @property
    def fitted(self) -> int:
        """How many rows each of them is fitted on."""
        return int(self.fit.sum()) if self.fold is None else len(self.fold) - len(self.fold) // self.fits

    def take(self, rows: np.ndarray) -> "Parts":
        """Return the parts of some rows, in their order."""
        return replace(self, fit=self.fit[rows], fold=None if self.fold is None else self.fold[rows])

    def held(self, number: int) -> "Parts":
        """Return the parts as the sanitiser of one fold has them: fitted on all other rows."""
        return Parts(np.asarray(self.fold != number), self.source)


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
    """
    rng, strata = stream(seed, "workflow", "parts"), _strata(attributes)
    kept, _ = split_rows(n, AUDIT_SHARE, rng, groups=groups, stratify=strata)
    mask = np.zeros(n, dtype=bool)
    mask[kept] = True
    return checked(Parts(mask, "run"))


def draw_folds(attributes: Attributes, groups: np.ndarray | None, n: int, folds: int, seed: int) -> Parts:
    """Draw the folds of a cross-fitted release: stratified by S, subjects kept together.

    Parameters
    ----------
    attributes, groups, n, seed
        As for `draw_parts`.
    folds : int
        How many.

    Examples
    --------
    >>> parts = draw_folds(Attributes(()), np.repeat(np.arange(6), 5), 30, 3, 0)
    >>> parts.fits, parts.fitted, len(np.unique(parts.fold.reshape(6, 5), axis=1).T)
    (3, 20, 1)
    """
    units, whose = (n, "rows") if groups is None else (len(np.unique(groups)), "subjects")
    most = min(units, n // FEWEST)
    if folds > most:
        raise DataError(
            f"{option('cross_fit', folds)} needs {folds} {whose} and {folds * FEWEST} rows at least (got {units:,} "
            f"{whose} in {n:,} rows). "
            + (f"Write {option('cross_fit', most)} at most." if most >= 2 else "Give more rows.")
        )
    fold = fold_numbers(n, folds, stream(seed, "workflow", "folds"), groups, _strata(attributes))
    return Parts(np.zeros(n, dtype=bool), "cross_fit", fold)


def _strata(attributes: Attributes) -> np.ndarray | None:
    first = attributes.joint() if len(attributes) > 1 else next(iter(attributes), None)
    return first.codes if first is not None and first.kind == "categorical" else None


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

    Of a cross-fitted release the fold too.

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
    columns = {"row": np.arange(len(words)), "part": pa.array(words.tolist(), pa.string()), "data_row": pa.array(rows)}
    return pa.table(columns if parts.fold is None else {**columns, FOLD: pa.array(parts.fold)})


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
    fold = table.column(FOLD).to_numpy() if FOLD in table.column_names else None
    parts = Parts(_fitted(table.column("part"), "part"), "file" if fold is None else "cross_fit", fold)
    if parts.fit.any():  # of a generator's records, and of a cross-fitted release, none was fitted
        checked(parts)
    return parts, table.column("data_row").to_numpy() if "data_row" in table.column_names else None


def checked(parts: Parts) -> Parts:
    """Refuse a part with too few rows to learn from or to judge on."""
    fit, audit = len(parts.fit_rows), len(parts.audit_rows)
    if fit < FEWEST or audit < FEWEST:
        n, drawn = fit + audit, math.ceil(FEWEST / AUDIT_SHARE)
        if n < drawn:
            remedy = f"Give at least {drawn} rows."
        elif parts.source == "run":  # few subjects, one of which has most of the rows
            remedy = f"Give more subjects, or leave {option('groups')} out if each row is somebody else."
        else:
            remedy = f"Name at least {FEWEST} rows of each part."
        raise DataError(f"Fitting and auditing need at least {FEWEST} rows each (got {fit} and {audit}). {remedy}")
    return parts
