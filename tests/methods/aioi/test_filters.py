import pytest
import torch

from withhold.methods.aioi.filters import LinearFilter, OutputNoise, PerceptronFilter


def test_a_linear_filter_is_linear():
    torch.manual_seed(0)
    net = LinearFilter(3)
    torch.nn.init.normal_(net.map.weight)
    A, B, no = torch.randn(5, 3), torch.randn(5, 3), torch.zeros(5, 0)
    assert torch.allclose(net(A + B, no), net(A, no) + net(B, no) - net.map.bias, atol=1e-5)


def test_a_perceptron_uses_its_noise():
    torch.manual_seed(0)
    net = PerceptronFilter(3, (8,), noise_inputs=2)
    H = torch.zeros(1, 3)
    assert not torch.allclose(net(H, torch.zeros(1, 2)), net(H, torch.ones(1, 2)))


def test_a_filter_cannot_outgrow_the_noise():
    torch.manual_seed(0)
    net = OutputNoise(LinearFilter(2), 0.5)
    torch.nn.init.constant_(net.inner.map.weight, 100.0)
    H = torch.randn(4000, 2)
    quiet, noise = torch.zeros(4000, net.noise_width), torch.randn(4000, net.noise_width)
    assert net.train()(H, quiet).var(dim=0, correction=0).tolist() == pytest.approx([1.0, 1.0], abs=1e-3)
    net.eval().settle(H)
    settled = net(H, quiet)
    assert settled.var(dim=0, correction=0).tolist() == pytest.approx([1.0, 1.0], abs=1e-3)
    assert (net(H, noise) - settled).std(dim=0).tolist() == pytest.approx([0.5, 0.5], abs=0.03)
    free = OutputNoise(net.inner, 0.0)  # control: without the limit the filter grows as it likes
    assert free(H, torch.zeros(4000, 0)).var().item() > 100


def test_small_outputs_are_not_blown_up():
    net = OutputNoise(LinearFilter(2), 0.5).eval()
    torch.nn.init.constant_(net.inner.map.weight, 0.0)
    H = torch.randn(50, 2)
    net.settle(H)
    assert net(H, torch.zeros(50, 2)).abs().max().item() == 0.0


def test_pixels_stay_pixels():
    net = OutputNoise(LinearFilter(2), 3.0, bounded=True)
    out = net(torch.rand(100, 2), torch.randn(100, 2))
    assert out.min().item() == 0.0
    assert out.max().item() == 1.0
