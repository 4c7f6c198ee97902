"""The network takes images of any size, and its cost does not run away with them."""

import pytest
import torch

from withhold.nets.convolutional import Convolutional


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 5, 300), (3, 28, 28), (1, 112, 92), (4, 33, 17)])
def test_any_size(shape: tuple[int, int, int]) -> None:
    net = Convolutional(shape, 5)
    assert net(torch.zeros(2, *shape)).shape == (2, 5)


def test_every_weight_learns() -> None:
    net = Convolutional((3, 28, 28), 2, dropout=0.0)
    net(torch.rand(8, 3, 28, 28)).square().sum().backward()
    assert all(weight.grad is not None and weight.grad.abs().max() > 0 for weight in net.parameters())


def test_the_grid_is_bounded() -> None:
    net = Convolutional((1, 256, 256), 2)
    assert max(net.stem(torch.zeros(1, 1, 256, 256)).shape) == 16


def test_a_mark_is_seen_wherever_it_stands() -> None:
    torch.manual_seed(0)
    net = Convolutional((1, 28, 28), 1).eval()
    empty, images = torch.zeros(1, 1, 28, 28), torch.zeros(4, 1, 28, 28)
    for i, (row, column) in enumerate([(2, 2), (2, 20), (20, 2), (12, 12)]):
        images[i, 0, row : row + 4, column : column + 4] = 4.0
    assert (net(images) - net(empty)).abs().min() > 1e-4
