import numpy as np
import pytest
import torch

from withhold.information.estimators.contrast import (
    averaged_donsker_varadhan,
    conditional_donsker_varadhan,
    donsker_varadhan,
    info_nce,
    jensen_shannon,
    log_mean_exp,
    nguyen_wainwright_jordan,
    off_diagonal,
    shuffled_donsker_varadhan,
)


def scores(n=5):
    return torch.randn(n, n, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def test_each_contrast_is_its_formula():
    T = scores()
    own, rest = T.diagonal(), off_diagonal(T)
    assert torch.allclose(donsker_varadhan(T), own.mean() - rest.exp().mean().log())
    assert torch.allclose(shuffled_donsker_varadhan(own, rest), own.mean() - rest.exp().mean().log())
    assert torch.allclose(nguyen_wainwright_jordan(T), own.mean() - (rest - 1).exp().mean())
    shares = own.exp() / T.exp().sum(dim=1)
    assert torch.allclose(info_nce(T), shares.log().mean() + np.log(5))
    expected = -torch.log1p((-own).exp()).mean() - torch.log1p(rest.exp()).mean()
    assert torch.allclose(jensen_shannon(T), expected)


def test_large_scores_do_not_overflow():
    T = torch.full((4, 4), 900.0)
    assert float(donsker_varadhan(T)) == pytest.approx(0.0, abs=1e-3)
    assert float(log_mean_exp(T)) == pytest.approx(900.0)


def test_info_nce_is_at_most_log_n():
    assert float(info_nce(torch.eye(8) * 1e6)) == pytest.approx(np.log(8), rel=1e-6)


def test_a_running_average_corrects_the_gradient():
    """With the average equal to the batch's own mean both gradients agree; with a larger one it is smaller."""
    T = scores().requires_grad_()
    (plain,) = torch.autograd.grad(donsker_varadhan(T), T)
    (same,) = torch.autograd.grad(averaged_donsker_varadhan(T, log_mean_exp(T)), T)
    (half,) = torch.autograd.grad(averaged_donsker_varadhan(T, log_mean_exp(T) + np.log(2)), T)
    assert torch.allclose(plain, same)
    assert torch.allclose(off_diagonal(half), off_diagonal(plain) / 2)


def test_exact_scores_reach_the_information_of_a_channel():
    """A bit through a channel of flip .1: .368 nat, at the log ratio of joint and product."""
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=3000)
    b = np.where(rng.random(3000) < 0.1, 1 - a, a)
    ratio = torch.from_numpy(np.where(a[:, None] == b[None], np.log(1.8), np.log(0.2)))
    for value in (donsker_varadhan(ratio), nguyen_wainwright_jordan(ratio + 1), info_nce(ratio)):
        assert float(value) == pytest.approx(0.368, abs=0.03)


def test_within_classes_each_class_is_bounded_alone():
    """The bound within a class, averaged by the rows of the class; a row alone in its class is left out."""
    T, classes = scores(6), torch.tensor([1, 0, 1, 0, 1, 2])
    parts = [donsker_varadhan(T[rows][:, rows]) * len(rows) for rows in ([0, 2, 4], [1, 3])]
    assert torch.allclose(conditional_donsker_varadhan(T, classes), sum(parts) / 5)
    alone = scores(3).requires_grad_()
    (gradient,) = torch.autograd.grad(conditional_donsker_varadhan(alone, torch.arange(3)), alone)
    assert bool((gradient == 0).all())
    (gradient,) = torch.autograd.grad(conditional_donsker_varadhan(alone, torch.tensor([0, 0, 1])), alone)
    assert bool(gradient.isfinite().all())
