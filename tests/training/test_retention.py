import math

import pytest
import torch

from withhold.training.releasing import RecoveredCells, variational_retention


def test_cells_count_in_units_of_their_entropy():
    cells = torch.tensor([[0, 1], [1, 2]])
    weights = [1 / math.log(2), 1 / math.log(3)]
    assert float(variational_retention(torch.zeros(2, 5), cells, (2, 3), weights)) == pytest.approx(1.0)
    assert float(variational_retention(torch.zeros(2, 5), cells, (2, 3), weights, total=True)) == pytest.approx(2.0)
    sure = torch.tensor([[30.0, 0, 0, 30.0, 0], [0, 30.0, 0, 0, 30.0]])
    assert float(variational_retention(sure, cells, (2, 3), weights)) == pytest.approx(0.0, abs=1e-6)


def test_constant_columns_do_not_count():
    assert float(variational_retention(torch.randn(3, 2), torch.zeros(3, 1).long(), (2,), [0.0])) == 0.0


def test_the_reading_network_learns_what_the_release_tells():
    torch.manual_seed(0)
    cells = torch.randint(3, (300, 1))
    lost = RecoveredCells((3, 16, 3), cells, (3,), [1 / math.log(3)])
    Y, rows = torch.nn.functional.one_hot(cells[:, 0], 3).float(), torch.arange(300)
    adam = torch.optim.Adam(lost.parameters(), 1e-2)
    for _ in range(150):
        adam.zero_grad()
        lost(Y, rows).backward()
        adam.step()
    assert lost(Y, rows).item() < 0.1
    assert lost(torch.zeros_like(Y), rows).item() > 0.9
