import pytest
import torch

from withhold.methods.aioi.unet import NEAR, UNet


@pytest.mark.parametrize("shape", [(8, 8), (7, 9, 3), (30, 3), (70, 41)])
def test_images_of_any_size_come_out_as_they_were_at_first(shape):
    net = UNet(shape, width=4)
    H = torch.rand(2, net.width)
    out = net(H, torch.randn(2, net.noise_width))
    assert out.shape == H.shape
    assert (out - H).abs().max().item() < NEAR + 1e-6


def test_places_and_channels_stay_where_they_are():
    """A change made by the network lies at the pixel it was made for."""
    torch.manual_seed(0)
    net = UNet((9, 6, 3), width=4, bounded=False)
    torch.nn.init.normal_(net.head.weight)
    H = torch.randn(1, net.width, requires_grad=True)
    noise = torch.zeros(1, net.noise_width)
    change = (net(H, noise) - H)[0].view(9, 6, 3)
    near = torch.autograd.grad(change[4, 3, 1], H, retain_graph=True)[0].view(9, 6, 3).abs().sum(-1)
    assert near[4, 3] > 0
    blocks = net._change(H.view(1, 9, 6, 3).permute(0, 3, 1, 2), noise)
    assert torch.allclose(blocks[0, :, 4, 3], change[4, 3], atol=1e-5)


def test_it_can_use_its_noise():
    torch.manual_seed(0)
    net = UNet((8, 8), width=4)
    torch.nn.init.normal_(net.head.weight)
    H = torch.rand(1, 64)
    assert not torch.allclose(net(H, torch.zeros(1, net.noise_width)), net(H, torch.ones(1, net.noise_width)))


def test_unbounded_records_have_no_bound():
    net = UNet((8, 3), width=4, bounded=False)
    H = 10 * torch.randn(3, 24)
    assert torch.equal(net(H, torch.zeros(3, net.noise_width)), H)
