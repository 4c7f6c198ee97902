import pytest
import torch
from torch import nn

from withhold.contracts.errors import NumericalError
from withhold.training.checkpoint import Checkpoint
from withhold.training.game import Game, Player
from withhold.training.session import make_fabric, private_randomness


class Count:
    def __init__(self):
        self.n = 0

    def state_dict(self):
        return {"n": self.n}

    def load_state_dict(self, state):
        self.n = state["n"]


def make_game(path=None, *, bad=False, killed=None, **kwargs):
    """Two nets with dropout and batch statistics that chase each other on fixed data."""
    with private_randomness(torch.device("cpu"), 3):
        first = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2), nn.BatchNorm1d(2))
        second, X = nn.Linear(2, 1), torch.randn(64, 4)
    memory = Count()

    def draw(moves):
        return [X[torch.randint(64, (16,))] for _ in range(moves)]

    def loss_first(batch):
        if memory.n == killed:
            raise KeyboardInterrupt
        memory.n += 1
        loss = second(first(batch)).square().mean() + (first(batch)[:, 0] - batch[:, 0]).square().mean()
        return loss * float("nan") if bad and memory.n == 5 else loss

    def loss_second(batch):
        return -second(first(batch)).tanh().mean()

    players = [
        Player(
            "second",
            second,
            torch.optim.AdamW(second.parameters(), 0.05),
            2,
            draw,
            lambda b: -second(first(b)).tanh().mean(),
        ),
        Player("first", first, torch.optim.Adam(first.parameters(), 0.01), 1, draw, loss_first, clip=1.0),
    ]
    game = Game(
        players,
        rounds=20,
        fabric=make_fabric("cpu"),
        seed=7,
        memory=memory,
        checkpoint=Checkpoint(path),
        save_every=5,
        **kwargs,
    )
    return game, first, second, memory


def weights(*modules):
    return [value.clone() for module in modules for value in module.state_dict().values()]


def test_resume_gives_the_same_to_the_last_bit(tmp_path):
    game, first, second, memory = make_game(judge=lambda: (torch.rand(1).item(),), every=3)
    game.play()
    straight = weights(first, second)
    for killed in (7, 12, 15):  # each a new process as far as the game knows, which goes on from round 0, 5 and 10
        partial, *_ = make_game(tmp_path / "c", judge=lambda: (torch.rand(1).item(),), every=3, killed=killed)
        with pytest.raises(KeyboardInterrupt):
            partial.play()
        assert (tmp_path / "c").exists()
    last, first, second, again = make_game(tmp_path / "c", judge=lambda: (torch.rand(1).item(),), every=3)
    last.play()
    assert last.best_round == game.best_round
    assert again.n == memory.n == 20
    assert all(torch.equal(a, b) for a, b in zip(straight, weights(first, second), strict=True))
    over, first, second, _ = make_game(tmp_path / "c")  # a game that is over stays over
    over.play()
    assert all(torch.equal(a, b) for a, b in zip(straight, weights(first, second), strict=True))


def test_same_seed_same_result_and_global_generator_untouched():
    before = torch.get_rng_state()
    results = []
    for _ in range(2):
        game, first, second, _ = make_game()
        game.play()
        results.append(weights(first, second))
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))
    assert torch.equal(before, torch.get_rng_state())


def test_only_the_player_to_move_moves():
    game, first, second, _ = make_game()
    seen, before = [], weights(first)

    def watched(batch):
        seen.append((second.training, first.training, first[0].weight.requires_grad, weights(first)))
        return -second(first(batch)).tanh().mean()

    game.players[0].loss = watched
    game.rounds = 1
    game.play()
    assert [entry[:3] for entry in seen] == [(True, False, False)] * 2
    for entry in seen:
        assert all(torch.equal(a, b) for a, b in zip(before, entry[3], strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(before, weights(first), strict=True))  # then `first` moved


def test_best_state_is_restored():
    game, first, _, _ = make_game(every=1)
    scores = iter([3.0, 1.0, 2.0] + [5.0] * 17)
    seen = []

    def judge():
        seen.append(weights(first))
        return (next(scores),)

    game.judge = judge
    game.play()
    assert game.best_round == 2
    assert all(torch.equal(a, b) for a, b in zip(seen[1], weights(first), strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(seen[-1], seen[1], strict=True))


def test_patience_ends_the_game():
    game, *_ = make_game(every=1, patience=3, judge=lambda: (1.0,))
    game.play()
    assert game.round == 4


def test_nan_is_an_error_that_names_the_player():
    game, *_ = make_game(bad=True)
    with pytest.raises(NumericalError, match=r"'first'.*round 5"):
        game.play()


def test_a_player_may_fill_its_own_gradients_and_share_its_module_with_another():
    """Two players move one net in turn: the first by a loss, the second by a gradient of its own making."""
    net, X = nn.Linear(3, 1), torch.randn(8, 3)

    def own(batch):
        for parameter in net.parameters():
            parameter.grad = torch.ones_like(parameter)
        return net(batch).mean()

    def step():
        return torch.optim.SGD(net.parameters(), 0.5)

    before = net.weight.detach().clone()
    still = Player("loss", net, step(), 1, lambda moves: [X] * moves, lambda b: 0.0 * net(b).mean())
    moving = Player("own", net, step(), 1, lambda moves: [X] * moves, lambda b: net(b).mean(), gradients=own)
    Game([still, moving], rounds=3, fabric=make_fabric("cpu"), seed=0).play()
    assert torch.allclose(net.weight, before - 1.5)
