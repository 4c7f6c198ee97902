import numpy as np
import pytest
import torch

from withhold.methods.aioi.table_channel import TableChannel, pairs_seen, quantile


def rows_of(channel, cells):
    generator = torch.Generator().manual_seed(0)
    return torch.cat([torch.randn(len(cells), channel.features, generator=generator), channel.one_hot(cells)], dim=1)


def same_record(channel, n):
    cells = torch.zeros(1, len(channel.counts), dtype=torch.long)
    return rows_of(channel, cells).expand(n, -1), torch.randn(n, channel.noise_width)


@torch.no_grad()
def test_cells_are_drawn_with_their_probabilities():
    torch.manual_seed(0)
    channel = TableChannel(2, (3, 2), (4,))
    rows, noise = same_record(channel, 20_000)
    Y = channel(rows, noise)
    p = torch.softmax(channel._own(rows[:1])[:, :3], dim=1)[0]
    assert torch.allclose(Y[:, :3].mean(dim=0), p, atol=0.015)
    assert bool((Y.sum(dim=1) == 2).all())
    assert torch.equal(channel.one_hot(channel.cells(Y)), Y)
    assert torch.equal(channel(rows[:9], noise[:9]), Y[:9])  # a function of the noise


@torch.no_grad()
@pytest.mark.parametrize("known", [True, False])
def test_pairs_that_no_record_has_are_not_drawn(known):
    torch.manual_seed(0)
    cells = np.array([[0, 0], [1, 1], [2, 2]])
    channel = TableChannel(2, (3, 3), (4,), pairs_seen(cells, (3, 3)) if known else None)
    Y = channel.cells(channel(*same_record(channel, 3_000)))
    unlike = float((Y[:, 0] != Y[:, 1]).float().mean())
    assert unlike < 0.01 if known else unlike > 0.3


@torch.no_grad()
def test_the_probability_of_keeping_is_that_of_the_draw():
    torch.manual_seed(0)
    channel = TableChannel(2, (3, 4), (4,))
    channel.couplings += torch.randn_like(channel.couplings)
    rows, noise = same_record(channel, 20_000)
    Y = channel(rows, noise)
    kept = (channel.cells(Y) == 0).float().mean(dim=0)
    assert torch.allclose(channel.keeps(rows, Y).exp().mean(dim=0), kept, atol=0.015)
    channel.skip += 30.0
    assert float(channel.keeps(rows, channel(rows, noise)).min()) > -1e-3


def test_gradients_pass_through_the_draw_also_along_couplings():
    torch.manual_seed(0)
    channel = TableChannel(2, (3, 4), (4,))
    torch.nn.init.normal_(channel.couplings)
    rows, noise = same_record(channel, 50)
    Y = channel(rows, noise)
    Y[:, 3].sum().backward()  # a cell of the second column, which depends on what the first one became
    assert float(channel.couplings.grad[:3, 3:].abs().sum()) > 0
    assert float(channel.couplings.grad[3:].abs().sum()) == 0
    assert float(channel.base.layers[-1].bias.grad[:3].abs().sum()) > 0


def test_no_quantile_is_beyond_the_last_cell():
    p = torch.tensor([[0.1] * 10])
    assert quantile(p, torch.tensor([[1.0]])).item() == 9
    assert quantile(p, torch.tensor([[0.0]])).item() == 0


def test_pairs_within_a_column_are_its_own_cells():
    seen = pairs_seen(np.array([[0, 1], [2, 0]]), (3, 2))
    assert seen.tolist() == seen.T.tolist()
    assert seen[:3, :3].diagonal().tolist() == [True, False, True]
    assert seen[0, 3:].tolist() == [False, True]
