import pytest
import torch

from withhold.methods.aioi.bottleneck import COARSEST, Bottleneck, _levels


@pytest.mark.parametrize("shape", [(8, 8), (7, 9, 3), (30, 3), (70, 41)])
def test_records_of_any_size_come_out_in_their_form(shape):
    net = Bottleneck(shape, dimensions=5, width=4)
    H = torch.rand(3, net.width)
    out = net(H, torch.randn(3, net.noise_width))
    assert out.shape == H.shape
    assert out.min() >= 0
    assert out.max() <= 1


def test_large_images_are_halved_until_they_are_small():
    sides, features = _levels((112, 92, 1), 4)
    assert sides == [(56, 46), (28, 23), (14, 12), (7, 6)]
    assert max(sides[-1]) <= COARSEST
    assert features == [4, 8, 16, 16]


def test_the_release_is_a_function_of_the_code():
    torch.manual_seed(0)
    net = Bottleneck((8, 8), dimensions=5, width=4).eval()
    H, noise = torch.rand(4, 64), torch.randn(4, net.noise_width)
    code = net.code(H, noise)
    assert code.shape == (4, net.code_width)
    assert torch.equal(net.decoded(code), net(H, noise))
    assert not torch.equal(net.decoded(code), net(H, -noise))


def test_a_code_cannot_outgrow_its_noise():
    """However large the encoder's outputs, their spread is at most 1, so noise of .5 stays half of it."""
    torch.manual_seed(0)
    net = Bottleneck((8, 8), dimensions=5, scale=0.5, width=4)
    torch.nn.init.normal_(net.encoder.inner.last.weight, std=100.0)
    H = torch.rand(500, 64)
    still = torch.zeros(500, net.noise_width)
    assert net.encoder.inner(H, still).std(dim=0).min() > 10  # control: they are large
    net.settle(H)
    net.eval()
    assert net.code(H, still).std(dim=0).max().item() == pytest.approx(1.0, abs=0.01)
    spread = (net.code(H, still + 1) - net.code(H, still)).mean().item()
    assert spread == pytest.approx(0.5, abs=1e-3)


def test_signals_have_no_bound():
    torch.manual_seed(0)
    net = Bottleneck((20, 3), dimensions=4, width=4, bounded=False)
    torch.nn.init.normal_(net.decoder.head.weight, std=10.0)
    out = net(torch.randn(30, 60), torch.randn(30, net.noise_width))
    assert out.min() < 0
    assert out.max() > 1
