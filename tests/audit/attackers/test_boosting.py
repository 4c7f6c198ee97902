import numpy as np

from withhold.audit.attackers.boosting import Boosting, at_best, stopping
from withhold.audit.effort import EFFORTS


def board(seed: int, n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).uniform(size=(n, 24)).astype(np.float32)
    return X, ((X[:, 3] * 4).astype(int) + (X[:, 17] * 4).astype(int)) % 2


def test_trees_wait_until_two_splits_meet() -> None:
    reached = []
    for seed in range(4):
        X, s = board(seed)
        fitted = Boosting(EFFORTS["standard"]).fit(X[:3000], s[:3000], np.random.default_rng(seed))
        reached.append(float((fitted.log_proba(X[3000:]).argmax(axis=1) == s[3000:]).mean()))
    assert min(reached) > 0.75, reached


def test_trees_grown_in_vain_are_not_used() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).astype(np.float32)
    s = (X[:, 0] + 2 * rng.normal(size=3000) > 0).astype(np.int64)
    fitted = Boosting(EFFORTS["standard"]).fit(X[:2000], s[:2000], rng)
    last = np.log(fitted._model.predict_proba(X[2000:]))
    truth = np.arange(1000), s[2000:]
    assert fitted.log_proba(X[2000:])[truth].mean() > last[truth].mean() + 0.01


def test_few_rows_are_not_learned_by_heart_at_a_higher_effort() -> None:
    assert stopping(400, 500) == stopping(80, 500)
    assert stopping(400, 5000)["n_iter_no_change"] > stopping(80, 5000)["n_iter_no_change"]

    class Model:
        validation_score_ = np.array([-0.7, -0.5, -0.6])
        n_iter_ = 2

    assert at_best(Model(), iter([np.array([1.0]), np.array([2.0])])).tolist() == [1.0]
