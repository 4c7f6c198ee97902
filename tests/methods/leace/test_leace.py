"""The theorem of LEACE, each negative claim with a positive control, and where the promise ends."""

import warnings

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.leace.leace import LEACE, erasing_factors
from withhold.methods.loading import load

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it decorates with torch.jit.script, which torch has deprecated
    from concept_erasure import LeaceFitter

# Statistics are double precision: what rounding leaves of O(1) numbers is far below this.
EXACT = 1e-8


def mixed(n=2_000, d=12, k=3, seed=0):
    """Correlated features whose mean depends on one of k classes."""
    rng = np.random.default_rng(seed)
    s = rng.integers(k, size=n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(k, d))[s] * 1.5
    return X, s


@pytest.fixture(scope="module")
def erased():
    X, s = mixed()
    method = LEACE().fit(X, sensitive_features=s)
    return X, s, method, method.transform(X)


def test_least_squares_finds_nothing_after_and_something_before(erased):
    X, s, _, Z = erased
    onehot = np.eye(3)[s]
    assert np.abs(LinearRegression().fit(Z, onehot).coef_).max() < EXACT
    assert np.abs(LinearRegression().fit(X, onehot).coef_).max() > 0.01


def test_logistic_regression_is_at_chance_after_and_not_before(erased):
    X, s, _, Z = erased
    entropy = -(np.bincount(s) / len(s) * np.log(np.bincount(s) / len(s))).sum()

    def loss(features):
        scaled = (features - features.mean(axis=0)) / features.std(axis=0)
        model = LogisticRegression(C=np.inf, max_iter=2_000, tol=1e-8).fit(scaled, s)
        return log_loss(s, model.predict_proba(scaled))

    # The constant predictor is the optimum (theorem 3.1); the solver stops within 1e-4 of it.
    assert loss(Z) == pytest.approx(entropy, abs=1e-4)
    assert loss(X) < entropy - 0.1


def test_class_means_coincide_after_and_not_before(erased):
    X, s, _, Z = erased

    def gap(features):
        return max(np.abs(features[s == c].mean(axis=0) - features.mean(axis=0)).max() for c in range(3))

    assert gap(Z) < EXACT
    assert gap(X) > 0.5


def test_change_has_rank_below_the_number_of_classes(erased):
    X, _, method, Z = erased
    assert np.linalg.matrix_rank(X - Z, tol=1e-6) == 2 == method.diagnostics_["rank"]


def test_idempotent_and_keeps_the_mean(erased):
    X, _, method, Z = erased
    assert np.abs(method.transform(Z) - Z).max() < EXACT
    assert np.allclose(Z.mean(axis=0), X.mean(axis=0))


def test_no_other_linear_guard_changes_less(erased):
    """Theorem 4.3: among affine maps with no covariance left, none is nearer, in L2 and in the Mahalanobis norm."""
    X, s, _, Z = erased
    rng = np.random.default_rng(1)
    centred, cross = X - X.mean(axis=0), (X - X.mean(axis=0)).T @ (np.eye(3)[s] - np.eye(3)[s].mean(axis=0))
    inverse = np.linalg.inv(np.cov(X.T))
    basis = np.linalg.svd(cross, full_matrices=False)[0][:, :2]

    def change(delta, metric):
        return np.einsum("ij,jk,ik->i", delta, metric, delta).mean()

    identity = np.eye(X.shape[1])
    ours = [change(X - Z, metric) for metric in (identity, inverse)]
    for _ in range(50):
        # Any map whose complement kills the cross-covariance: P = I - basis (A^T basis)^-1 A^T, and its left multiples.
        A = rng.normal(size=basis.shape) * rng.choice([0.1, 1.0]) + basis
        P = identity - basis @ np.linalg.solve(A.T @ basis, A.T)
        assert np.abs(P @ cross).max() < 1e-6
        for metric, least in zip((identity, inverse), ours, strict=True):
            assert change(centred - centred @ P.T, metric) >= least * (1 - 1e-9)


