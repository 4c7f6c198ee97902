import torch

from withhold.methods.aioi.posterior import distil


def test_the_error_is_that_on_rows_not_learned_from():
    torch.manual_seed(0)
    x = torch.randn(900, 3)
    clear = torch.log_softmax(torch.stack([torch.zeros(900), 4 * x[:, 0], -3 * x[:, 1]], dim=1), dim=1)
    good = distil(x, clear, (32,), seed=0)
    assert good.divergence < 0.03
    assert good.agreement > 0.9
    assert not any(parameter.requires_grad for parameter in good.net.parameters())
    # A teacher that depends on nothing in the rows cannot be learned, and the error says so.
    wild = torch.log_softmax(3 * torch.randn(900, 3), dim=1)
    bad = distil(x, wild, (32,), seed=0)
    assert bad.divergence > 0.3
    assert bad.agreement < 0.6
