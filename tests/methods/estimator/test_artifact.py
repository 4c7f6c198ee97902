"""What goes into an artifact, and what never does."""

import json

import numpy as np

from methods.squeeze import Squeeze
from withhold.io.artifact import read_artifact
from withhold.methods.estimator.artifact import settings
from withhold.privacy.noise_key import NoiseKey

X, S = np.random.default_rng(0).normal(size=(60, 3)), np.resize(["a", "b"], 60)


def test_settings_are_plain_and_without_secrets():
    method = Squeeze(keep=("x",), noise_key=NoiseKey.generate(), random_state=np.int64(4))
    kept = settings(method)
    assert "noise_key" not in kept
    assert json.loads(json.dumps(kept))["random_state"] == 4
    assert kept["keep"] == ["x"]


def test_header_names_what_it_holds(tmp_path):
    method = Squeeze(random_state=0).fit(X, sensitive_features=S)
    method.save(tmp_path / "s.withhold")
    header, tensors = read_artifact(tmp_path / "s.withhold")
    assert header["method"] == "Squeeze"
    assert header["state_digest"] == method.digest_
    assert header["training_data"] == {"rows": 60}  # no digest: an artifact may be handed over
    assert [name for name in tensors if not name.startswith("seen.")] == ["method.map"]


def test_no_value_of_a_record_is_in_it(tmp_path):
    for rows in (X, np.random.default_rng(1).normal(size=(900, 3)), X.astype("float32")):
        method = Squeeze(random_state=0).fit(rows, sensitive_features=np.resize(S, len(rows)))
        method.save(tmp_path / "s.withhold")
        _, tensors = read_artifact(tmp_path / "s.withhold")
        assert {"seen.ranges", "seen.edges"} <= set(tensors)
        assert not any(np.isin(values, rows).any() for values in tensors.values() if values.dtype.kind == "f")
    whole = np.random.default_rng(1).integers(4, size=(900, 3)).astype(float)
    Squeeze(random_state=0).fit(whole, sensitive_features=np.resize(S, 900)).save(tmp_path / "s.withhold")
    assert np.isin(read_artifact(tmp_path / "s.withhold")[1]["seen.edges"], whole).all()  # many share each
