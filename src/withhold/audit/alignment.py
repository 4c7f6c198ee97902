"""Whether a sensitive attribute from another file stands in the same order as the release.

Rows of two files that merely have the same number are no evidence: a shuffled attribute looks hidden whatever the
release holds. The proof is a positive control: the release must predict other columns of the file that the sensitive
attribute came from, better than under permutation, better than when it is shifted by a few rows, and in every part of
the file - rows dropped in the middle of one file leave the ends aligned.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import stats
from scipy.linalg import cho_factor, cho_solve

from withhold.audit.findings.wording import finding
from withhold.audit.view.cells import Cells
from withhold.audit.view.pixels import block_columns
from withhold.audit.view.reading import read_columns
from withhold.audit.view.view import AttackView
from withhold.contracts.finding import Finding
from withhold.contracts.seeds import stream
from withhold.contracts.wording import advice
from withhold.data.frames import to_frame
from withhold.training.session import one_thread

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
# Indicators times rows predicted at once (64 MB).
MOST_TARGETS = 8_000_000
OTHERS = "the other columns of the sensitive attribute's file"


@dataclass(frozen=True)
class Alignment:
    """Evidence that rows correspond.

    Attributes
    ----------
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
    controls : pyarrow.Table or None
        Other columns of the file that the sensitive attribute came from (U, or columns of the original), in that
        file's order and without the sensitive attribute itself.
    version : str or None
        Name of the other file where it is another version of the records, of which `controls` are the columns.

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
    agreement = _agreements(release, controls, rng, SHIFTS)
    if agreement is None:
        return _unproven(f"{others.capitalize()} are constant")
    own, shuffled, *moved = agreement
    gains = {"under permutation": own - shuffled}
    gains |= {f"shifted by {k}": own - agreed for k, agreed in zip(SHIFTS, moved, strict=True)}
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
    original : pyarrow.Table
        The table that was matched by the key, row for row.

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
    agreement = _agreements(release.select(shared), original.select(shared), rng)
    if agreement is None:
        return trusted
    p_value = _p_value(agreement[0] - agreement[1])
    if p_value <= CONTRADICTED:
        return Alignment(True, p_value, trusted.why)
    why = (
        f"Columns of the release and of the original ({', '.join(shared[:5])}) agree no better than under permutation: "
        "the key names other records, or the release keeps nothing of them. Whether rows correspond is unproven. Check "
        "the key, for instance that it was not numbered anew in one of the files."
    )
    return Alignment(False, p_value, why)


def _unproven(why: str, p_value: float = 1.0) -> Alignment:
    pair = advice("Give a key column.", "Give a key column (--key), or --splits for a release of `withhold run`.")
    return Alignment(False, p_value, f"{why}: whether rows correspond is unproven. {pair}")


