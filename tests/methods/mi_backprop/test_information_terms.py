import math

import numpy as np
import pytest
import torch

from withhold.information.estimators.contrast import donsker_varadhan
from withhold.methods.mi_backprop.information_rows import class_marginal
from withhold.methods.mi_backprop.information_terms import ESTIMATORS, Secrets, information_term
from withhold.nets.attribute_density import AttributeLayout

N = 2000


def channel(seed=0):
    """Z = 2 C + noise with C a fair coin in a class that is a fair coin: I(Z; C) = I(Z; C | Y) = .337 nat."""
    rng = np.random.default_rng(seed)
    c, y = rng.integers(2, size=N), rng.integers(2, size=N)
    Z = torch.from_numpy((2 * c[:, None] + rng.normal(size=(N, 1))).astype(np.float32))
    return Z, c, y


def secrets(c, y=None):
    targets = torch.from_numpy(np.where(c >= 0, c, np.nan)[:, None].astype(np.float32))
    code = torch.nn.functional.one_hot(torch.from_numpy(c).clamp(min=0), 2).float()
    marginal = class_marginal(np.where(c >= 0, c, np.nan), np.zeros_like(c) if y is None else y, 2)[:, None]
    classes = None if y is None else torch.from_numpy(y)
    return Secrets(
        targets, AttributeLayout((2,)), code, torch.from_numpy(marginal).float(), classes, 0 if y is None else 2
    )


def truth():
    """Return the information of a fair coin through unit Gaussian noise at distance 2, by quadrature."""
    x = np.linspace(-8, 10, 20001)
    p, q = (np.exp(-0.5 * (x - m) ** 2) / math.sqrt(2 * math.pi) for m in (0.0, 2.0))
    mixed = (p + q) / 2
    return float(np.trapezoid(0.5 * (p * np.log(p / mixed) + q * np.log(q / mixed)), x))


def trained(name, given, Z, critic="separable", steps=150):
    torch.manual_seed(0)
    term = information_term(name, given, 1, (16, 16), critic)
    adam = torch.optim.Adam(term.module.parameters(), 1e-2)
    for _ in range(steps):
        rows = torch.randint(N, (128,))
        loss = term.loss(Z[rows], rows)
        adam.zero_grad()
        loss.backward()
        adam.step()
    return term


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize(("name", "critic"), [("mine", "separable"), ("mine", "joint"), ("classifier", "separable")])
def test_a_trained_estimator_reads_what_is_there_and_nothing_of_noise(name, critic, conditional):
    Z, c, y = channel()
    given = secrets(c, y if conditional else None)
    rows = torch.arange(800)
    term, blind = trained(name, given, Z, critic), torch.randn(N, 1)
    noise = trained(name, given, blind, critic, steps=60)
    with torch.no_grad():
        assert float(term.information(Z[rows], rows)) == pytest.approx(truth(), abs=0.08)  # 800 rows: .02 of error
        assert abs(float(noise.information(blind[rows], rows))) < 0.05


def test_the_closed_form_is_that_of_the_correlation():
    Z, c, _ = channel()
    rows = torch.arange(N)
    term = information_term("gaussian", secrets(c), 1, ())
    correlation = float(np.corrcoef(Z[:, 0].numpy(), c)[0, 1])
    assert float(term.information(Z, rows)) == pytest.approx(-0.5 * math.log(1 - correlation**2), abs=5e-3)
    shuffled = Z[torch.randperm(N)]
    assert float(term.information(shuffled, rows)) < 5e-3


def test_a_pool_steadies_the_closed_form_and_keeps_the_size_of_the_gradient():
    Z, c, _ = channel()
    term, few, many = information_term("gaussian", secrets(c), 1, ()), torch.arange(64), torch.arange(64, N)
    own = Z[few].clone().requires_grad_()
    value = term.information(own, few, (Z[many], many))
    (gradient,) = torch.autograd.grad(value, own)
    whole = Z.clone().requires_grad_()
    (expected,) = torch.autograd.grad(term.information(whole, torch.arange(N)), whole)
    assert torch.allclose(gradient, expected[:64] * N / 64, rtol=1e-3, atol=1e-6)


def test_conditioned_on_a_class_that_is_the_attribute_nothing_is_left():
    Z, c, _ = channel()
    rows = torch.arange(512)
    given = secrets(c, c)
    assert float(information_term("gaussian", given, 1, ()).information(Z, torch.arange(N))) < 1e-3
    for name in ("classifier", "mine"):
        assert abs(float(trained(name, given, Z, steps=60).information(Z[rows], rows).detach())) < 0.05


@pytest.mark.parametrize("name", ESTIMATORS)
def test_missing_values_leave_the_terms(name):
    Z, c, y = channel()
    holed = np.where(np.arange(N) % 3 == 0, -1, c)
    torch.manual_seed(0)
    term, rows = information_term(name, secrets(holed, y), 1, (8,)), torch.arange(60)
    own = Z[rows].clone().requires_grad_()
    (gradient,) = torch.autograd.grad(term.information(own, rows, (Z[:300], torch.arange(300))), own)
    assert bool((gradient[::3] == 0).all())
    assert bool(gradient.isfinite().all())
    none = torch.arange(0, 30, 3)
    if name != "gaussian":
        assert float(term.information(Z[none], none).detach()) == 0.0


def test_all_pairs_are_the_bound_of_the_scores():
    Z, c, _ = channel()
    term, rows = information_term("mine", secrets(c), 1, (8,)), torch.arange(20)
    expected = donsker_varadhan(term.module(Z[rows], term.secrets.code[rows]))
    assert torch.equal(term.information(Z[rows], rows), expected)
