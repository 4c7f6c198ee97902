import json
import math

import numpy as np
import pytest
import torch
from torch import nn

from withhold.methods.mi_backprop.game import Backpropagation, InformationGame, LabelledRows
from withhold.methods.mi_backprop.weighted_rows import WeightedRows
from withhold.training.checkpoint import Checkpoint
from withhold.training.session import make_fabric

pytestmark = pytest.mark.usefixtures("short_readings")

CPU = torch.device("cpu")


class Square:
    """An "information" that is least at z = 0; its estimator counts its steps and must not move the encoder."""

    def __init__(self):
        self.module, self.seen, self.pools = nn.Linear(1, 1), [], []

    def loss(self, Z, rows):
        assert not Z.requires_grad
        self.seen.append(Z.clone())
        return self.module(Z[:, :1]).square().mean()

    def information(self, Z, rows, pool=None):
        self.pools.append(pool)
        return Z.square().sum(dim=1).mean()


def game(term=None, path=None, **settings):
    torch.manual_seed(0)
    X = torch.randn(64, 3)
    rows = LabelledRows(X, (X[:, 0] > 0).long(), WeightedRows(np.arange(48), CPU), WeightedRows(np.arange(48, 64), CPU))
    recipe = Backpropagation(**{"rounds": 30, "batch": 16, "steps": 5, "pool": 2, "rate": 0.02} | settings)
    return InformationGame(rows, recipe, nn.Linear(3, 2), nn.Linear(2, 2), term or Square(), make_fabric("cpu"))


def test_the_inner_steps_share_features_that_were_computed_once():
    term = Square()
    game(term, rounds=1).play(0)
    assert len(term.seen) == 5
    pool = torch.cat(term.seen[:2])  # two batches in turn, then draws from them
    assert all(bool((row == pool).all(dim=1).any()) for row in torch.cat(term.seen[2:]))
    fresh = Square()
    game(fresh, rounds=1, pool=5).play(0)
    assert len(torch.unique(torch.cat(fresh.seen), dim=0)) > len(torch.unique(pool, dim=0))


@pytest.mark.parametrize(("pool", "drawn"), [(80, 80), (2, 2)])
def test_as_many_batches_are_drawn_for_the_inner_steps_as_the_pool_holds(pool, drawn):
    term = Square()
    played = game(term, rounds=1, steps=80, pool=pool)
    batches = []
    draw = played.rows.learned.draw
    played.rows.learned.draw = lambda many: batches.append(many) or draw(many)
    played.play(0)
    assert len(term.seen) == 80
    assert sum(batches) == 16 * (drawn + 1)  # and one for the encoder's own step


def test_a_larger_lambda_leaves_less_and_lambda_zero_is_the_task_alone():
    left = {}
    for lam in (0.0, 1.0, 10.0):
        played = game(lam=lam, clip=None)
        played.play(0)
        left[lam] = played.curves["leakage"][-1]
    assert left[10.0] < left[1.0] < left[0.0]
    assert game(lam=0.0).players()[0].name == "encoder"


def test_one_step_is_the_sum_of_the_two_gradients():
    """Line 11 of Algorithm 1; clipping bounds the second by the first, tensor by tensor."""
    for clip in (None, "tensor"):
        played = game(lam=0.7, clip=clip)
        rows = torch.arange(16)
        played._combined((rows, None))
        weight = played.encoder.weight
        found, head = weight.grad.clone(), played.head.weight.grad.clone()
        task, Z = played._task(rows)
        g_task, g_head = torch.autograd.grad(task, [weight, played.head.weight], retain_graph=True)
        (g_mi,) = torch.autograd.grad(played.term.information(Z, rows), weight)
        if clip:
            assert g_mi.norm() > g_task.norm()
            g_mi = g_mi * g_task.norm() / g_mi.norm()
        assert torch.allclose(found, g_task + 0.7 * g_mi, atol=1e-6)
        assert torch.allclose(head, g_head, atol=1e-6)


def test_lambda_grows_over_the_ramp():
    played = game(lam=2.0, ramp=0.5, rounds=10)
    weights = []
    for played.rounds in (0, 2, 5, 9):
        weights.append(played._weight())
    assert weights == pytest.approx([0.0, 0.8, 2.0, 2.0])


def test_the_reproduction_mode_takes_two_steps():
    played = game(optimisers=2, lam=0.5)
    names = [player.name for player in played.players()]
    rates = {player.name: player.rate for player in played.players()}
    assert names == ["task", "information", "estimator"]
    assert rates["information"] == pytest.approx(0.5 * rates["task"])
    before = played.encoder.weight.detach().clone()
    played.play(0)
    assert not torch.equal(before, played.encoder.weight)


def test_a_closed_form_gets_a_pool_and_no_player():
    term = Square()
    term.module = nn.Module()
    played = game(term, rounds=2)
    assert [player.name for player in played.players()] == ["encoder"]
    played.play(0)
    assert [pool is not None for pool in term.pools] == [True, False, True, False]  # a look has no pool
    assert term.pools[0][0].shape == (32, 2)


def test_curves_are_of_held_out_rows_and_a_resumed_game_ends_the_same(tmp_path):
    whole = game()
    whole.play(3)
    assert {name: len(curve) for name, curve in whole.curves.items()} == dict.fromkeys(whole.curves, 30)
    path = tmp_path / "game"
    stopped = game()
    original, stopped._count = stopped._count, lambda: stop_at(stopped, original)
    with pytest.raises(KeyboardInterrupt):
        stopped.play(3, checkpoint=Checkpoint(path))
    resumed = game()
    resumed.play(3, checkpoint=Checkpoint(path))
    assert torch.equal(resumed.encoder.weight, whole.encoder.weight)
    assert resumed.curves == whole.curves
    assert not path.exists()


def test_a_look_without_a_value_is_kept_in_a_checkpoint():
    """A curve has NaN where held-out rows tell nothing; a checkpoint is JSON, which has none."""
    played = game()
    played.curves["leakage"] = [0.5, math.nan]
    state = json.loads(json.dumps(played.state_dict(), allow_nan=False))
    other = game()
    other.load_state_dict(state)
    assert other.curves["leakage"][0] == 0.5
    assert math.isnan(other.curves["leakage"][1])


def stop_at(played, count):
    if played.rounds == 14:
        raise KeyboardInterrupt
    count()


def test_a_missing_label_leaves_the_task():
    played = game()
    played.rows.labels[:] = -1
    task, _ = played._task(torch.arange(8))
    assert float(task.detach()) == 0.0
    assert all(np.isnan(value) for value in played.readings().values())
