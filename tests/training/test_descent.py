import torch
from torch import nn

from withhold.training.descent import descend


def test_the_best_state_on_held_out_rows_is_kept():
    torch.manual_seed(0)
    x, noise = torch.randn(60, 30), torch.randn(60)  # nothing to learn, and as many weights as rows to over-fit
    net = nn.Linear(30, 1)

    def loss(rows):
        return (net(x[rows])[:, 0] - noise[rows]).square().mean()

    nn.init.zeros_(net.weight)
    nn.init.zeros_(net.bias)
    held = descend(net, loss, 60, seed=0)
    own = torch.tensor([row for row in range(60) if row not in set(held.tolist())])
    assert len(held) == 6
    assert loss(own).item() > 0.05  # training to the end would reach nearly 0
    fitted = torch.linalg.lstsq(x[own], noise[own, None]).solution  # where training to the end would lead
    assert loss(held).item() < (x[held] @ fitted - noise[held, None]).square().mean().item()


def test_what_there_is_to_learn_is_learned_and_repeats():
    x = torch.linspace(-1, 1, 400)[:, None]
    found = []
    for _ in range(2):
        torch.manual_seed(1)
        net = nn.Linear(1, 1)
        descend(net, lambda rows, net=net: (net(x[rows]) - x[rows]).square().mean(), 400, seed=3)
        found.append(net.weight.item())
    assert found[0] == found[1]
    assert abs(found[0] - 1) < 0.2
