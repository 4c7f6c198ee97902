import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.mi_backprop.mi_backprop import MIBackprop


def test_rounds_grow_with_the_rows_and_the_batch_fits_them():
    few, many = MIBackprop()._recipe(40), MIBackprop()._recipe(10**6)
    assert (few.rounds, few.batch) == (301, 20)
    assert (many.rounds, many.batch) == (1500, 128)


def test_the_preset_is_the_papers():
    recipe = MIBackprop(preset="paper")._recipe(60_000)
    assert recipe.pool == recipe.steps  # every step of the inner loop has a batch of its own
    assert (recipe.steps, recipe.lam, recipe.noise, recipe.clip, recipe.rate) == (80, 1.0, 0.0, "tensor", 1e-4)
    assert recipe.rounds == 500 * 469
    assert MIBackprop(preset="paper", rounds=3)._recipe(100).rounds == 3


@pytest.mark.parametrize(
    "bad",
    [
        {"lam": -1.0}, {"ramp": 2.0}, {"noise": float("nan")}, {"steps": 0}, {"rounds": 0}, {"rate": 0.0},
        {"estimator": "smile"}, {"clip": "norm"}, {"optimisers": 3}, {"preset": "own"}, {"precision": "16-mixed"},
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused_by_name(bad):
    with pytest.raises(InvalidParameterError, match=f"^{next(iter(bad))} must be"):
        MIBackprop(**bad).check()
