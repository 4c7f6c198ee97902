import pytest
import torch
from tests.training.test_filtering import records

from withhold.methods.aioi.filters import LinearFilter
from withhold.methods.aioi.side import Alternation, Filtering
from withhold.training.session import make_fabric


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
        halted.play(0, 24, checkpoint=tmp_path / "game")
    again = make([])
    again.play(0, 24, checkpoint=tmp_path / "game")
    assert again.curves == whole.curves
    assert not (tmp_path / "game").exists()
