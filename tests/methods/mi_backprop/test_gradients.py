import pytest
import torch

from withhold.methods.mi_backprop.gradients import adaptively_clipped, gradients_of, norm


def test_each_tensor_is_bounded_by_its_own():
    own = [torch.tensor([3.0, 4.0]), torch.tensor([0.1]), None, torch.tensor([5.0])]
    bounds = [torch.tensor([1.0, 0.0]), torch.tensor([2.0]), torch.tensor([1.0]), None]
    first, second, third, fourth = adaptively_clipped(own, bounds, "tensor")
    assert torch.allclose(first, torch.tensor([0.6, 0.8]))
    assert torch.equal(second, own[1])  # shorter than its bound: as it is
    assert third is None
    assert torch.equal(fourth, own[3])  # nothing to compare with


def test_the_whole_is_bounded_by_the_whole():
    own, bounds = [torch.tensor([3.0]), torch.tensor([4.0])], [torch.tensor([0.0]), torch.tensor([1.0])]
    clipped = adaptively_clipped(own, bounds, "global")
    assert norm(clipped) == pytest.approx(1.0)
    assert float(clipped[0] / clipped[1]) == pytest.approx(0.75)
    assert adaptively_clipped(own, bounds, None) == own


@pytest.mark.parametrize("by", ["tensor", "global"])
def test_a_gradient_of_zero_stays_zero(by):
    (clipped,) = adaptively_clipped([torch.zeros(2)], [torch.ones(2)], by)
    assert torch.equal(clipped, torch.zeros(2))


def test_what_an_objective_does_not_depend_on_has_no_gradient():
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    found = gradients_of(x.sum(), [x, y])
    assert torch.equal(found[0], torch.ones(2))
    assert found[1] is None
    assert gradients_of(torch.zeros(()), [x]) == [None]
