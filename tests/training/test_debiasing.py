import dataclasses
import math

import numpy as np
import pytest
import torch

from withhold.nets.attribute_density import AttributeLayout
from withhold.training.budget import BudgetMultiplier
from withhold.training.debiasing import Debiasing
from withhold.training.recipe import Recipe, Records
from withhold.training.releasing import NoisyEncoder
from withhold.training.session import make_fabric


def make(n=60, trade=None, **changes):
    torch.manual_seed(0)
    H = torch.randn(n, 4)
    codes = torch.arange(n) % 3
    records = Records(
        H=H,
        secrets=codes[:, None].float(),
        layout=AttributeLayout((3,)),
        marginal=torch.full((n, 1), -math.log(3)),
        given=torch.nn.functional.one_hot(codes, 3).float(),
        kept=H,
        outputs=4,
        folds=np.where(np.arange(n) % 10 == 0, -1, np.arange(n) // 3 % 2),
    )
    recipe = Recipe(dimensions=2, encoder=(8,), decoder=(8,), noise=0.5, rounds=6, batch=20, adversary=8, folds=2)
    return Debiasing(
        records,
        recipe,
        make_fabric("cpu"),
        debias=lambda outputs, secrets: outputs.square().mean(),
        side=NoisyEncoder(records, recipe, lambda outputs, kept: (outputs - kept).square().mean()),
        trade=trade,
        price=BudgetMultiplier(0.02),
        **changes,
    )


def test_gain_is_entropy_minus_cross_entropy():
    game = make()
    rows = torch.arange(60)[None]
    assert float(game.gain(torch.zeros(1, 60, 3), rows)) == pytest.approx(0.0, abs=1e-6)
    sure = 20 * game.records.given[None]
    assert float(game.gain(sure, rows)) == pytest.approx(math.log(3), abs=1e-3)
    assert float(game.gain(-sure, rows)) < -10  # sure of the wrong class: worse than the marginal


def test_a_missing_secret_leaves_the_gain():
    game = make()
    game.records.secrets[:30] = float("nan")
    game.records.marginal[:30] = 0.0
    outputs = 20 * game.records.given[None]
    outputs[:, :30] = 1e3 * torch.randn(30, 3)
    assert float(game.gain(outputs, torch.arange(60)[None])) == pytest.approx(math.log(3), abs=1e-3)


def test_hiding_is_skipped_while_adversaries_know_nothing():
    game = make()
    game.price.average = -0.5  # cross-entropies above the marginal's, for long
    rows = game.rows.judged(10)
    game.side.train()
    game._encoder_loss(rows).backward()
    idle = [p.grad.clone() for p in game.side.encoder.parameters()]
    assert game.blind == 1
    for parameter in game.side.parameters():
        parameter.grad = None
    game.price.average = 0.5
    game._encoder_loss(rows).backward()
    assert game.blind == 1
    assert not all(torch.allclose(a, p.grad) for a, p in zip(idle, game.side.encoder.parameters(), strict=True))


def test_plays_and_remembers():
    game = make()
    reading = game.play(0, select=True)
    assert math.isfinite(reading)
    assert {len(values) for values in game.curves.values()} == {6}
    other = make()
    other.load_state_dict(game.state_dict())
    assert other.state_dict() == game.state_dict()


def test_judgement_puts_the_budget_first():
    game = make()
    game.price.average = 1.0
    with torch.no_grad():
        violation, lost = game.judge()
        traded = make(trade=0.5).judge()
    assert violation == pytest.approx(0.98)
    assert lost > 0
    assert len(traded) == 1


def test_fresh_adversaries_know_nothing_of_the_game():
    game = make()
    game.play(0, select=False)
    before = {name: value.clone() for name, value in game.adversary.state_dict().items()}
    side = {name: value.clone() for name, value in game.side.state_dict().items()}
    game.attack(5, 1)
    gone_on = game.adversary.state_dict()
    assert all((gone_on[name] - value).abs().max() < 0.1 for name, value in before.items())
    game.attack(5, 1, fresh=True)
    anew = game.adversary.state_dict()
    assert max(float((anew[name] - value).abs().max()) for name, value in before.items()) > 0.3
    assert all(torch.equal(side[name], value) for name, value in game.side.state_dict().items())


def test_other_opponents_play():
    """Nets of one's own, as images need, take the place of the perceptrons."""

    class Constant(torch.nn.Module):
        side = 0

        def __init__(self):
            super().__init__()
            self.logits = torch.nn.Parameter(torch.zeros(3))

        def forward(self, Z):
            return self.logits.expand(*Z.shape[:-1], 3)

        def outputs(self, Z):
            return self(Z), None

    game = make(opponents=Constant)
    assert isinstance(game.adversary, Constant)
    assert abs(game.play(0, select=True)) < 0.05


def test_adversaries_recover_what_they_are_given():
    game = make()
    assert game.adversary.side == 4
    records = dataclasses.replace(game.records, recovered=game.records.H[:, :1])
    narrow = dataclasses.replace(game, records=records)
    assert narrow.adversary.side == 1
    [batch] = narrow._adversary_batches(1)
    assert math.isfinite(narrow._adversary_loss(batch).item())


def test_a_game_that_trades_by_lambda_has_no_use_for_the_multiplier():
    game = make(trade=0.5)
    game.price = BudgetMultiplier(0.02, most=math.inf)
    game.price.integral = 720.0  # what 12,000 rounds above the budget add up to; its exponential is no float
    game.play(0, select=False)
    assert game.price.integral == 720.0
    assert game.curves["multiplier"] == [0.5] * 6
    assert game.price.average is not None
    constrained = make()
    constrained.price = BudgetMultiplier(1e-9, most=math.inf)
    constrained.price.integral = 720.0
    with pytest.raises(OverflowError):
        constrained.play(0, select=False)
