"""Trees on columns in which hardly anybody has a value."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from withhold.training.trees import MOST_CELLS, TreeClassifier, TreeRegressor, cells_for

RNG = np.random.default_rng(0)


def table(n: int, *known: int) -> np.ndarray:
    """One column that tells the class, and one more with each number of known values."""
    X = np.full((n, 1 + len(known)), np.nan, np.float32)
    X[:, 0] = RNG.normal(size=n)
    for column, count in enumerate(known, 1):
        X[RNG.permutation(n)[:count], column] = RNG.normal(size=count)
    return X


@pytest.mark.parametrize("known", [0, 1, 2, 19])
@pytest.mark.parametrize("n", [40, 3_000])
def test_columns_of_few_values_are_taken(n: int, known: int) -> None:
    X = table(n, known)
    y = (X[:, 0] > 0).astype(int)
    for seed in range(5):  # a single value may fall among the rows kept for stopping
        options = {"max_iter": 10, "early_stopping": n > 1_000, "random_state": seed}
        model = TreeClassifier(**options).fit(X, y)
        assert (model.predict_proba(X).argmax(axis=1) == y).mean() > 0.8
        *_, last = model.staged_predict_proba(X)
        assert np.array_equal(last, model.predict_proba(X))
        numbers = TreeRegressor(**options).fit(X, X[:, 0])
        *_, last = numbers.staged_predict(X)
        assert np.array_equal(last, numbers.predict(X))
        assert np.corrcoef(last, X[:, 0])[0, 1] > 0.6


def test_a_value_known_of_few_still_tells_them_from_the_others() -> None:
    X = table(2_000, 60)
    y = ~np.isnan(X[:, 1])
    assert (TreeClassifier(max_iter=50, random_state=0).fit(X, y).predict(X) == y).mean() > 0.99


def test_other_columns_are_left_to_scikit_learn() -> None:
    X = table(500, 200, 400)
    y = X[:, 0] + np.isnan(X[:, 1])
    options = {"max_iter": 20, "random_state": 0}
    own = TreeRegressor(**options).fit(X, y).predict(X)
    assert np.array_equal(own, HistGradientBoostingRegressor(**options).fit(X, y).predict(X))


def test_counts_of_a_leaf_are_bounded_however_many_columns() -> None:
    assert cells_for(10**6, 1_000) == 255
    for columns in (3_000, 10_000):
        assert columns * cells_for(10**6, columns) <= max(MOST_CELLS, 32 * columns)
    X = RNG.normal(size=(60, 5_000)).astype(np.float32)
    model = TreeClassifier(max_iter=2, min_samples_leaf=2).fit(X, X[:, 4_321] > 0)
    assert model.max_bins == cells_for(len(X), 5_000)
    assert (model.predict(X) == (X[:, 4_321] > 0)).all()
