import torch

from withhold.methods.iidm.rivals.crossgrad import CLIP, moved


def test_moves_each_record_along_its_own_gradient():
    x = torch.tensor([[0.01, -0.02], [3.0, 0.0]])
    far = moved(x, lambda inputs: inputs.square().sum(dim=1).mean(), 10.0)
    assert torch.allclose(far, x + 10 * (2 * x).clamp(-CLIP, CLIP))
    assert not far.requires_grad
    assert torch.equal(moved(x, lambda inputs: inputs.sum() / 2, 0.0), x)


def test_does_not_depend_on_the_size_of_the_batch():
    x = torch.randn(6, 2, generator=torch.Generator().manual_seed(0)) * 0.01

    def loss(inputs):
        return inputs.square().sum(dim=1).mean()

    assert torch.allclose(moved(x, loss, 5.0)[:2], moved(x[:2], loss, 5.0))
