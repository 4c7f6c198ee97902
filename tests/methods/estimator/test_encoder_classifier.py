import numpy as np
import torch
from scipy.special import softmax

from withhold.methods.estimator import classifier as encoder_classifier
from withhold.methods.iidm.iidm import IIDM
from withhold.methods.mi_backprop.mi_backprop import MIBackprop


def test_rows_come_out_the_same_in_any_chunks_and_the_classifier_reads_the_noisy_release(monkeypatch):
    rng = np.random.default_rng(0)
    X, y, c = rng.normal(size=(90, 3)), rng.integers(2, size=90), rng.integers(2, size=90)
    method = MIBackprop(rounds=2, hidden=8, dimensions=3, random_state=0, noise_seed=0)
    method.fit(X, y, sensitive_features=c)
    whole = method.represent(X)
    logits = method.classifier_(torch.from_numpy(whole)).numpy()
    assert np.allclose(method.predict_proba(X), softmax(logits.astype(float), axis=1), atol=1e-6)
    monkeypatch.setattr(encoder_classifier, "CHUNK", 7)
    assert np.allclose(method.represent(X), whole, atol=1e-6)
    assert not any(p.requires_grad for p in (*method.encoder_.parameters(), *method.classifier_.parameters()))


def test_windows_that_were_read_as_images_are_pointed_out():
    rng = np.random.default_rng(0)
    signal, y, c = rng.normal(size=(60, 20, 3)), rng.integers(2, size=60), rng.integers(2, size=60)

    def codes(X, **settings):
        method = IIDM(rounds=2, hidden=8, dimensions=3, random_state=0, noise_seed=0, **settings)
        return {finding.code for finding in method.fit(X, y, sensitive_features=c).findings_}

    assert "read_as_images" in codes(signal)
    assert "read_as_images" not in codes(signal, architecture="windows")
    assert "read_as_images" not in codes(rng.random((60, 8, 8)))  # pixels
    assert "read_as_images" not in codes(signal.reshape(60, -1))
