import numpy as np
import pytest
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

import withhold.information.estimators.ksg as module
from withhold.contracts.errors import InvalidParameterError
from withhold.information.estimators.ksg import KSG, count_within, nearest_distance


def gaussians(n, d, information, seed=0):
    rng, rho = np.random.default_rng(seed), np.sqrt(1 - np.exp(-2 * information / d))
    a = rng.normal(size=(n, d))
    return a, rho * a + np.sqrt(1 - rho**2) * rng.normal(size=(n, d))


@pytest.mark.parametrize("information", [0.0, 0.5, 2.0])
def test_gaussians_of_one_dimension(information):
    found = KSG().fit(*gaussians(3000, 1, information)).estimate()
    assert found.low - 0.02 < information < found.high + 0.02


def test_interval_is_as_wide_as_the_spread():
    """Over 60 draws; with independent terms it would be too narrow, and a spread over 60 is known to 9 %."""
    found = [KSG().fit(*gaussians(500, 1, 0.5, seed)).estimate() for seed in range(60)]
    spread = np.std([q.value for q in found])
    assert 0.85 < np.mean([q.high - q.low for q in found]) / 3.92 / spread < 1.4
    assert sum(q.low <= 0.5 <= q.high for q in found) >= 52


def test_scikit_learn_agrees_in_one_dimension():
    a, b = gaussians(500, 1, 0.5)
    assert KSG(neighbours=3).fit(a, b).estimate().value == pytest.approx(
        mutual_info_regression(a, b[:, 0], n_neighbors=3, random_state=0)[0], abs=0.01
    )
    s = (b[:, 0] > 0).astype(int)
    expected = mutual_info_classif(a, s, n_neighbors=3, random_state=0, discrete_features=False)[0]
    assert KSG(neighbours=3).fit(a, s).estimate().value == pytest.approx(expected, abs=0.01)


def test_classes_only_agree_with_their_counts():
    rng = np.random.default_rng(0)
    a = rng.integers(3, size=4000)
    b = np.where(rng.random(4000) < 0.5, a, rng.integers(3, size=4000))
    assert KSG().fit(a, b).estimate().value == pytest.approx(0.231, abs=0.03)


def test_a_mixture_of_atoms_and_numbers():
    """A number that is 0 for half of the rows (gao2017mixture): a class in disguise, log 2 nats with itself."""
    rng = np.random.default_rng(0)
    atom = rng.random(3000) < 0.5
    a = np.where(atom, 0.0, 5.0 + rng.normal(size=3000))
    found = KSG().fit(a, np.where(atom, 0.0, 5.0 + rng.normal(size=3000))).estimate().value
    assert found == pytest.approx(np.log(2), abs=0.06)
    assert abs(KSG().fit(a, rng.permutation(a)).estimate().value) < 0.06


def test_trees_and_all_distances_agree(monkeypatch):
    points = np.random.default_rng(0).normal(size=(700, 3))
    reach = np.full(700, 0.7)
    tree = nearest_distance(points, 4), count_within(points, reach)
    monkeypatch.setattr(module, "TREE", 0)
    assert np.allclose(tree[0], nearest_distance(points, 4))
    assert np.array_equal(tree[1], count_within(points, reach))


def test_neighbours():
    a, b = gaussians(50, 1, 0.5)
    with pytest.raises(InvalidParameterError, match="neighbours"):
        KSG(neighbours=50).fit(a, b)


def test_copies_of_records_are_said():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 30))
    found = KSG().fit(np.tile(a, 10), np.tile(b, 10)).estimate()
    assert found.value > 1, "they read as dependence"
    assert "100 % of the rows have copies" in found.condition
    assert "copies" not in KSG().fit(*rng.normal(size=(2, 300))).estimate().condition
