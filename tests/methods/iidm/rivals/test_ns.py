import torch
from torch.nn import functional

from withhold.methods.iidm.rivals.ns import flipped_likelihood, other


def test_the_other_value_is_another_and_any_other():
    torch.manual_seed(0)
    a = torch.arange(5).repeat(400)
    flipped = other(a, 5)
    assert not (flipped == a).any()
    counts = torch.bincount(a * 5 + flipped, minlength=25).view(5, 5)
    assert (counts[~torch.eye(5, dtype=torch.bool)] - 100).abs().max() < 50  # 5 sd of a count of 100


def test_is_the_cross_entropy_towards_the_other_value():
    logits = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
    flipped = torch.tensor([0, 1, 2, 0, 1, 2])
    want = functional.cross_entropy(logits, flipped)
    assert torch.allclose(flipped_likelihood(functional.log_softmax(logits, -1), flipped), want)
