import dataclasses
import math

import pytest
import torch

from training.test_releasing import recipe, records
from withhold.contracts.errors import InvalidParameterError
from withhold.nets.attribute_density import AttributeLayout
from withhold.training.releasing import UtilityLoss

LAYOUT = AttributeLayout((2, 0))


def made(**changes):
    values = torch.stack([(torch.arange(40) % 2).float(), torch.linspace(-1, 1, 40)], dim=1)
    return records(utility=values, utility_layout=LAYOUT, **changes)


@torch.no_grad()
def test_values_are_scored_by_their_density_and_missing_ones_leave():
    torch.manual_seed(0)
    with_values = made()
    with_values.utility[:10] = float("nan")
    loss = UtilityLoss(with_values, recipe())
    Z, rows = torch.randn(40, 2), torch.arange(40)
    density = LAYOUT.log_density(loss.net(Z), with_values.utility)
    assert float(loss(Z, rows)) == pytest.approx(-float(density.sum()) / 60, rel=1e-5)


@torch.no_grad()
def test_a_posterior_is_matched_where_the_divergence_is_zero():
    torch.manual_seed(0)
    loss = UtilityLoss(made(posterior=torch.zeros(40, 4)), recipe())
    Z, rows = torch.randn(40, 2), torch.arange(40)
    assert float(loss(Z, rows)) > 0
    for parameter in loss.net.parameters():
        torch.nn.init.zeros_(parameter)
    assert float(loss(Z, rows)) == pytest.approx(0.0, abs=1e-6)
    # A posterior that is sure costs a reader who knows nothing the whole entropy.
    sure = torch.zeros(40, 4)
    sure[:, 0] = 30.0
    loss.records = made(posterior=sure)
    assert float(loss(Z, rows)) == pytest.approx(math.log(2), rel=1e-4)


@torch.no_grad()
def test_weight_and_unit_scale_the_loss():
    torch.manual_seed(0)
    loss = UtilityLoss(made(), recipe())
    other = UtilityLoss(dataclasses.replace(made(), utility_unit=0.5), recipe(utility_weight=3.0))
    other.net.load_state_dict(loss.net.state_dict())
    Z, rows = torch.randn(40, 2), torch.arange(40)
    assert torch.allclose(other(Z, rows), 6 * loss(Z, rows))


def test_without_a_utility_there_is_nothing_to_lose():
    with pytest.raises(InvalidParameterError, match="utility"):
        UtilityLoss(records(), recipe())
