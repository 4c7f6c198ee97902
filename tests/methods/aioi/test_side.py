import numpy as np
import pytest
import torch

from withhold.methods.aioi.bottleneck import Bottleneck
from withhold.methods.aioi.filters import LinearFilter, OutputNoise
from withhold.methods.aioi.side import Alternation, Filtering, frozen
from withhold.nets.attribute_density import AttributeLayout
from withhold.training.checkpoint import Checkpoint
from withhold.training.recipe import Records
from withhold.training.session import make_fabric


def records(n=20):
    torch.manual_seed(0)
    H = torch.randn(n, 2)
    empty = torch.zeros(n, 0)
    codes = (torch.arange(n) % 2)[:, None].float()
    return Records(H, codes, AttributeLayout((2,)), torch.zeros(n, 1), empty, H, 2, np.arange(n) % 2)


def test_the_noise_is_fresh():
    side = Filtering(records(), OutputNoise(LinearFilter(2), 0.5), lambda Y, rows: Y.sum() * 0)
    rows = torch.arange(20)
    assert not torch.equal(side.release(rows), side.release(rows))


def test_naturalness_is_the_change():
    side = Filtering(records(), LinearFilter(2), lambda Y, rows: Y.sum() * 0, naturalness=2.0)
    rows = torch.arange(20)
    assert side.move(rows)[1].item() == 0.0
    torch.nn.init.constant_(side.channel.map.bias, 1.0)
    assert side.move(rows)[1].item() == 2.0


def test_adversaries_read_the_code_and_the_loss_the_release():
    """Of a filter through a code: its numbers are shown, and what is lost is said of the rows drawn from them."""
    rows, seen = torch.arange(20), []
    given = records()
    given.H = torch.rand(20, 64)
    side = Filtering(given, Bottleneck((8, 8), dimensions=3, width=4), lambda Y, rows: seen.append(Y) or Y.sum() * 0)
    code, _ = side.move(rows)
    assert code.shape == side.release(rows).shape == (20, side.width) == (20, 3)
    assert seen[0].shape == side.filtered(rows).shape == (20, 64)
    assert torch.equal(side.channel.decoded(code), seen[0])
    plain = Filtering(records(), LinearFilter(2), lambda Y, rows: Y.sum() * 0)
    assert torch.equal(plain.release(rows), plain.filtered(rows))


def test_what_is_frozen_is_no_parameter():
    judge = torch.nn.Linear(2, 2)
    fixed = frozen(judge)
    side = Filtering(records(), LinearFilter(2), lambda Y, rows: fixed(Y).square().mean())
    _, lost = side.move(torch.arange(20))
    lost.backward()
    assert all(parameter.grad is not None for parameter in side.parameters())
    assert all(parameter.grad is None for parameter in judge.parameters())
    assert len(list(side.parameters())) == 2
    assert judge.weight.requires_grad  # the caller's module is left as it was


def make(rounds_seen):
    torch.manual_seed(0)
    side, reader = Filtering(records(40), LinearFilter(2), lambda Y, rows: Y.sum() * 0), torch.nn.Linear(2, 1)
    state = {}

    def infer(Y, rows):
        state["filter"] = side.channel.map.weight.clone()
        rounds_seen.append("inference")
        return reader(Y.detach()).square().mean()

    def filter(Y, rows):
        assert torch.equal(side.channel.map.weight, state["filter"])  # the filter stood still meanwhile
        rounds_seen.append("filter")
        return (Y - reader(Y).mean()).square().mean()

    return Alternation(side, reader, infer=infer, filter=filter, batch=8, rate=1e-2, fabric=make_fabric("cpu"))


def test_players_move_in_turn_one_step_each():
    seen = []
    game = make(seen)
    game.play(0, 5)
    assert seen == ["inference", "filter"] * 5
    assert len(game.curves["filter"]) == 5


def test_it_goes_on_from_a_checkpoint(tmp_path):
    whole, halted = make([]), make([])
    whole.play(0, 24)
    halted_losses = halted.losses["filter"]
    calls = []

    def stop(Y, rows):
        calls.append(1)
        if len(calls) == 15:
            raise KeyboardInterrupt
        return halted_losses(Y, rows)

    halted.losses["filter"] = stop
    with pytest.raises(KeyboardInterrupt):
        halted.play(0, 24, checkpoint=Checkpoint(tmp_path / "game"))
    again = make([])
    again.play(0, 24, checkpoint=Checkpoint(tmp_path / "game"))
    assert again.curves == whole.curves
    assert not (tmp_path / "game").exists()
