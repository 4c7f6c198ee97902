import torch

from withhold.methods.aioi.filters import NoisyRepresentation


@torch.no_grad()
def test_the_scale_is_fixed_and_the_noise_is_an_argument():
    torch.manual_seed(0)
    net, H = NoisyRepresentation(4, (8,), 3, 0.5), torch.randn(2_000, 4)
    for layer in net.encoder.layers:
        if hasattr(layer, "weight"):
            layer.weight *= 100  # outputs that grow do not drown the noise
    net.settle(H)
    quiet = net.eval()(H, torch.zeros(2_000, net.noise_width))
    assert torch.allclose(quiet.std(dim=0), torch.ones(3), atol=1e-2)
    noise = torch.randn(2_000, 3)
    assert torch.allclose(net(H, noise) - quiet, 0.5 * noise, atol=1e-5)


def test_without_noise_nothing_is_drawn():
    assert NoisyRepresentation(4, (8,), 3, 0.0).noise_width == 0
