"""What a method says it needs is asked for before it learns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from methods.squeeze import Squeeze
from withhold.contracts.errors import DataError, InvalidTypeError

X = np.random.default_rng(0).normal(size=(60, 3))
S = np.resize(["a", "b"], 60)
U = np.resize([0, 1, 1], 60)


class Seeing(Squeeze):
    """Keeps what it was given."""

    def _fit_encoded(self, data):
        super()._fit_encoded(data)
        self.given_ = data


class Keeping(Seeing):
    """Needs y, any number of them."""

    needs_y, several_y = True, True


class Blind(Seeing):
    """Needs no sensitive attribute."""

    needs_sensitive = False


def test_y_where_it_is_needed():
    with pytest.raises(DataError, match=r"Keeping needs y, the attribute to keep"):
        Keeping().fit(X, sensitive_features=S)
    data = Keeping().fit(X, U, sensitive_features=S).given_
    assert data.y.name == "y"
    assert data.utilities.names == ("y",)
    assert Seeing().fit(X, sensitive_features=S).given_.utilities is None


def test_several_y_only_where_they_are_understood():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(s=S, u=U, v=U[::-1], w=X[:, 0])
    data = Keeping().fit(frame, ["u", "v", "w"], sensitive_features="s").given_
    assert data.y is None
    assert [(u.name, u.kind) for u in data.utilities] == [
        ("u", "categorical"),
        ("v", "categorical"),
        ("w", "continuous"),
    ]
    assert list(data.table.column_names) == ["a", "b", "c"]
    with pytest.raises(DataError, match=r"one attribute y \(got 2: 'u', 'v'\)"):
        Seeing().fit(frame, ["u", "v"], sensitive_features="s")
    assert Keeping().fit(X, frame[["u", "v"]], sensitive_features=S).given_.utilities.names == ("u", "v")


def test_the_sensitive_attribute_only_where_it_is_needed():
    assert len(Blind().fit(X).given_.sensitive) == 0
    assert Blind().fit(X, sensitive_features=S).given_.sensitive.names == ("sensitive_features",)
    with pytest.raises(DataError, match="the attribute to hide"):
        Seeing().fit(X)


def test_shape_of_images_and_their_refusal():
    images = np.zeros((60, 4, 3), np.uint8)
    images[::2] = 200

    class Pictured(Seeing):
        accepts_images = True

    data = Pictured().fit(images, sensitive_features=S).given_
    assert data.shape == (4, 3)
    assert data.bounded
    assert data.H.shape == (60, 12)
    assert data.H.max() == np.float32(200 / 255)
    assert Pictured().fit(X, sensitive_features=S).given_.shape is None
    with pytest.raises((DataError, InvalidTypeError), match="dim 3"):
        Seeing().fit(images, sensitive_features=S)


def test_a_fit_interrupted_while_decoders_learn_leaves_nothing_to_release(monkeypatch):
    rng = np.random.default_rng(0)
    X, s = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)}), rng.choice(["a", "b"], 60)
    method = Squeeze(width=1).fit(X, sensitive_features=s)

    def interrupted(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("withhold.methods.estimator.decoder.CrossFittedDecoder.fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        method.fit(X, sensitive_features=s)
    with pytest.raises(NotFittedError):
        method.transform(X)
