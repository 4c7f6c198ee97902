"""New rows become numbers as the rows of the fit did."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import DataError
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.inputs import read_features


def learned(X, coded):
    features = read_features(X, coded=coded, accept_sparse=False, method="M")
    return Encoding.learn(features, method="M", numeric="affine", kinds={}), features


def test_a_table_by_name_whatever_its_order_and_types():
    data = pd.DataFrame({"n": np.arange(40), "c": np.resize(["x", "y"], 40)})
    encoding, features = learned(data, True)
    other = data.assign(extra=1.0, n=data["n"].astype("float64"))[["extra", "c", "n"]]
    assert np.array_equal(encoding.encode(encoding.read(other)), encoding.encode(features))
    assert np.array_equal(encoding.rows(encoding.read(other)), encoding.rows(features))


def test_an_array_by_position_and_width():
    X = np.random.default_rng(0).normal(size=(10, 3)).astype("float32")
    encoding, _ = learned(X, False)
    assert encoding.encode(encoding.read(X.astype("float64"))).dtype == np.float32
    with pytest.raises(DataError, match="3 features as input"):
        encoding.read(X[:, :2])


@pytest.mark.parametrize("coded", [True, False])
def test_header_round_trip(coded):
    X = pd.DataFrame({"n": np.arange(40.0), "m": np.arange(40.0)[::-1]})
    encoding, features = learned(X, coded)
    again = Encoding.from_header(encoding.header(), "M")
    assert np.array_equal(again.encode(again.read(X)), encoding.encode(features))
    assert again.header() == encoding.header()


def test_a_forged_number_of_features_of_images_costs_no_memory():
    features = read_features(np.zeros((12, 8, 8), "float32"), coded=True, accept_sparse=False, images=True, method="M")
    encoding = Encoding.learn(features, method="M", numeric="affine", kinds={})
    assert encoding.seen is not None
    tracemalloc.start()
    forged = {**encoding.header(), "n_features": 10**7}
    Encoding.from_header(forged, "M", encoding.seen_state())
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()
