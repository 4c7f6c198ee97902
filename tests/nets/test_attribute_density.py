import math

import numpy as np
import pytest
import torch
from scipy.stats import norm

from withhold.nets.attribute_density import LOG_VARIANCE_BOUND, AttributeLayout, gaussian_log_density, gaussian_moments


def test_gaussian_log_density_agrees_with_scipy():
    outputs = torch.tensor([[0.5, -1.2], [2.0, 0.3]], dtype=torch.float64)
    targets = torch.tensor([[1.0], [-0.4]], dtype=torch.float64)
    mean, log_variance = gaussian_moments(outputs)
    expected = norm.logpdf(targets[:, 0], mean, np.exp(0.5 * log_variance.numpy()))
    assert torch.allclose(AttributeLayout((0,)).log_density(outputs, targets)[:, 0], torch.from_numpy(expected))


def test_log_variance_is_learned_by_likelihood():
    """Dropping the log variance from the likelihood, as some published code does, leaves it without gradient."""
    outputs = torch.zeros(1000, 2, dtype=torch.float64, requires_grad=True)
    values = 0.1 * torch.randn(1000, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    AttributeLayout((0,)).log_density(outputs, values).mean().backward()
    assert outputs.grad is not None
    assert outputs.grad[:, 1].sum() < -0.4  # the variance of 1 is a hundred times too large: it must fall


def test_log_variance_is_bounded_and_never_without_gradient():
    raw = torch.tensor([[0.0, 40.0], [0.0, -40.0]], dtype=torch.float64, requires_grad=True)
    _, log_variance = gaussian_moments(raw)
    assert log_variance.abs().max() <= LOG_VARIANCE_BOUND
    log_variance.sum().backward()
    assert raw.grad is not None
    assert (raw.grad[:, 1] > 0).all()


def test_mixed_attributes_and_missing_values():
    layout = AttributeLayout((3, 0))
    outputs = torch.zeros(3, layout.width)
    targets = torch.tensor([[2.0, 0.0], [float("nan"), 0.0], [1.0, float("nan")]])
    expected = [
        [-math.log(3), -0.5 * math.log(2 * math.pi)],
        [0.0, -0.5 * math.log(2 * math.pi)],
        [-math.log(3), 0.0],
    ]
    assert torch.allclose(layout.log_density(outputs, targets), torch.tensor(expected))


def test_missing_values_give_no_gradient():
    layout = AttributeLayout((2, 0))
    outputs = torch.randn(2, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
    targets = torch.tensor([[float("nan"), float("nan")], [1.0, 0.5]])
    layout.log_density(outputs, targets).sum().backward()
    assert outputs.grad is not None
    assert bool((outputs.grad[0] == 0).all())
    assert bool((outputs.grad[1] != 0).any())


@pytest.mark.parametrize("classes", [(2,), (0,), (4, 0, 2)])
def test_blocks_cover_the_outputs(classes):
    layout = AttributeLayout(classes)
    blocks = layout.blocks(torch.zeros(5, 7, layout.width))
    assert [block.shape[-1] for block in blocks] == [k or 2 for k in classes]


def test_divergence_is_that_of_the_densities():
    layout = AttributeLayout((3, 0))
    generator = torch.Generator().manual_seed(0)
    p, q = torch.randn(2, 5, dtype=torch.float64, generator=generator)
    found = layout.divergence(p, q)
    own, other = torch.softmax(p[:3], 0), torch.softmax(q[:3], 0)
    assert torch.allclose(found[0], (own * (own / other).log()).sum())
    grid = torch.linspace(-60, 60, 200_001, dtype=torch.float64)
    density = gaussian_log_density(p[3:], grid).exp()
    integral = (density * (density.log() - gaussian_log_density(q[3:], grid)))[density > 0].sum() * (grid[1] - grid[0])
    assert torch.allclose(found[1], integral, rtol=1e-4)
    assert torch.allclose(layout.divergence(p, p), torch.zeros(2, dtype=torch.float64), atol=1e-12)
