import torch

from withhold.nets.convolutional import Temporal


def test_windows_of_any_length_and_order_in_time_matters():
    torch.manual_seed(0)
    for samples in (4, 30, 100, 1000):
        assert Temporal((2, samples), 3)(torch.randn(5, 2, samples)).shape == (5, 3)
    net = Temporal((2, 100), 3)
    rising = torch.linspace(-1, 1, 100).expand(1, 2, 100)
    assert not torch.allclose(net(rising), net(rising.flip(2)))
