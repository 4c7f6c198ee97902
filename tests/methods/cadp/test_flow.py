import numpy as np
import pytest
import torch

from withhold.contracts.errors import NumericalError
from withhold.methods.cadp.couplings import Permutation
from withhold.methods.cadp.flow import ConditionalFlow, FlowPlan, check_weights

PLANS = {
    "vector": FlowPlan((5,), classes=3, dense_blocks=3, hidden=16),
    "no class": FlowPlan((6,), dense_blocks=2, hidden=16),
    "one column": FlowPlan((1,), classes=2),
    "image": FlowPlan((8, 8), classes=3, channels=6, hidden=16),
    "colour": FlowPlan((4, 6, 3), classes=2, channels=6, hidden=16),
    "odd sides": FlowPlan((5, 5), classes=2, hidden=16),
    "glow": FlowPlan((8, 8), classes=3, channels=6, hidden=16, volume_preserving=False),
}
each = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


def trained(plan, seed=0):
    """A flow whose weights are as far from the identity as training makes them."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        flow = ConditionalFlow(plan)
        for name, weight in flow.named_parameters():
            if "last" in name or "of_class" in name or "mean" in name or "spread" in name:
                weight.data.normal_(0, 0.15)
    return flow.eval()


def records(plan, n=12, seed=1):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, plan.dimensions, generator=generator)
    return x, torch.arange(n) % plan.classes if plan.classes else None


@each
@torch.no_grad()
def test_invertible_on_records_and_on_noised_latents(plan):
    flow = trained(plan)
    x, labels = records(plan)
    z, _ = flow(x, labels)
    assert plan.dimensions == 1 or (z - x).abs().max() > 0.1  # positive control: it does something
    assert (flow.inverse(z, labels) - x).abs().max() < 1e-5
    # Latents that no record has: noise of scale 2 / eps at eps = .5, and heavy tails.
    double, rng = trained(plan).double(), np.random.default_rng(0)
    heavy = torch.from_numpy(rng.laplace(0.0, 4.0, size=tuple(z.shape)))
    off = double.inverse(z.double() + heavy, labels)
    assert torch.isfinite(off).all()
    # These weights stretch some of them a hundred thousandfold.
    assert torch.allclose(double(off, labels)[0], z.double() + heavy, rtol=1e-6, atol=1e-4)


@each
def test_log_determinant_against_autograd(plan):
    flow = trained(plan).double()
    x, labels = records(plan, n=3)
    x = x.double()
    _, logdet = flow(x, labels)
    for i in range(len(x)):
        of = None if labels is None else labels[i : i + 1]
        jacobian = torch.func.jacrev(lambda v, of=of: flow(v[None], of)[0][0])(x[i])
        assert torch.isclose(torch.linalg.slogdet(jacobian)[1], logdet[i], rtol=1e-8, atol=1e-8)


def test_volume_is_preserved_by_gin_and_not_by_glow():
    for name, preserved in (("image", True), ("glow", False)):
        flow = trained(PLANS[name])
        x, labels = records(PLANS[name])
        _, logdet = flow.body(x, labels)
        assert bool((logdet == 0).all()) is preserved


@each
def test_the_class_matters(plan):
    flow = trained(plan)
    x, labels = records(plan)
    if labels is None:
        assert torch.equal(flow(x)[0], flow(x, None)[0])
        return
    assert not torch.allclose(flow(x, labels)[0], flow(x, (labels + 1) % plan.classes)[0])


@each
def test_gradient_reaches_every_parameter(plan):
    flow = trained(plan).train()
    x, labels = records(plan, n=24)
    flow.nats_a_dimension(x, labels).sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in flow.parameters())


@each
def test_records_do_not_see_each_other(plan):
    flow = trained(plan)
    x, labels = records(plan)
    alone = torch.cat([flow(x[i : i + 1], None if labels is None else labels[i : i + 1])[0] for i in range(len(x))])
    assert torch.allclose(alone, flow(x, labels)[0], atol=1e-5)


@each
def test_a_new_flow_is_orthonormal_and_a_saved_one_the_same(plan):
    flow = ConditionalFlow(plan)
    x, labels = records(plan)
    z, logdet = flow(x, labels)
    assert torch.allclose(z.norm(dim=1), x.norm(dim=1), atol=1e-4)
    assert (logdet == 0).all()
    first, second = trained(plan), ConditionalFlow(FlowPlan.of(plan.as_dict()))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(x, labels)[0], second(x, labels)[0])


def test_permutations_touch_no_global_generator():
    before, state = torch.get_rng_state(), np.random.get_state()[1].copy()
    first, again, other = Permutation(64, 3), Permutation(64, 3), Permutation(64, 4)
    assert torch.equal(first.order, again.order)
    assert not torch.equal(first.order, other.order)
    assert torch.equal(before, torch.get_rng_state())
    assert np.array_equal(state, np.random.get_state()[1])


def test_not_a_number_is_an_error_with_a_reason():
    flow = trained(PLANS["vector"])
    check_weights(flow)
    with torch.no_grad():
        next(flow.parameters()).view(-1)[0] = torch.nan
    with pytest.raises(NumericalError, match=r"NaN or infinite\. Train it with a lower rate"):
        check_weights(flow)


def test_per_sample_gradients():
    """Every layer is one whose per-sample gradients are known: their sum is the gradient of the sum."""
    plan = PLANS["image"]
    flow = trained(plan)
    x, labels = records(plan, n=4)
    parameters = dict(flow.named_parameters())

    def loss(weights, one, of):
        z, logdet = torch.func.functional_call(flow, weights, (one[None], of[None]))
        return (0.5 * z.square().sum() - logdet.sum()) / plan.dimensions

    single = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, labels)
    flow.nats_a_dimension(x, labels).sum().backward()
    for name, weight in parameters.items():
        assert torch.allclose(single[name].sum(dim=0), weight.grad, atol=1e-4), name
