import numpy as np
import pytest
import torch
from torch.nn import functional

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.iidm.centroids import Centroids
from withhold.methods.iidm.iidm import IIDM, discriminator_matching


def case(k=5, n=40, seed=0):
    draw = torch.Generator().manual_seed(seed)
    logits = torch.randn(n, k, generator=draw, dtype=torch.float64)
    centroids = Centroids(k)
    a = torch.arange(n) % k
    centroids.start(torch.softmax(2 * torch.randn(n, k, generator=draw, dtype=torch.float64), dim=-1), a)
    return logits, a, centroids


def test_equals_the_sum_of_all_pairs():
    """Equations (3) and (4) as they stand, K - 1 divergences a record."""
    logits, a, centroids = case()
    log_q, Q = functional.log_softmax(logits, -1), centroids.values[0]
    pairs = [
        sum(float((Q[i] * (Q[i].log() - log_q[n])).sum()) for i in range(5) if i != a[n]) for n in range(len(logits))
    ]
    assert float(discriminator_matching(log_q, a, centroids, total=True)) == pytest.approx(np.mean(pairs), abs=1e-12)
    assert float(discriminator_matching(log_q, a, centroids)) == pytest.approx(np.mean(pairs) / 4, abs=1e-12)


def test_gradient_in_the_logits():
    """(K - 1) q - sum of the other centroids, and the same by finite differences: bounded, and q is not clipped."""
    logits, a, centroids = case()
    logits.requires_grad_(True)

    def loss(values):
        return discriminator_matching(functional.log_softmax(values, -1), a, centroids, total=True)

    (gradient,) = torch.autograd.grad(loss(logits) * len(a), logits)
    target = centroids.values[0].sum(0) - centroids.values[0][a]
    assert torch.allclose(gradient, 4 * torch.softmax(logits, -1) - target, atol=1e-12)
    assert torch.autograd.gradcheck(loss, (logits,), eps=1e-6, atol=1e-9)
    assert gradient.abs().max() <= 4


def test_is_never_negative_and_zero_where_all_agree():
    logits, a, centroids = case()
    for scale in (1, 10, 100):
        assert float(discriminator_matching(functional.log_softmax(scale * logits, -1), a, centroids)) >= 0
    same = torch.tensor([0.1, 0.2, 0.3, 0.25, 0.15], dtype=torch.float64)
    centroids.start(same.expand(5, 5), torch.arange(5))
    assert float(discriminator_matching(same.log().expand(40, 5), a, centroids)) == pytest.approx(0, abs=1e-12)


def mixture(n=1500, k=4, seed=0):
    """An attribute in the first of two directions, a task in the second."""
    rng = np.random.default_rng(seed)
    s, y = rng.integers(k, size=n), rng.integers(2, size=n)
    return np.c_[1.5 * s + 0.3 * rng.normal(size=n), 2 * y + 0.6 * rng.normal(size=n)].astype("float32"), y, s


@pytest.mark.slow
def test_hides_the_attribute_and_keeps_the_task():
    """Positive control: with lam=0 the same game shows it."""
    X, y, s = mixture()
    sizes = {"rounds": 250, "hidden": 32, "dimensions": 4, "random_state": 0, "noise_seed": 0}
    shown = IIDM(lam=0.0, **sizes).fit(X, y, sensitive_features=s)
    hidden = IIDM(**sizes).fit(X, y, sensitive_features=s)
    most = hidden.diagnostics_["maximum_leakage"]
    assert most == pytest.approx(np.log(4), abs=0.01)
    # The task alone leaves a tenth of the attribute in Z; hiding, less than a fiftieth (read: .089 and .008 of H(S)).
    assert shown.diagnostics_["game_leakage"] > 0.05 * most
    assert hidden.diagnostics_["game_leakage"] < 0.02 * most
    assert hidden.score(X, y) > shown.score(X, y) - 0.03
    assert {"task", "discriminator", "leakage"} == set(hidden.curves_)
    assert hidden.diagnostics_["beyond_maximum"] < 0.2


@pytest.mark.parametrize(("name", "value"), [("gamma", 1.5), ("scaling", "max"), ("kappa", 0), ("optimiser", "lion")])
def test_refuses_settings(name, value):
    X, y, s = mixture(40)
    with pytest.raises(InvalidParameterError, match=f"^{name} must be"):
        IIDM(**{name: value}).fit(X, y, sensitive_features=s)
