"""Attackers who have each record and what was released for it, and say whether the sanitiser was fitted on it."""

import numpy as np
import pyarrow as pa
from scipy.spatial.distance import cdist
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

OUTER, INNER, CHUNK = 3, 2, 500


def tell(original: pa.Table, release: pa.Table, member: np.ndarray, seed: int) -> dict:
    """Return balanced accuracies on rows that neither attackers nor their choice learned from.

    Parameters
    ----------
    original, release : pyarrow.Table
        The same records; columns of the release are compared.
    member : ndarray of bool
        Rows of the fit.
    seed : int
    """
    before, after, kinds = coded(original.select(release.column_names), release)
    apart = np.where(kinds, before != after, np.abs(before - after))
    near = distances(before, after, kinds)
    rarely = np.column_stack([-np.log(share_alike(column)) for column in before.T])
    same = before == after
    more = np.column_stack([near, same.sum(axis=1), (same * rarely).sum(axis=1), surprise(before, after, seed)])
    views = {
        "release": after,
        "distances": np.column_stack([apart, more]),
        "release and originals": np.column_stack([before, after, apart, more]),
    }
    told, who = chosen(views, member, seed)
    return {"release": told, "originals": chosen({"originals": before}, member, seed)[0], "attackers": who}


def coded(before: pa.Table, after: pa.Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return numbers as shares of the originals below them, all else as codes, and which columns hold codes."""
    columns, kinds = [], []
    for name in before.column_names:
        one, other = (np.array(table.column(name).to_pylist(), dtype=object) for table in (before, after))
        number = pa.types.is_integer(before[name].type) or pa.types.is_floating(before[name].type)
        if number:
            a, b = (np.array([np.nan if v is None else float(v) for v in side]) for side in (one, other))
            known = np.sort(a[~np.isnan(a)])
            ranks = [
                np.where(np.isnan(x), -1, (np.searchsorted(known, x) + np.searchsorted(known, x, "right")) / 2)
                / len(known)
                for x in (a, b)
            ]
            columns.append(ranks)
        else:
            text = np.array([str(v) for v in np.concatenate([one, other])])
            codes = np.unique(text, return_inverse=True)[1].astype(float)
            columns.append([codes[: len(one)], codes[len(one) :]])
        kinds.append(not number)
    sides = [np.column_stack(side) for side in zip(*columns, strict=True)]
    return sides[0], sides[1], np.array(kinds)


def share_alike(values: np.ndarray) -> np.ndarray:
    """Return the share of values that are the same, for each."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return counts[places] / len(values)


def distances(before: np.ndarray, after: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Return how far each release is from its original, from the nearest other one, and how many are nearer.

    Also how far the original is from the nearest release of another, and the release from that.
    """
    out, sides = [], [(one[:, ~kinds], one[:, kinds].astype(np.uint16).T.copy()) for one in (before, after)]
    for rows in np.array_split(np.arange(len(before)), -(-len(before) // CHUNK)):
        own, parts = (np.arange(len(rows)), rows), []
        for one, other in ((1, 0), (0, 1), (1, 1)):
            (numbers, codes), (all_numbers, all_codes) = sides[one], sides[other]
            unlike = np.zeros((len(rows), len(before)), np.uint8)
            for mine, theirs in zip(codes, all_codes, strict=True):
                unlike += mine[rows, None] != theirs
            d = cdist(numbers[rows], all_numbers, "cityblock").astype(np.float32) + unlike
            mine = d[own].copy()
            d[own] = np.inf
            parts += [mine, d.min(axis=1), (d < mine[:, None]).mean(axis=1)]
        out.append(np.column_stack(parts))
    return np.concatenate(out)


def surprise(before: np.ndarray, after: np.ndarray, seed: int) -> np.ndarray:
    """Return the squared distance of each column of a release from what other rows lead to expect of its original."""
    X = np.column_stack([before, before**2])
    X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    out = np.zeros(after.shape)
    for part in np.array_split(np.random.default_rng(seed).permutation(len(X)), 5):
        rest = np.setdiff1d(np.arange(len(X)), part)
        out[part] = (after[part] - Ridge(1.0).fit(X[rest], after[rest]).predict(X[part]).reshape(len(part), -1)) ** 2
    return out


def attackers(seed: int) -> dict:
    """Return the attackers by name, unfitted."""
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500)),
        "boosting": HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=8, l2_regularization=1.0, random_state=seed
        ),
        "forest": ExtraTreesClassifier(100, min_samples_leaf=5, random_state=seed),
    }


PAIRS = {
    "originals": ("logistic", "boosting", "forest"),
    "release": ("logistic", "boosting"),
    "distances": ("logistic", "boosting", "forest"),
    "release and originals": ("boosting", "forest"),
}


def chosen(views: dict[str, np.ndarray], member: np.ndarray, seed: int) -> tuple[float, list[str]]:
    """Return the balanced accuracy of the attackers chosen on inner rows, and who they were, fold by fold."""
    guesses, names = np.zeros(len(member), bool), []
    panel = attackers(seed)
    for train, test in StratifiedKFold(OUTER, shuffle=True, random_state=seed).split(member, member):
        scores = {}
        for view, name in [(one, name) for one in views for name in PAIRS[one]]:
            found = np.zeros(len(train), bool)
            inner = StratifiedKFold(INNER, shuffle=True, random_state=seed)
            for own, rest in inner.split(train, member[train]):
                model = panel[name].fit(views[view][train[own]], member[train[own]])
                found[rest] = model.predict(views[view][train[rest]])
            scores[view, name] = balanced_accuracy_score(member[train], found)
        best, name = max(scores, key=lambda pair: scores[pair])
        guesses[test] = panel[name].fit(views[best][train], member[train]).predict(views[best][test])
        names.append(f"{name} on {best}")
    return round(float(balanced_accuracy_score(member, guesses)), 4), names
