import math

import pytest
import torch

from withhold.information.estimators.club import club_categorical, club_gaussian, club_of_attributes
from withhold.nets.attribute_density import AttributeLayout

# A symmetric pair of bits that agree nine times in ten: I = log 2 - h(.1) = .368 nat. One of each of twenty records.
SIDE = torch.tensor([0] * 10 + [1] * 10)
CODES = torch.tensor([0] * 9 + [1] + [1] * 9 + [0])


def binary(agree):
    """log q(b | side) that gives `agree` to b = side."""
    own = torch.nn.functional.one_hot(SIDE, 2).double()
    return torch.log(own * agree + (1 - own) * (1 - agree))


@pytest.mark.parametrize(
    ("agree", "value"),
    [(0.9, 0.879), (0.5, 0.0), (0.6, 0.162), (0.999, 2.763), (0.1, -0.879)],
    ids=["exact", "constant", "under-confident", "over-confident", "flipped"],
)
def test_club_of_a_learned_q_may_be_anything(agree, value):
    """True I = .368: only the exact q is an upper bound by necessity."""
    assert float(club_categorical(binary(agree), CODES)) == pytest.approx(value, abs=1e-3)


def test_club_categorical_is_the_full_matrix_with_its_diagonal():
    log_q = torch.randn(7, 3, dtype=torch.float64).log_softmax(1)
    codes = torch.tensor([0, 1, 2, 2, 1, 0, 2])
    table = log_q[:, codes]  # entry (i, j) is log q(b_j | z_i)
    expected = table.diagonal().mean() - table.mean()
    assert torch.allclose(club_categorical(log_q, codes), expected)


def test_sampled_club_has_the_same_mean():
    log_q = torch.randn(40, 3, dtype=torch.float64).log_softmax(1)
    codes = torch.arange(40) % 3
    drawn = [club_categorical(log_q, codes, torch.randperm(40)) for _ in range(4000)]
    spread = torch.stack(drawn).std() / math.sqrt(len(drawn))
    assert abs(torch.stack(drawn).mean() - club_categorical(log_q, codes)) < 4 * spread


def test_club_gaussian_closed_form_and_matrix():
    rho, n = 0.6, 200_000
    generator = torch.Generator().manual_seed(0)
    Z = torch.randn(n, generator=generator, dtype=torch.float64)
    B = rho * Z + math.sqrt(1 - rho**2) * torch.randn(n, generator=generator, dtype=torch.float64)
    exact = club_gaussian(rho * Z, torch.full_like(Z, math.log(1 - rho**2)), B)
    assert float(exact) == pytest.approx(rho**2 / (1 - rho**2), rel=0.02)  # sampling error of n pairs is about .5 %
    assert float(exact) > -0.5 * math.log(1 - rho**2)  # an exact q bounds the information from above
    mean, log_variance, values = Z[:50], 0.3 * B[:50], B[50:100]
    table = -0.5 * (values[None, :] - mean[:, None]).square() * (-log_variance).exp()[:, None]
    assert torch.allclose(club_gaussian(mean, log_variance, values), table.diagonal().mean() - table.mean())


def test_columns_of_club_gaussian_add_up():
    mean, log_variance, values = (torch.randn(9, 3, dtype=torch.float64) for _ in range(3))
    partners = torch.randperm(9)
    for chosen in (None, partners):
        parts = [club_gaussian(mean[:, j], log_variance[:, j], values[:, j], chosen) for j in range(3)]
        assert torch.allclose(club_gaussian(mean, log_variance, values, chosen), torch.stack(parts).sum())


def test_attributes_are_summed_and_missing_values_left_out():
    layout = AttributeLayout((2, 0))
    outputs = torch.tensor([[2.0, 0.0, 1.0, 0.0], [0.0, 2.0, -1.0, 0.0], [9.0, 0.0, 9.0, 0.0]])
    targets = torch.tensor([[0.0, 1.0], [1.0, -1.0], [torch.nan, torch.nan]])
    both = club_categorical(outputs[:2, :2].log_softmax(1), torch.tensor([0, 1]))
    both = both + club_gaussian(outputs[:2, 2], torch.zeros(2), targets[:2, 1])
    assert torch.allclose(club_of_attributes(layout, outputs, targets), both)
    flipped = torch.tensor([[1.0, -1.0], [0.0, 1.0], [torch.nan, torch.nan]])
    assert float(club_of_attributes(layout, outputs, flipped)) == 0.0  # never below zero
    assert float(club_of_attributes(layout, outputs, torch.full((3, 2), torch.nan))) == 0.0
