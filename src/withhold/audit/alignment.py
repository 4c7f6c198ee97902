"""Whether a sensitive attribute from another file stands in the same order as the release.

Rows of two files that merely have the same number are no evidence: a shuffled attribute looks hidden whatever the
release holds. The proof is a positive control: the release must predict other columns of the file that the sensitive
attribute came from, better than under permutation, better than when it is shifted by a few rows, and in every part of
the file - rows dropped in the middle of one file leave the ends aligned.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import stats

from withhold.audit.cells import Cells
from withhold.audit.findings.wording import finding
from withhold.audit.pixels import block_columns
from withhold.audit.reading import read_columns
from withhold.audit.view import AttackView
from withhold.contracts.finding import Finding

Floats = npt.NDArray[np.float64]

FOLDS = 2
RIDGE = 1.0
PERMUTATIONS = 19
SHIFTS = (-3, -2, -1, 1, 2, 3)
# Every block of rows must show it alone, so that no block can be out of order unnoticed; fewer rows a block would
# leave no power, and with more blocks smaller misalignments are seen.
BLOCKS, ROWS_A_BLOCK, FINER = 20, 200, 4
SIGNIFICANT = 1e-4
LEAST_ROWS = 100
# Shared columns that agree less surely than this contradict a key.
CONTRADICTED = 0.01
# Averages of an image that stand for it where images are predicted.
BLOCKS_OF_IMAGES = 16
OTHERS = "the other columns of the sensitive attribute's file"


@dataclass(frozen=True)
class Alignment:
    """Evidence that rows correspond.

    Attributes
    ----------
    proven : bool
    p_value : float
        Of the weakest of the comparisons (permutations, shifts, blocks), each one-sided.
    why : str
        What was found, in words.
    """

    proven: bool
    p_value: float
    why: str

    def findings(self) -> list[Finding]:
        """Return the finding that makes a verdict inconclusive, or none."""
        return [] if self.proven else [finding("alignment_unproven", "warning", self.why)]


def check_alignment(
    release: pa.Table, controls: pa.Table | None, rng: np.random.Generator, version: str | None = None
) -> Alignment:
    """Test that row i of the release and row i of another file, that of the sensitive attribute, are the same record.

    Parameters
    ----------
    release : pyarrow.Table
    controls : pyarrow.Table or None
        Other columns of the file that the sensitive attribute came from (U, or columns of the original), in that
        file's order and without the sensitive attribute itself.
    rng : numpy.random.Generator
    version : str or None
        Name of the other file where it is another version of the records, of which `controls` are the columns.

    Returns
    -------
    Alignment

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=1000)
    >>> release, control = pa.table({"z": x + rng.normal(size=1000)}), pa.table({"x": x})
    >>> check_alignment(release, control, rng).proven
    True
    >>> check_alignment(release, control.take(pa.array(rng.permutation(1000))), rng).proven
    False
    """
    what, file, others = "the sensitive attribute", "the file of the sensitive attribute", OTHERS
    if version is not None:
        what, file, others = f"'{version}'", f"'{version}'", f"the columns of '{version}'"
    if controls is None or controls.num_columns == 0:
        return _unproven(f"Nothing but the row numbers ties {what} to the release")
    n = release.num_rows
    if n != controls.num_rows:
        return _unproven(f"The release has {n} rows and {file} {controls.num_rows}")
    if n < LEAST_ROWS:
        return _unproven(f"With {n} rows it cannot be shown that the rows of both files correspond")
    targets = _targets(controls)
    predicted = _predict(AttackView.fit(release, row_order=False).dense, targets, rng)
    if targets.shape[1] == 0:
        return _unproven(f"{others.capitalize()} are constant")
    own = _agreement(predicted, targets)
    shuffled = np.mean([_agreement(predicted, targets[rng.permutation(n)]) for _ in range(PERMUTATIONS)], axis=0)
    gains = {"under permutation": own - shuffled}
    gains |= {f"shifted by {k}": own - _agreement(predicted, np.roll(targets, k, axis=0)) for k in SHIFTS}
    parts = max(1, min(BLOCKS, n // ROWS_A_BLOCK))
    # Each comparison must hold at SIGNIFICANT by itself, so a part out of order passes with that probability.
    weakest = {name: max([_p_value(gain), *_p_values(gain, parts)]) for name, gain in gains.items()}
    where = max(weakest, key=lambda name: weakest[name])
    if weakest[where] > SIGNIFICANT:
        return _unproven(f"The release predicts {others} no better than {where} in some part", weakest[where])
    # A stretch shorter than a part shows in that some shift fits it better.
    better = min(1.0 - p for gain in gains.values() for p in _p_values(gain, FINER * parts))
    if better < SIGNIFICANT / (FINER * parts * len(gains)):
        return _unproven(f"The release predicts {others} better at other rows in some part")
    return Alignment(True, weakest[where], f"The release predicts {others} in every part")


def check_key(release: pa.Table, original: pa.Table, rng: np.random.Generator) -> Alignment:
    """Test a key by the columns that both tables have: where none of them agrees, the key may name other records.

    A key is believed unless it is contradicted: it need not prove every part of the file, and without shared columns,
    or with few rows, there is nothing to test. A release that destroyed all it shares with the original is taken for
    one that was matched wrongly, because no reader of it could tell the two apart.

    Parameters
    ----------
    release : pyarrow.Table
    original : pyarrow.Table
        The table that was matched by the key, row for row.
    rng : numpy.random.Generator

    Returns
    -------
    Alignment

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> original = pa.table({"x": rng.normal(size=500)})
    >>> renumbered = original.take(pa.array(rng.permutation(500)))
    >>> check_key(original, original, rng).proven, check_key(renumbered, original, rng).proven
    (True, False)
    """
    shared = [name for name in release.column_names if name in original.column_names]
    trusted = Alignment(True, 0.0, "The rows are matched by a key")
    if not shared or release.num_rows < LEAST_ROWS:
        return trusted
    targets = _targets(original.select(shared))
    if targets.shape[1] == 0:
        return trusted
    predicted = _predict(AttackView.fit(release.select(shared), row_order=False).dense, targets, rng)
    n = len(targets)
    shuffled = np.mean([_agreement(predicted, targets[rng.permutation(n)]) for _ in range(PERMUTATIONS)], axis=0)
    p_value = _p_value(_agreement(predicted, targets) - shuffled)
    if p_value <= CONTRADICTED:
        return Alignment(True, p_value, trusted.why)
    why = (
        f"Columns of the release and of the original ({', '.join(shared[:5])}) agree no better than under permutation: "
        "the key names other records, or the release keeps nothing of them. Whether rows correspond is unproven. Check "
        "the key, for instance that it was not numbered anew in one of the files."
    )
    return Alignment(False, p_value, why)


def _unproven(why: str, p_value: float = 1.0) -> Alignment:
    return Alignment(False, p_value, f"{why}: whether rows correspond is unproven. Give a key column.")


def _targets(controls: pa.Table) -> Floats:
    """Return standardised indicators of few cells of every column: any kind of column, no heavy tails."""
    columns = []
    averages = {name: column for name, _, column in block_columns(controls, BLOCKS_OF_IMAGES)}
    for reading in chain(read_columns(controls), read_columns(pa.table(averages))):
        cut = Cells.fit(reading, np.ones(controls.num_rows, bool))
        placed = cut.place(reading)
        for cell in np.unique(placed):
            flag = (placed == cell).astype(np.float64)
            if 0.01 < flag.mean() < 0.99:  # rare cells have heavy tails and no power
                columns.append((flag - flag.mean()) / flag.std())
    return np.column_stack(columns) if columns else np.zeros((controls.num_rows, 0))


def _predict(X: npt.NDArray[np.float32], targets: Floats, rng: np.random.Generator) -> Floats:
    """Out-of-fold ridge predictions; random folds, so that the model is the same wherever a block lies."""
    folds = rng.integers(0, FOLDS, len(X))
    scale = X.std(axis=0, dtype=np.float64)
    standard = (X[:, scale > 0] - X[:, scale > 0].mean(axis=0, dtype=np.float64)) / scale[scale > 0]
    out = np.zeros_like(targets)
    for k in range(FOLDS):
        train = standard[folds != k]
        gram = train.T @ train + RIDGE * len(train) / 100 * np.eye(train.shape[1])
        out[folds == k] = standard[folds == k] @ np.linalg.solve(gram, train.T @ targets[folds != k])
    return out


def _agreement(predicted: Floats, targets: Floats) -> Floats:
    """How much better than the mean each row is predicted: the fall in squared error, averaged over columns."""
    return np.asarray((2 * predicted * targets - predicted**2).mean(axis=1))


def _p_values(gain: Floats, parts: int) -> list[float]:
    return [_p_value(part) for part in np.array_split(gain, parts)]


def _p_value(gain: Floats) -> float:
    spread = float(gain.std())
    if len(gain) < 2 or spread == 0:
        return 1.0
    return float(stats.norm.sf(gain.mean() / (spread / np.sqrt(len(gain)))))
