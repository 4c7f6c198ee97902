import pytest
import torch

from withhold.methods.iidm.rivals.revgrad import ramp, reversed_gradient


def test_reverses_the_gradient_and_nothing_else():
    z = torch.randn(4, 3, generator=torch.Generator().manual_seed(0)).requires_grad_(True)
    out = reversed_gradient(z, 0.25)
    assert torch.equal(out, z)
    out.square().sum().backward()
    assert torch.allclose(z.grad, -0.25 * 2 * z.detach())


def test_ramp_of_the_paper():
    assert ramp(0.0) == 0.0
    assert ramp(0.1) == pytest.approx(0.46212, abs=1e-5)  # tanh(5 p)
    assert ramp(1.0) == pytest.approx(1.0, abs=1e-4)