@pytest.mark.parametrize("k", [2, 5])
def test_equal_to_the_authors_package(k):
    """With its options that keep the guarantee: no shrinkage, no trace constraint, a small tolerance."""
    X, s = mixed(k=k, seed=k)
    X = np.c_[X, X[:, :2] @ [[1.0], [2.0]]]  # a collinear column: both use the pseudo-inverse
    onehot = torch.from_numpy(np.eye(k)[s])
    options = {"shrinkage": False, "constrain_cov_trace": False, "svd_tol": 1e-8}
    theirs = LeaceFitter.fit(torch.from_numpy(X), onehot, **options).eraser(torch.from_numpy(X)).numpy()
    assert np.abs(LEACE().fit(X, sensitive_features=s).transform(X) - theirs).max() < 1e-5


def test_orthogonal_projection_equals_the_authors_and_changes_more():
    X, s = mixed(k=2)
    onehot = torch.from_numpy(np.eye(2)[s])
    theirs = LeaceFitter.fit(torch.from_numpy(X), onehot, method="orth", svd_tol=1e-8).eraser(torch.from_numpy(X))
    orthogonal = LEACE(projection="orthogonal").fit(X, sensitive_features=s).transform(X)
    assert np.abs(orthogonal - theirs.numpy()).max() < 1e-5
    assert ((X - orthogonal) ** 2).mean() > ((X - LEACE().fit_transform(X, sensitive_features=s)) ** 2).mean()


def test_batches_give_the_map_of_one_fit_even_if_a_class_comes_late():
    X, s = mixed()
    whole = LEACE().fit(X, sensitive_features=s).transform(X)
    late = np.r_[np.flatnonzero(s < 2)[:600], np.flatnonzero(s < 2)[600:], np.flatnonzero(s == 2)]
    late[600:] = np.random.default_rng(0).permutation(late[600:])
    parts = LEACE()
    for rows in np.split(late, [300, 600, 1_300]):
        parts.partial_fit(X[rows], sensitive_features=s[rows])
    assert np.abs(parts.transform(X) - whole).max() < EXACT


def test_sparse_equals_dense():
    X, s = mixed()
    X = np.where(np.abs(X) > 1.5, X, 0.0)
    dense = LEACE().fit(X, sensitive_features=s).transform(X)
    sparse = LEACE().fit(sp.csr_array(X), sensitive_features=s).transform(sp.csr_array(X))
    assert np.abs(dense - sparse).max() < EXACT


def test_continuous_and_several_attributes():
    rng = np.random.default_rng(0)
    X, s = mixed()
    age = X @ rng.normal(size=X.shape[1]) + rng.normal(size=len(X))
    together = np.column_stack([age, s.astype(float)])
    Z = LEACE().fit(X, sensitive_features=together).transform(X)
    assert np.abs(np.corrcoef(Z.T, age)[-1, :-1]).max() < 1e-6
    assert np.abs(np.corrcoef(X.T, age)[-1, :-1]).max() > 0.1


def test_the_product_of_two_attributes_is_erased():
    """Each attribute alone says nothing of X here; their combination does, to a linear reader."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=(2, 3_000))
    X = rng.normal(size=(3_000, 4))
    X[:, 0] += 2 * (a ^ b)
    Z = LEACE().fit(X, sensitive_features=np.column_stack([a, b])).transform(X)
    assert abs(np.corrcoef(X[:, 0], a ^ b)[0, 1]) > 0.5
    assert abs(np.corrcoef(Z[:, 0], a ^ b)[0, 1]) < EXACT


def test_missing_attribute_is_masked():
    X, s = mixed(k=2)
    names = np.array(["a", "b"], dtype=object)[s]
    names[::5] = None
    known = np.array([value is not None for value in names])
    Z = LEACE().fit(X, sensitive_features=names).transform(X)
    gap = Z[known & (s == 0)].mean(axis=0) - Z[known & (s == 1)].mean(axis=0)
    assert np.abs(gap).max() < EXACT


def test_the_limit_of_the_promise_is_real():
    """On exclusive-or data a boosted tree still finds what no linear reader can: the promise is not about it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 4))
    s = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
    Z = LEACE().fit(X, sensitive_features=s).transform(X)
    fit, rest = slice(0, 2_000), slice(2_000, None)
    tree = HistGradientBoostingClassifier(max_iter=60, random_state=0).fit(Z[fit], s[fit])
    assert balanced_accuracy_score(s[rest], tree.predict(Z[rest])) > 0.75
    linear = LogisticRegression().fit(Z[fit], s[fit])
    assert balanced_accuracy_score(s[rest], linear.predict(Z[rest])) < 0.6


