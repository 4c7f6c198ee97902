import numpy as np

from withhold.methods.iidm.rivals.erm import ERM
from withhold.methods.loading import load


def test_predicts_from_the_release_and_after_loading(tmp_path):
    """Positive control: labels that the features show are predicted, and only with the noise that is released."""
    rng = np.random.default_rng(0)
    y, s = np.array(["no", "yes"])[rng.integers(2, size=200)], rng.integers(2, size=200)
    X = np.c_[2.0 * (y == "yes") + 0.3 * rng.normal(size=200), rng.normal(size=200)]
    method = ERM(rounds=60, hidden=16, dimensions=4, random_state=0, noise_seed=0).fit(X, y, sensitive_features=s)
    assert method.score(X, y) > 0.9
    assert set(method.predict(X)) == {"no", "yes"}
    logits = method._logits(method.transform(X))
    assert np.array_equal(logits.argmax(axis=1), method.predict_proba(X).argmax(axis=1))
    assert np.allclose(method.predict_proba(X).sum(axis=1), 1)
    method.save(tmp_path / "s.withhold")
    again = load(tmp_path / "s.withhold")
    assert np.array_equal(again.predict(X), method.predict(X))
    assert again.classes_.tolist() == ["no", "yes"]
    # Noise enters: without it the probabilities differ.
    assert not np.allclose(method._logits(method._encode(X.astype("float32"))), logits)
