"""Streaming moments against NumPy on all rows at once."""

import numpy as np
import pytest
import scipy.sparse as sp

from withhold.data.attributes import read_attributes
from withhold.methods.leace.moments import Moments


def test_batches_equal_the_whole():
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(500, 6)) * [1, 10, 1e-3, 1, 1, 1] + 1e4, rng.integers(3, size=500)
    batches = Moments.empty(6)
    for rows in np.array_split(np.arange(500), [3, 40, 200]):
        batches.update(X[rows], read_attributes(s[rows]))
    assert batches.n == 500
    assert np.allclose(batches.mean, X.mean(axis=0))
    assert np.allclose(batches.covariance(), np.cov(X.T), rtol=1e-6, atol=1e-9)
    onehot = np.eye(3)[s]
    expected = np.cov(X.T, onehot.T)[:6, 6:] / onehot.std(axis=0, ddof=1)
    levels = batches.crosses["sensitive_features"].levels
    order = [levels[name] for name in ("0", "1", "2")]
    assert np.allclose(batches.cross_covariance()[:, order], expected, rtol=1e-6, atol=1e-8)


def test_only_known_rows_count_for_an_attribute():
    rng = np.random.default_rng(0)
    X, age = rng.normal(size=(300, 2)), rng.normal(size=300)
    age[::3] = np.nan
    moments = Moments.empty(2)
    moments.update(X, read_attributes(age))
    known = ~np.isnan(age)
    expected = np.cov(X[known].T, age[known])[:2, 2] / age[known].std(ddof=1)
    assert np.allclose(moments.cross_covariance()[:, 0], expected)
    assert moments.n == 300


def test_sparse_equals_dense():
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(200, 5)) * (rng.random((200, 5)) < 0.3), read_attributes(rng.integers(2, size=200))
    dense, sparse = Moments.empty(5), Moments.empty(5)
    dense.update(X, s)
    sparse.update(sp.csr_array(X), s)
    assert np.allclose(dense.covariance(), sparse.covariance())
    assert np.allclose(dense.cross_covariance(), sparse.cross_covariance())


def test_joint_of_two_attributes_is_there():
    rng = np.random.default_rng(0)
    moments = Moments.empty(2)
    moments.update(rng.normal(size=(80, 2)), read_attributes(rng.integers(2, size=(80, 2))))
    assert list(moments.crosses) == ["sensitive_features_0", "sensitive_features_1", "joint"]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_constant_columns_have_no_moments(form):
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(300, 3)), read_attributes(rng.integers(2, size=300))
    X[:, 1] = 0.1
    moments = Moments.empty(3)
    moments.update(form(X), s)
    assert moments.constant.tolist() == [False, True, False]
    assert not moments.covariance()[1].any()
    assert not moments.cross_covariance()[1].any()
    X[0, 1] = 0.2
    moments.update(form(X), s)
    assert not moments.constant.any()
    assert moments.covariance()[1].any()
