import math

import pytest
import torch

from withhold.methods.filtering.filter_training import prior_outputs
from withhold.nets.attribute_density import AttributeLayout


def test_the_prior_is_the_marginal():
    layout = AttributeLayout((2, 0))
    secrets = torch.tensor([[0.0, 1.2], [1.0, -0.3], [1.0, math.nan], [1.0, 0.0]])
    outputs = prior_outputs(layout, secrets)
    density = layout.log_density(outputs.expand(4, -1), secrets)
    assert density[:, 0].exp().tolist() == pytest.approx([0.25, 0.75, 0.75, 0.75])
    assert density[3, 1].item() == pytest.approx(-0.5 * math.log(2 * math.pi))
