import pytest
import torch

from withhold.nets.critic import JointCritic, SeparableCritic


@pytest.mark.parametrize("kind", [SeparableCritic, JointCritic])
def test_entry_ij_is_the_pair_ij(kind):
    critic = kind(3, 2, (8, 8))
    a, b = torch.randn(5, 3), torch.randn(4, 2)
    scores = critic(a, b)
    assert scores.shape == (5, 4)
    assert torch.allclose(scores[3, 1], critic(a[3:4], b[1:2]).squeeze(), atol=1e-6)


@pytest.mark.parametrize("kind", [SeparableCritic, JointCritic])
def test_gradients_reach_every_parameter(kind):
    critic = kind(3, 2, (8, 8))
    critic(torch.randn(16, 3), torch.randn(16, 2)).square().sum().backward()
    assert all(p.grad is not None and bool(p.grad.abs().sum() > 0) for p in critic.parameters())


@pytest.mark.parametrize("kind", [SeparableCritic, JointCritic])
def test_pairs_side_by_side_are_the_diagonal(kind):
    critic = kind(3, 2, (8, 8))
    a, b = torch.randn(5, 3), torch.randn(5, 2)
    assert torch.allclose(critic.paired(a, b), critic(a, b).diagonal(), atol=1e-6)