def _agreements(
    release: pa.Table, controls: pa.Table, rng: np.random.Generator, shifts: tuple[int, ...] = ()
) -> list[Floats] | None:
    """Return how well each row of the release predicts the controls of its own row, of others by lot, of rows shifted.

    None where the controls are constant. Controls are taken in blocks: all at once they would fill the memory.
    """
    n = controls.num_rows
    predict = _predictor(AttackView.fit(release, row_order=False).dense, rng)
    permutations = [rng.permutation(n) for _ in range(PERMUTATIONS)]
    total, columns = [np.zeros(n) for _ in range(2 + len(shifts))], 0
    for targets in _blocks(_targets(controls), max(1, MOST_TARGETS // n)):
        predicted = predict(targets)
        columns += targets.shape[1]
        total[0] += _agreement(predicted, targets)
        for rows in permutations:
            total[1] += _agreement(predicted, targets[rows]) / PERMUTATIONS
        for place, k in enumerate(shifts, 2):
            total[place] += _agreement(predicted, np.roll(targets, k, axis=0))
    return [agreed / columns for agreed in total] if columns else None


def _targets(controls: pa.Table) -> Iterator[Floats]:
    """Yield standardised indicators of few cells of every column: any kind of column, no heavy tails."""
    averages = {name: column for name, _, column in block_columns(controls, BLOCKS_OF_IMAGES)}
    for reading in chain(read_columns(controls), read_columns(pa.table(averages))):
        cut = Cells.fit(reading, np.ones(controls.num_rows, bool))
        placed = cut.place(reading)
        for cell in np.unique(placed):
            flag = (placed == cell).astype(np.float64)
            if 0.01 < flag.mean() < 0.99:  # rare cells have heavy tails and no power
                yield (flag - flag.mean()) / flag.std()


def _blocks(columns: Iterator[Floats], width: int) -> Iterator[Floats]:
    while block := list(islice(columns, width)):
        yield np.column_stack(block)


def _predictor(X: npt.NDArray[np.float32], rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """Return what makes out-of-fold ridge predictions; random folds, so that the model is the same at every block."""
    folds = rng.integers(0, FOLDS, len(X))
    scale = X.std(axis=0, dtype=np.float64)
    standard = (X[:, scale > 0] - X[:, scale > 0].mean(axis=0, dtype=np.float64)) / scale[scale > 0]
    parts = [(standard[folds != k], folds != k, folds == k) for k in range(FOLDS)]
    # Of fewer rows than columns the products of rows give the same predictions.
    few = [len(train) < train.shape[1] for train, _, _ in parts]
    factors = [
        cho_factor((train @ train.T if dual else train.T @ train) + RIDGE * len(train) / 100 * np.eye(min(train.shape)))
        for (train, _, _), dual in zip(parts, few, strict=True)
        if train.size
    ]

    def predict(targets: Floats) -> Floats:
        out = np.zeros_like(targets)
        for (train, learned, asked), dual, factor in zip(parts, few, factors, strict=False):
            known = targets[learned]
            weights = train.T @ cho_solve(factor, known) if dual else cho_solve(factor, train.T @ known)
            out[asked] = standard[asked] @ weights
        return out

    return predict


def _agreement(predicted: Floats, targets: Floats) -> Floats:
    """How much better than the mean each row is predicted: the fall in squared error, summed over columns."""
    return np.asarray((2 * predicted * targets - predicted**2).sum(axis=1))


def _p_values(gain: Floats, parts: int) -> list[float]:
    return [_p_value(part) for part in np.array_split(gain, parts)]


def _p_value(gain: Floats) -> float:
    spread = float(gain.std())
    if len(gain) < 2 or spread == 0:
        return 1.0
    return float(stats.norm.sf(gain.mean() / (spread / np.sqrt(len(gain)))))


def check_orders(
    release: pa.Table, sensitive: tuple[str, pa.Table | None], versions: Mapping[str, Any], seed: int
) -> tuple[bool, list[Finding]]:
    """Check the order of S and of other versions of the records, where only row numbers or a key speak for it.

    Parameters
    ----------
    sensitive : tuple of {"given", "key", "rows"} and pyarrow.Table or None
        What the order of S rests on, and the other columns of the table S came from.
    versions : mapping of str to table
        Other versions of the same records whose order is to be proven.

    Returns
    -------
    bool, list of Finding
        Whether all is proven; why not.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=600)
    >>> release, other = pa.table({"a": x}), pa.table({"b": x + 0.1})
    >>> check_orders(release, ("given", None), {"may.csv": other}, 0)
    (True, [])
    >>> proven, notes = check_orders(release, ("given", None), {"may.csv": other.take(list(range(599, -1, -1)))}, 0)
    >>> proven, notes[0].code, "'may.csv'" in notes[0].text
    (False, 'alignment_unproven', True)
    """
    found = []
    with one_thread():
        rests_on, controls = sensitive
        if rests_on == "rows":
            found.append(check_alignment(release, controls, stream(seed, "audit", "alignment")))
        if rests_on == "key" and controls is not None:
            found.append(check_key(release, controls, stream(seed, "audit", "alignment")))
        for name, given in versions.items():
            table = to_frame(given, name).table
            found.append(check_alignment(release, table, stream(seed, "audit", "alignment", name), name))
    return all(one.proven for one in found), [note for one in found for note in one.findings()]
