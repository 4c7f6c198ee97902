import math

import numpy as np
import torch

from withhold.nets.attribute_density import AttributeLayout
from withhold.training.adversary import Calibration, CrossFittedAdversary, FoldedRows


def test_a_member_never_learns_from_the_rows_it_judges():
    folds = np.array([0, 1, 2, 0, 1, 2, -1, 0])
    rows = FoldedRows(folds, torch.device("cpu"))
    learned, judged = rows.learned(200), rows.judged(200)
    for i in range(3):
        assert set(folds[judged[i]]) == {i}
        assert set(folds[learned[i]]) == {0, 1, 2} - {i}


def test_one_member_learns_from_the_rows_it_judges():
    rows = FoldedRows(np.array([0, 0, -1]), torch.device("cpu"))
    assert set(rows.learned(50).flatten().tolist()) == set(rows.judged(50).flatten().tolist()) == {0, 1}


def test_side_task_feeds_the_head():
    plain = CrossFittedAdversary(AttributeLayout((2,)), dimensions=3, members=2, hidden=8)
    aided = CrossFittedAdversary(AttributeLayout((2,)), dimensions=3, members=2, hidden=8, side=5)
    Z = torch.randn(2, 4, 3)
    assert plain.outputs(Z)[1] is None
    outputs, recovered = aided.outputs(Z)
    assert outputs.shape == (2, 4, 2)
    assert recovered is not None
    assert recovered.shape == (2, 4, 5)
    outputs.sum().backward()
    assert aided.recover is not None
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in aided.recover.weights)


def test_calibration_undoes_over_confidence():
    """Logits four times too large: the fitted scale is about a quarter, and the cross-entropy that of the truth."""
    generator = torch.Generator().manual_seed(0)
    true = torch.randn(1, 4000, 1, generator=generator)
    codes = torch.bernoulli(torch.sigmoid(true), generator=generator)
    outputs = torch.cat([torch.zeros_like(true), 4 * true], dim=-1)
    layout = AttributeLayout((2,))
    calibration = Calibration(layout, 1)
    adam = torch.optim.Adam(calibration.parameters(), 0.05)
    before = float(layout.log_density(outputs, codes).mean())
    for _ in range(150):
        adam.zero_grad()
        loss = -layout.log_density(calibration(outputs), codes).mean()
        loss.backward()
        adam.step()
    assert abs(float(calibration.log_scale.detach()) - math.log(0.25)) < 0.15
    assert -float(loss.detach()) > before + 0.2


def test_calibration_of_a_number_widens_an_over_confident_variance():
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(1, 4000, 1, generator=generator)
    outputs = torch.stack([torch.zeros(1, 4000), torch.full((1, 4000), -3.0)], dim=-1)
    layout = AttributeLayout((0,))
    calibration = Calibration(layout, 1)
    adam = torch.optim.Adam(calibration.parameters(), 0.1)
    for _ in range(150):
        adam.zero_grad()
        (-layout.log_density(calibration(outputs), values).mean()).backward()
        adam.step()
    assert abs(float(calibration.shift.detach()) - 3.0) < 0.2