def test_discrete_column_that_gives_the_attribute_back_is_named():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=4_000)
    X = np.column_stack([rng.normal(size=4_000) + 2 * s, rng.random(4_000) < 0.02 + 0.02 * s])
    method = LEACE().fit(X, sensitive_features=s)
    found = [f for f in method.findings_ if f.code == "discrete_columns_void_linear_guarantee"]
    assert found[0].column == "x1"
    # It is true: among the rows where the rare column was zero, its released value separates the classes.
    Z = method.transform(X)
    zero = X[:, 1] == 0
    assert abs(np.corrcoef(Z[zero, 1], s[zero])[0, 1]) > 0.3
    assert method.guarantee().holds  # against linear readers it still does


def test_no_finding_without_discrete_columns(erased):
    assert not erased[2].findings_


def test_constant_column_is_named_and_untouched():
    X, s = mixed(k=2)
    X[:, 3] = 7.0
    method = LEACE().fit(X, sensitive_features=s)
    assert [f.column for f in method.findings_ if f.code == "constant_column"] == ["x3"]
    assert (method.transform(X)[:, 3] == 7.0).all()


def test_guarantee_is_checked_on_the_data():
    X, s = mixed(k=2)
    assert LEACE().fit(X, sensitive_features=s).guarantee().holds
    assert not LEACE(svd_tol=10.0).fit(X, sensitive_features=s).guarantee().holds


def test_float32_stays_float32_and_erases():
    X, s = mixed(k=2)
    Z = LEACE().fit(X.astype(np.float32), sensitive_features=s).transform(X.astype(np.float32))
    assert Z.dtype == np.float32
    assert np.abs(Z[s == 0].mean(axis=0) - Z[s == 1].mean(axis=0)).max() < 1e-5


def test_a_loaded_one_refuses_more_batches(tmp_path):
    X, s = mixed(k=2)
    method = LEACE().fit(X, sensitive_features=s)
    method.save(tmp_path / "s.withhold")
    with pytest.raises(InvalidParameterError, match="holds no class means"):
        load(tmp_path / "s.withhold").partial_fit(X, sensitive_features=s)


@pytest.mark.parametrize(("name", "value"), [("svd_tol", -1.0), ("projection", "sideways")])
def test_bad_parameters(name, value):
    X, s = mixed(n=50, k=2)
    with pytest.raises(InvalidParameterError, match=name):
        LEACE(**{name: value}).fit(X, sensitive_features=s)


def test_factors_of_nothing_are_empty():
    left, right = erasing_factors(np.eye(3), np.zeros((3, 2)), 1e-8)
    assert left.shape == (3, 0)
    assert right.shape == (0, 3)


@pytest.mark.data
def test_on_adult_the_failure_is_named(data_dir):
    """A linear reader of Z is at chance, a tree is not, and the finding says where it reads."""
    table = pq.read_table(data_dir / "adult.parquet").slice(0, 12_000)
    X, s = table.drop_columns(["split", "income"]), np.asarray(table["sex"]) == "Male"
    method = LEACE(output="representation").fit(X, sensitive_features="sex")
    Z = method.transform(X)
    assert method.guarantee().holds
    assert "discrete_columns_void_linear_guarantee" in {f.code for f in method.findings_}
    assert np.abs(LinearRegression().fit(Z, s).predict(Z) - s.mean()).max() < 1e-3
    fit, rest = slice(0, 8_000), slice(8_000, None)
    tree = HistGradientBoostingClassifier(max_iter=40, random_state=0).fit(Z[fit], s[fit])
    assert balanced_accuracy_score(s[rest], tree.predict(Z[rest])) > 0.75


@pytest.mark.parametrize("value", [7.0, 0.1, 1e9 / 3])
@pytest.mark.parametrize("settings", [{}, {"projection": "orthogonal"}])
def test_a_constant_column_is_not_moved_by_rounding(value, settings):
    X, s = mixed(k=2)
    X[:, 3] = value
    method = LEACE(**settings)
    for part in (slice(0, 700), slice(700, None)):
        method.partial_fit(X[part], sensitive_features=s[part])
    assert (method.transform(X)[:, 3] == value).all()
    assert not method.map_.left[3].any()
    assert not method.map_.right[:, 3].any()
    assert method.guarantee().holds
