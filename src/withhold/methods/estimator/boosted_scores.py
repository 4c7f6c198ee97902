"""Boosted trees as plain arrays: class probabilities that can be saved without a pickle, and that no row flatters.

scikit-learn grows the trees; what is kept of them are thresholds and leaf values. Columns of one-hot levels enter as
one number each, the level's shrunken mean of the target, which trees split as well and at a fraction of the cost.

`CrossFitted` holds one model a fold, and the fold of a row is a hash of its features: a row, in training or later, is
only ever scored by the model that learned from no copy of it. So the scores of the training rows are as honest as those
of new rows, and the release needs to know nothing about which rows were which.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from withhold.contracts.seeds import stream
from withhold.data.codec import Block
from withhold.training.trees import TreeClassifier

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

FOLDS = 3
ROUNDS, RATE, LEAVES, FEWEST_LEAF, RIDGE = 120, 0.1, 15, 20, 1.0
PATIENCE, STOPPED = 8, 500  # rounds without progress on a tenth of the rows; fewer rows than this are not held out
FEWEST_ROWS = 60  # below, trees with leaves of twenty rows say nothing: the marginal is used
SHRINK = 20.0  # rows that a level's mean is shrunk by
MOST_MEANS = 3  # class means by which the levels of a column are ordered
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # fixed for all time: folds are not saved
FLOOR = 1e-6  # probability of a class that a model never met


@dataclass(frozen=True)
class BoostedScores:
    """One frozen model: features to log-probabilities.

    Attributes
    ----------
    projection : ndarray (width, n_features)
        From encoded features to what the trees split; empty where these are the features themselves.
    feature, threshold, left, right, missing, value : ndarray (n_trees, n_nodes)
        Nodes of each tree; a leaf is its own child.
    depth : ndarray (n_trees,)
    output : ndarray (n_trees,)
        Which output a tree adds to.
    baseline : ndarray (n_outputs,)
    log_prior : ndarray (n_classes,)
        Used where there are no trees; its finite entries are the classes that were met.
    """

    projection: NDArray[np.float32]
    feature: NDArray[np.int32]
    threshold: Reals
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing: NDArray[np.bool_]
    value: Reals
    depth: NDArray[np.int32]
    output: NDArray[np.int32]
    baseline: Reals
    log_prior: Reals

    @classmethod
    def fit(
        cls,
        H: np.ndarray,
        codes: Codes,
        n_classes: int,
        blocks: Sequence[Block] = (),
        rounds: int = ROUNDS,
        seed: int = 0,
    ) -> Self:
        """Grow trees on rows `H` with classes `codes`, all of them known.

        Examples
        --------
        >>> H = np.random.default_rng(0).normal(size=(400, 2)).astype("float32")
        >>> model = BoostedScores.fit(H, (H[:, 0] > 0).astype(np.int64), 2, rounds=20)
        >>> bool((model.log_probabilities(H).argmax(axis=1) == (H[:, 0] > 0)).mean() > 0.95)
        True
        """
        counts = np.bincount(codes, minlength=n_classes).astype(np.float64)
        projection = _projection(H, codes, n_classes, blocks)
        with np.errstate(divide="ignore"):
            log_prior = np.log(counts / max(1.0, counts.sum()))
        if len(codes) < FEWEST_ROWS or (counts > 0).sum() < 2:
            return cls(projection, **_grown([], 1), baseline=np.zeros(1), log_prior=log_prior)
        held = len(codes) >= STOPPED and bool((counts[counts > 0] >= 10).all())
        model = TreeClassifier(
            max_iter=rounds,
            learning_rate=RATE,
            max_leaf_nodes=LEAVES,
            min_samples_leaf=max(FEWEST_LEAF, len(codes) // 500),
            l2_regularization=RIDGE,
            early_stopping=held,
            n_iter_no_change=PATIENCE,
            random_state=int(stream(seed, "boosting").integers(1 << 31)),
        )
        model.fit(_projected(H, projection), codes)
        # Read once, here: the trees' own arrays, whose names are scikit-learn's.
        trees = [tree.nodes for grown in model._predictors for tree in grown]
        outputs = len(model._predictors[0])
        baseline = np.asarray(model._baseline_prediction).ravel()
        return cls(projection, **_grown(trees, outputs), baseline=baseline, log_prior=log_prior)

    def check(self, width: int) -> None:
        """Refuse trees that lead out of themselves or of records of `width` numbers: reading them could never end."""
        trees, nodes = self.feature.shape
        shaped = all(part.shape == (trees, nodes) for part in (self.threshold, self.left, self.right, self.value))
        inside = all(_within(part, nodes) for part in (self.left, self.right)) and _within(self.depth, nodes + 1)
        outputs = _within(self.output, len(self.baseline)) and self.depth.shape == self.output.shape == (trees,)
        inputs = self.projection.shape[1] if self.projection.size else width
        inside &= _within(self.feature, inputs) and self.missing.shape == (trees, nodes)
        if not (shaped and inside and outputs) or (self.projection.size and len(self.projection) != width):
            raise ValueError("trees that lead out of themselves")
        if np.isnan(self.threshold).any() or np.isnan(self.log_prior).any() or (self.log_prior > 0).any():
            raise ValueError("trees with values that are no numbers")

    def log_probabilities(self, H: np.ndarray) -> Reals:
        """Return log p of each class, (n, n_classes)."""
        met = np.isfinite(self.log_prior)
        out = np.full((len(H), len(met)), np.log(FLOOR))
        if not len(self.depth):
            out[:, met] = self.log_prior[met]
            return _normalised(out)
        X = np.ascontiguousarray(_projected(H, self.projection).T, dtype=np.float64)
        raw, rows, holes = np.tile(self.baseline, (len(H), 1)), np.arange(len(H)), bool(np.isnan(X).any())
        for t, depth in enumerate(self.depth):
            node = np.zeros(len(H), dtype=np.int32)
            for _ in range(depth):
                x = X[self.feature[t][node], rows]
                lower = x <= self.threshold[t][node]
                if holes:
                    lower |= np.isnan(x) & self.missing[t][node]
                node = np.where(lower, self.left[t][node], self.right[t][node])
            raw[:, self.output[t]] += self.value[t][node]
        if raw.shape[1] == 1:
            raw = np.concatenate([np.zeros_like(raw), raw], axis=1)
        out[:, met] = _normalised(raw)
        return _normalised(out)


@dataclass(frozen=True)
class CrossFitted:
    """One model a fold; row i is scored by model ``fold_of(H)[i]``, which learned from the other folds."""

    members: tuple[BoostedScores, ...]

    @classmethod
    def fit(
        cls,
        H: np.ndarray,
        codes: Codes,
        n_classes: int,
        blocks: Sequence[Block] = (),
        rounds: int = ROUNDS,
        seed: int = 0,
    ) -> Self:
        """Fit as many models as folds on the rows whose code is known (>= 0)."""
        folds, known = fold_of(H), codes >= 0
        members = []
        for fold in range(FOLDS):
            rows = np.flatnonzero(known & (folds != fold))
            # Where nearly all rows are copies of one another, a fold may hold them all.
            rows = rows if rows.size else np.flatnonzero(known)
            members.append(BoostedScores.fit(H[rows], codes[rows], n_classes, blocks, rounds, seed + fold))
        return cls(tuple(members))

    def log_probabilities(self, H: np.ndarray) -> Reals:
        """Return log p of each class, (n, n_classes)."""
        folds = fold_of(H)
        out = np.empty((len(H), len(self.members[0].log_prior)))
        for fold, member in enumerate(self.members):
            rows = np.flatnonzero(folds == fold)
            out[rows] = member.log_probabilities(H[rows])
        return out

    def state(self) -> dict[str, np.ndarray]:
        """Return all models as arrays."""
        return {
            f"{i}.{field.name}": np.asarray(getattr(member, field.name))
            for i, member in enumerate(self.members)
            for field in fields(BoostedScores)
        }

    @classmethod
    def restore(cls, state: Mapping[str, np.ndarray], width: int) -> Self:
        """Rebuild from what `state` returned, for records of `width` numbers."""
        names = [field.name for field in fields(BoostedScores)]
        members = [BoostedScores(**{name: state[f"{i}.{name}"] for name in names}) for i in range(FOLDS)]
        for member in members:
            member.check(width)
        return cls(tuple(members))


def fold_of(H: np.ndarray) -> Codes:
    """Return a fold for each row that depends on its features alone: copies of a row fall into one fold.

    Examples
    --------
    >>> H = np.random.default_rng(0).normal(size=(3_000, 4)).astype("float32")
    >>> bool((fold_of(H[::-1])[::-1] == fold_of(H)).all()), bool((np.bincount(fold_of(H)) > 900).all())
    (True, True)
    """
    words = np.ascontiguousarray(np.asarray(H, dtype=np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64)
    odd = np.random.default_rng(20190611).integers(1 << 63, size=words.shape[1], dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    with np.errstate(over="ignore"):
        mixed = (words ^ (words >> np.uint64(15))) * odd
        total = (mixed ^ (mixed >> np.uint64(29))).sum(axis=1, dtype=np.uint64) * GOLDEN
    return np.asarray((total >> np.uint64(32)) % np.uint64(FOLDS), dtype=np.int64)


def _within(numbers: np.ndarray, end: int) -> bool:
    return bool(numbers.dtype.kind in "iu" and ((numbers >= 0) & (numbers < end)).all())


def _normalised(scores: Reals) -> Reals:
    return np.asarray(log_softmax(scores, axis=1))


def _projected(H: np.ndarray, projection: NDArray[np.float32]) -> np.ndarray:
    return np.asarray(H @ projection) if projection.size else np.asarray(H)


def _projection(H: np.ndarray, codes: Codes, n_classes: int, blocks: Sequence[Block]) -> NDArray[np.float32]:
    """Return the matrix that turns each block of levels into means of the target, and keeps the rest."""
    if not any(block.kind == "categorical" for block in blocks):
        return np.zeros((0, 0), dtype=np.float32)
    common = np.argsort(-np.bincount(codes, minlength=n_classes))[: min(n_classes - 1, MOST_MEANS)]
    target = (codes[:, None] == common).astype(np.float64)
    columns = []
    for block in blocks:
        own = np.asarray(H[:, block.start : block.stop], dtype=np.float64)
        whole = np.zeros(
            (H.shape[1], target.shape[1] if block.kind == "categorical" else block.width), dtype=np.float32
        )
        if block.kind == "categorical":
            prior = target.mean(axis=0) if len(target) else np.zeros(len(common))
            means = (own.T @ target + SHRINK * prior) / (own.sum(axis=0)[:, None] + SHRINK)
            whole[block.start : block.stop] = means
        else:
            whole[block.start : block.stop] = np.eye(block.width)
        columns.append(whole)
    return np.concatenate(columns, axis=1)


def _grown(trees: Sequence[np.ndarray], outputs: int) -> dict[str, np.ndarray]:
    """Return the nodes of all trees as arrays of one length, and each tree's depth and output."""
    shape = (len(trees), max([len(nodes) for nodes in trees], default=1))
    feature, left, right = (np.zeros(shape, dtype=np.int32) for _ in range(3))
    threshold, value, missing = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    for t, nodes in enumerate(trees):
        own, leaf, itself = slice(0, len(nodes)), nodes["is_leaf"] == 1, np.arange(len(nodes))
        feature[t, own] = np.where(leaf, 0, nodes["feature_idx"])
        threshold[t, own] = np.where(leaf, np.inf, nodes["num_threshold"])
        missing[t, own] = leaf | (nodes["missing_go_to_left"] == 1)
        left[t, own], right[t, own] = (np.where(leaf, itself, nodes[side]) for side in ("left", "right"))
        value[t, own] = np.where(leaf, nodes["value"], 0.0)
    depth = np.array([nodes["depth"].max() for nodes in trees], dtype=np.int32)
    output = np.arange(len(trees), dtype=np.int32) % outputs
    return {
        "feature": feature,
        "threshold": threshold,
        "left": left,
        "right": right,
        "missing": missing,
        "value": value,
        "depth": depth,
        "output": output,
    }
