import threading

import numpy as np
import pytest
import torch
from torch import nn

from withhold.nets.perceptron import Perceptron
from withhold.nets.restoring import restored


def state_of(net):
    return {name: value.numpy() for name, value in net.state_dict().items()}


def test_a_network_comes_back():
    net = Perceptron((3, 4, 2), standardise=True).eval()
    again = restored(lambda: Perceptron((3, 4, 2), standardise=True), state_of(net))
    assert torch.equal(again(torch.ones(5, 3)), net(torch.ones(5, 3)))
    assert not again.training
    assert not any(parameter.requires_grad for parameter in again.parameters())


@pytest.mark.parametrize(
    ("widths", "words"), [((3, 10**9, 2), "shape"), ((3, 2), "array"), ((3, *[4] * 10**6, 2), "more layers")]
)
def test_sizes_that_the_arrays_do_not_have(widths, words):
    with pytest.raises(ValueError, match=words):
        restored(lambda: Perceptron(widths), state_of(Perceptron((3, 4, 2))))


def test_types_and_constants():
    state = state_of(nn.Linear(2, 1))
    with pytest.raises(ValueError, match="int64"):
        restored(lambda: nn.Linear(2, 1), {**state, "bias": np.zeros(1, np.int64)})

    class Turned(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("order", torch.from_numpy(np.array([1, 0])))

    assert restored(Turned, {"order": np.array([1, 0])}).order.tolist() == [1, 0]
    with pytest.raises(ValueError, match="other values"):
        restored(Turned, {"order": np.array([0, 0])})


def test_networks_that_others_build_meanwhile_are_not_counted():
    def build():
        other = threading.Thread(target=lambda: Perceptron([2] * 50))
        other.start()
        other.join()
        return nn.Linear(2, 1)

    assert restored(build, state_of(nn.Linear(2, 1))).weight.shape == (1, 2)
