import math

import pytest
import torch

from withhold.contracts.errors import MissingExtraError
from withhold.methods.cadp import private_training
from withhold.methods.cadp.flow import ConditionalFlow, FlowPlan
from withhold.methods.cadp.private_training import PrivateSteps, train_private_flow
from withhold.methods.cadp.training import FlowRecipe
from withhold.training.session import make_fabric


def small(seed=0):
    torch.manual_seed(seed)
    flow = ConditionalFlow(FlowPlan((4, 4), classes=2, channels=4, hidden=8, dense_blocks=2, blocks=(1,)))
    for name, weight in flow.named_parameters():
        if "last" in name:
            weight.data.normal_(0, 0.05)
    return flow


def records(n=60):
    generator = torch.Generator().manual_seed(1)
    return torch.rand(n, 16, generator=generator), torch.arange(n) % 2


@pytest.mark.filterwarnings("ignore")
def test_clipped_gradients_add_up_to_the_gradient_where_nothing_is_clipped():
    pytest.importorskip("opacus")
    flow, (X, y) = small(), records(5)
    flow.nats_a_dimension(X, y).sum().backward()
    plain = [weight.grad.clone() for weight in flow.parameters()]
    flow.zero_grad()
    wrapped, _ = private_training._wrapped(flow)
    for clip, same in ((1e9, True), (0.01, False)):
        sums = [torch.zeros_like(weight) for weight in flow.parameters()]
        private_training._add_clipped(wrapped, flow, X, y, clip, sums)
        assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(sums, plain, strict=True)) is same
        norm = torch.stack([total.norm() for total in sums]).norm()
        assert same or norm <= 5 * 0.01 + 1e-6


@pytest.mark.filterwarnings("ignore")
def test_it_learns_and_the_noise_is_of_the_size_asked_for():
    pytest.importorskip("opacus")
    X, y = records()
    fabric = make_fabric("cpu")
    before = float(small().nats_a_dimension(X, y).mean())
    quiet, loud = small(), small()
    recipe = FlowRecipe(40, rate=3e-3, noise=0.05)
    curves = train_private_flow(quiet, X, y, recipe, PrivateSteps(0.01, 0.5, clip=10.0), fabric)
    train_private_flow(loud, X, y, recipe, PrivateSteps(100.0, 0.5, clip=10.0), fabric)
    after = [float(flow.nats_a_dimension(X, y).mean()) for flow in (quiet, loud)]
    assert after[0] < before - 0.1
    assert after[1] > after[0] + 0.1
    assert math.isnan(curves.best)  # nothing about the records comes out beside the weights


def test_without_opacus_it_says_what_to_install(monkeypatch):
    import builtins

    real = builtins.__import__

    def absent(name, *rest, **named):
        if name.startswith("opacus"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    X, y = records(4)
    with pytest.raises(MissingExtraError, match=r"pip install 'withhold\[dp\]'"):
        train_private_flow(small(), X, y, FlowRecipe(1), PrivateSteps(1.0, 0.5), make_fabric("cpu"))
