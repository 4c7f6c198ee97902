"""What the base class does for every method, seen through the smallest one."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from methods.squeeze import Squeeze
from withhold.contracts.errors import InvalidParameterError
from withhold.privacy.noise_key import NoiseKey


def rows(n=200):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 5)), np.resize(["a", "b"], n)


def test_noise_has_the_stated_scale_and_one_draw_a_record():
    X, s = rows(2_000)
    noisy = Squeeze(width=4, noise=0.5, noise_seed=1, random_state=0).fit(X, sensitive_features=s)
    plain = Squeeze(width=4, random_state=0).fit(X, sensitive_features=s)
    delta = noisy.transform(X) - plain.transform(X)
    assert delta.std() == pytest.approx(0.5, rel=0.05)
    twice = noisy.transform(np.concatenate([X[:1], X[:1]]))
    assert (twice[0] == twice[1]).all()


def test_another_fit_draws_other_noise():
    """The noise hangs on the digest: otherwise the difference of two sanitisers' releases would be noise-free."""
    X, s = rows()
    key = NoiseKey.generate()
    first = Squeeze(noise=1.0, noise_key=key, random_state=0).fit(X, sensitive_features=s)
    second = Squeeze(noise=1.0, noise_key=key, random_state=1).fit(X, sensitive_features=s)
    same = Squeeze(noise=1.0, noise_key=key, random_state=0).fit(X, sensitive_features=s)

    def noise(method):
        return method.transform(X) - method._encode(X)

    assert np.allclose(noise(first), noise(same))
    assert abs(np.corrcoef(noise(first).ravel(), noise(second).ravel())[0, 1]) < 0.1


def test_float32_and_float64_rows_are_the_same_record():
    X, s = rows()
    X = X.astype("float32")
    method = Squeeze(noise=1.0, noise_seed=0, random_state=0).fit(X, sensitive_features=s)
    assert np.array_equal(method.transform(X), method.transform(X.astype("float64")))


def test_noise_of_a_table_ignores_what_is_no_feature():
    data = pd.DataFrame({"a": np.arange(60.0), "b": np.resize([1, 5, 9], 60), "s": np.resize(["x", "y"], 60)})
    method = Squeeze(noise=1.0, noise_seed=0, output="representation").fit(data, sensitive_features="s")
    other = data.assign(s="y", extra=3)[["extra", "s", "b", "a"]]
    assert np.array_equal(method.transform(data), method.transform(other))


def test_collapse_is_found():
    X, s = rows()
    assert "collapse" in [f.code for f in Squeeze(width=1).fit(X, sensitive_features=s).findings_]
    assert "collapse" not in [f.code for f in Squeeze(width=4).fit(X, sensitive_features=s).findings_]
    drowned = Squeeze(width=4, noise=50.0, noise_seed=0).fit(X, sensitive_features=s)
    assert "collapse" in [f.code for f in drowned.findings_]


def test_key_that_may_not_be_shared_is_marked():
    X, s = rows()
    method = Squeeze(noise=1.0, noise_key=NoiseKey.from_seed(0)).fit(X, sensitive_features=s)
    assert method.noise_note_ == "not for sharing"


def test_output_table_of_an_array_is_an_array_of_its_columns():
    X, s = rows(600)
    Z = Squeeze(output="table", noise_seed=0, random_state=0).fit(X, sensitive_features=s).transform(X)
    assert isinstance(Z, np.ndarray)
    assert Z.shape == X.shape
    assert np.corrcoef(Z[:, 0], X[:, 0])[0, 1] > 0.5  # over draws .57 to .63


def test_pickling_keeps_the_draw():
    X, s = rows()
    method = Squeeze(noise=1.0).fit(X, sensitive_features=s)
    assert np.array_equal(pickle.loads(pickle.dumps(method)).transform(X), method.transform(X))


def test_an_interrupted_fit_is_no_fit():
    """Half of a new fit and half of an old one could release anything."""
    X, s = rows()
    method = Squeeze(random_state=0).fit(X, sensitive_features=s)

    def interrupt(data):
        raise KeyboardInterrupt

    method._fit_encoded = interrupt
    with pytest.raises(KeyboardInterrupt):
        method.fit(X + 1, sensitive_features=s)
    with pytest.raises(NotFittedError):
        method.transform(X)


def test_in_a_pipeline():
    X, s = rows()
    pipe = make_pipeline(StandardScaler(), Squeeze(width=3, random_state=0))
    assert pipe.fit_transform(X, squeeze__sensitive_features=s).shape == (200, 3)


def test_lists_that_name_the_sensitive_column_are_understood():
    data = pa.table({"a": np.arange(60.0), "s": np.resize([1, 2], 60)})
    assert Squeeze(categorical=["s"], keep=["a"]).fit(data, sensitive_features="s").n_features_in_ == 1


def test_seed_must_be_an_integer():
    X, s = rows()
    with pytest.raises(InvalidParameterError, match="noise_seed"):
        Squeeze(noise_seed="zero").fit(X, sensitive_features=s)


def test_groups_stay_together_in_the_decoder():
    data = pd.DataFrame({"a": np.arange(80.0), "g": np.repeat(np.arange(40), 2), "s": np.resize(["x", "y"], 80)})
    method = Squeeze(random_state=0)
    _, _, _, folds = method._fit(data, None, "s", "g", {})
    assert (folds[::2] == folds[1::2]).all()
