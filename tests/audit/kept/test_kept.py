import numpy as np
import pandas as pd
import pytest

from withhold.audit.run import audit_release


@pytest.fixture(scope="module")
def record():
    rng = np.random.default_rng(0)
    n = 1200
    s, u, other = rng.integers(0, 2, n), rng.integers(0, 2, n), rng.integers(0, 4, n)
    original = pd.DataFrame({"useful": u + 0.3 * rng.normal(size=n), "other": other.astype(str)})
    release = original.assign(other=rng.permutation(original["other"].to_numpy()))
    return audit_release(
        release, sensitive_features=s, utility=u, original=original, effort="quick", attackers=["logistic"]
    )


def test_utility_beside_the_original(record):
    score = record.utility["utility"].score
    assert score.release > 0.9
    assert score.raw == pytest.approx(score.release, abs=0.03)


def test_destroyed_columns_show_at_a_glance(record):
    assert record.columns["useful"].retention > 0.5
    assert record.columns["other"].retention < 0.05
    assert record.mean_retention == pytest.approx(np.mean([c.retention for c in record.columns.values()]))
    assert record.mean_own_information == pytest.approx(np.mean([c.own_information for c in record.columns.values()]))


def test_fairness_is_by_utility_and_sensitive(record):
    assert abs(record.fairness["utility"]["sensitive_features"].demographic_parity_difference.release) < 0.1
