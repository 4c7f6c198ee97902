import torch

from withhold.methods.cadp.directions import active_directions
from withhold.methods.cadp.flow import ConditionalFlow, FlowPlan


def linear_flow(spreads):
    """A flow that only stretches: its decoder's Jacobian is known."""
    flow = ConditionalFlow(FlowPlan((len(spreads),), dense_blocks=2, hidden=4))
    flow.last.log_spread.weight.data = torch.log(torch.tensor([spreads]))
    return flow


def test_the_stretched_directions_are_found_in_order():
    directions, activity = active_directions(linear_flow([1.0, 5.0, 0.1, 3.0]), 2, samples=4000, seed=0)
    assert torch.equal(directions.abs().argmax(dim=0), torch.tensor([1, 3]))
    assert torch.allclose(directions.T @ directions, torch.eye(2, dtype=torch.float64), atol=1e-9)
    truth = torch.tensor([25.0, 9.0, 1.0, 0.01]) / 35.01
    assert torch.allclose(activity.float(), truth, atol=0.03)


def test_the_same_seed_gives_the_same_directions():
    flow = ConditionalFlow(FlowPlan((4, 4), classes=2, channels=4, hidden=8))
    first, again, other = (active_directions(flow, 3, samples=64, seed=seed)[0] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
