import math

import pytest
import torch

from withhold.methods.aioi.game import prior_outputs, steepness
from withhold.nets.attribute_density import AttributeLayout


def test_the_prior_is_the_marginal():
    layout = AttributeLayout((2, 0))
    secrets = torch.tensor([[0.0, 1.2], [1.0, -0.3], [1.0, math.nan], [1.0, 0.0]])
    outputs = prior_outputs(layout, secrets)
    density = layout.log_density(outputs.expand(4, -1), secrets)
    assert density[:, 0].exp().tolist() == pytest.approx([0.25, 0.75, 0.75, 0.75])
    assert density[3, 1].item() == pytest.approx(-0.5 * math.log(2 * math.pi))


def test_equation_10_is_followed_above_the_budget_only():
    entropy = math.log(2)
    for budget in (0.05, 0.416, 0.69):
        assert steepness(budget, entropy, budget) == 0
        assert steepness(0.4 * entropy, entropy, budget) == 0
    assert steepness(0.416, entropy, 0.05) == pytest.approx(1.0, abs=0.01)  # a small budget, S wide open
    assert 0 < steepness(0.5, entropy, 0.416) < 1
    assert steepness(0.0, 0.0, 0.0) == 0  # an attribute of one value
