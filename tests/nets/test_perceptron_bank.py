import torch
from torch.nn import functional

from withhold.nets.bank import PerceptronBank


def test_members_are_independent_perceptrons():
    bank = PerceptronBank(3, (4, 8, 2)).eval()
    X = torch.randn(3, 5, 4)
    for i in range(3):
        hidden = functional.relu(X[i] @ bank.weights[0][i] + bank.biases[0][i])
        assert torch.allclose(bank(X)[i], hidden @ bank.weights[1][i] + bank.biases[1][i], atol=1e-6)


def test_loss_of_one_member_moves_no_other():
    bank = PerceptronBank(2, (4, 8, 2))
    bank(torch.randn(2, 5, 4))[0].sum().backward()
    for parameter in bank.parameters():
        assert parameter.grad is not None
        assert bool((parameter.grad[1] == 0).all())
    assert bank.weights[0].grad is not None
    assert bank.weights[0].grad[0].abs().sum() > 0


def test_dropout_only_in_training():
    bank, X = PerceptronBank(2, (4, 64, 2), dropout=0.5), torch.randn(2, 5, 4)
    assert not torch.equal(bank(X), bank(X))
    bank.eval()
    assert torch.equal(bank(X), bank(X))
