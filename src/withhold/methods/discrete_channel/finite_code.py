"""A finite code of the records: what they tell of U and S, in so few values that their joint can be counted.

Where the records have few values, the code is the record itself. Elsewhere boosted models that never met a row give its
posteriors p(u|x) and p(s|x), and rows are grouped so that as little as possible of both is lost: means of
posteriors in Kullback-Leibler divergence, whose total loss is I(U;X) - I(U;code) plus the same for S as far as the
posteriors are right. The number of groups is bounded by the number of rows: the plug-in information of a table of too
many cells is too large by (cells - 1)(classes - 1) / 2n, and a search over channels exploits what is chance in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.seeds import stream
from withhold.data.codec import Block
from withhold.methods.estimator.boosted_scores import CrossFitted

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

MOST_VALUES, ROWS_A_VALUE = 64, 40  # different records that are their own code, and rows that each must have on average
ROWS_A_CELL, FEWEST_CELLS, MOST_CELLS = 400, 4, 64
FEWEST = 10  # rows of a cell; a value with fewer is no cell of its own
GROUPED, ROUNDS, STARTS = 20_000, 25, 3  # rows that groups are learned from, passes, starts
CHUNK = 65_536


def cells_for(rows: int) -> int:
    """Return how many groups so many rows carry.

    Examples
    --------
    >>> cells_for(1_000), cells_for(5_000), cells_for(32_000)
    (4, 12, 64)
    """
    return int(np.clip(rows // ROWS_A_CELL, FEWEST_CELLS, MOST_CELLS))


@dataclass(frozen=True)
class FiniteCode:
    """From encoded rows to cells 0 .. n_cells - 1.

    Attributes
    ----------
    values : ndarray (n_values, width)
        Records that are cells of their own, sorted by their bytes; all others share one more cell. Empty where the code
        is learned.
    centres : ndarray (n_cells, classes of U and of S)
        Mean posteriors of the groups, log-probabilities; empty where the code is the record.
    models : tuple of CrossFitted
        Of U and of S; empty likewise.
    """

    values: NDArray[np.float32]
    centres: Reals
    models: tuple[CrossFitted, ...]

    @classmethod
    def fit(
        cls,
        H: np.ndarray,
        attributes: Sequence[tuple[Codes, int]],
        *,
        blocks: Sequence[Block] = (),
        cells: int | None = None,
        rounds: int | None = None,
        seed: int = 0,
    ) -> Self:
        """Learn the code of rows `H` for `attributes`: codes (-1 where missing) and number of classes of U and of S."""
        values, counts = np.unique(_bytes(H), return_counts=True)
        if len(values) <= MOST_VALUES and len(H) >= ROWS_A_VALUE * len(values):
            kept = np.frombuffer(values[counts >= FEWEST].tobytes(), np.float32).reshape(-1, H.shape[1])
            return cls(np.array(kept), np.zeros((0, 0)), ())
        more = {} if rounds is None else {"rounds": rounds}
        models = tuple(
            CrossFitted.fit(H, codes, classes, blocks, seed=seed + 10 * i, **more)
            for i, (codes, classes) in enumerate(attributes)
        )
        posteriors = _posteriors(models, H)
        centres = _groups(posteriors, cells or cells_for(len(H)), stream(seed, "groups"))
        return cls(np.zeros((0, H.shape[1]), np.float32), centres, models)

    @property
    def exact(self) -> bool:
        """Whether the code is the record itself."""
        return not self.models

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.values) + 1 if self.exact else len(self.centres)

    def __call__(self, H: np.ndarray) -> Codes:
        """Return the cell of each row."""
        if not self.exact:
            return _nearest(_posteriors(self.models, H), self.centres)
        known, own = _bytes(self.values), _bytes(H)
        place = np.searchsorted(known, own)
        found = known[np.minimum(place, max(0, len(known) - 1))] == own if len(known) else np.zeros(len(H), bool)
        return np.asarray(np.where(found, place, len(known)), dtype=np.int64)

    def state(self) -> dict[str, np.ndarray]:
        """Return all as arrays."""
        own: dict[str, np.ndarray] = {"values": self.values, "centres": self.centres}
        own["models"] = np.array(len(self.models))
        for i, model in enumerate(self.models):
            own |= {f"model{i}.{name}": array for name, array in model.state().items()}
        return own

    @classmethod
    def restore(cls, state: Mapping[str, np.ndarray]) -> Self:
        """Rebuild from what `state` returned."""
        models = []
        for i in range(int(state["models"])):
            prefix = f"model{i}."
            own = {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
            models.append(CrossFitted.restore(own, state["values"].shape[1]))
        return cls(state["values"], state["centres"], tuple(models))


def _bytes(H: np.ndarray) -> np.ndarray:
    """Return each row as one value that can be sorted and compared."""
    exact = np.ascontiguousarray(np.asarray(H, dtype=np.float32) + np.float32(0))
    return exact.view(np.dtype((np.void, 4 * exact.shape[1]))).ravel()


def _posteriors(models: Sequence[CrossFitted], H: np.ndarray) -> Reals:
    parts = [
        np.concatenate([np.exp(model.log_probabilities(H[start : start + CHUNK])) for model in models], axis=1)
        for start in range(0, len(H), CHUNK)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, sum(len(m.members[0].log_prior) for m in models)))


def _nearest(posteriors: Reals, centres: Reals) -> Codes:
    """Return the group of least divergence: of greatest mean log-probability under the group's own posteriors."""
    return np.asarray((posteriors @ centres.T).argmax(axis=1), dtype=np.int64)


def _groups(posteriors: Reals, cells: int, rng: np.random.Generator) -> Reals:
    """Return log mean posteriors of the best of several starts; groups of fewer than ten rows are given up."""
    rows = posteriors[rng.permutation(len(posteriors))[:GROUPED]]
    best: Reals = np.log(np.maximum(rows.mean(axis=0, keepdims=True), 1e-12))
    most = -np.inf
    for _ in range(STARTS):
        centres = np.log(np.maximum(rows[rng.permutation(len(rows))[:cells]], 1e-12))
        for _ in range(ROUNDS):
            own = _nearest(rows, centres)
            sizes = np.bincount(own, minlength=len(centres))
            sums = np.stack([np.bincount(own, weights=column, minlength=len(centres)) for column in rows.T], axis=1)
            kept = sizes >= FEWEST
            if not kept.any():
                sums, sizes, kept = rows.sum(axis=0, keepdims=True), np.array([len(rows)]), np.array([True])
            centres = np.log(np.maximum(sums[kept] / sizes[kept, None], 1e-12))
        score = float((rows @ centres.T).max(axis=1).mean())
        if score > most:
            best, most = centres, score
    return best
