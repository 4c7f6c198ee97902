import pytest
import torch

from withhold.nets.perceptron import Perceptron


def test_layers_and_dropout():
    net = Perceptron((4, 8, 8, 3), dropout=0.5)
    kinds = [type(layer).__name__ for layer in net.layers]
    assert kinds == ["Linear", "ReLU", "Dropout", "Linear", "ReLU", "Dropout", "Linear"]


def test_gradient_reaches_every_parameter():
    net = Perceptron((4, 8, 3), standardise=True)
    net(torch.randn(16, 4)).pow(3).sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in net.parameters() if p.ndim == 2)


def test_settled_outputs_are_standard_on_the_rows_settled_on():
    net = Perceptron((4, 8, 3), standardise=True)
    X = 5 + 3 * torch.randn(1000, 4)
    net.eval()
    assert (net(X).var(dim=0) - 1).abs().max() > 0.05  # positive control: a fresh net has other statistics
    net.settle(X, chunk=300)
    assert torch.allclose(net(X).mean(dim=0), torch.zeros(3), atol=1e-4)
    assert torch.allclose(net(X).var(dim=0, correction=0), torch.ones(3), atol=1e-3)


@pytest.mark.parametrize("standardise", [False, True])
def test_state_round_trip(standardise):
    first, second = (Perceptron((4, 8, 3), standardise=standardise).eval() for _ in range(2))
    second.load_state_dict(first.state_dict())
    X = torch.randn(5, 4)
    assert torch.equal(first(X), second(X))
