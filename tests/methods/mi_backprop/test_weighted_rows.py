import numpy as np
import torch

from withhold.methods.mi_backprop.weighted_rows import WeightedRows

CPU = torch.device("cpu")


def test_draws_are_in_proportion_and_only_of_the_rows():
    torch.manual_seed(0)
    weights = np.array([5.0, 1.0, 9.0, 3.0, 0.0])
    drawn = WeightedRows(np.array([1, 3, 4]), CPU, weights).draw(20_000).numpy()
    counts = np.bincount(drawn, minlength=5) / len(drawn)
    assert counts[[0, 2, 4]].sum() == 0
    assert abs(counts[3] - 0.75) < 0.02


def test_without_weights_all_rows_are_alike():
    torch.manual_seed(0)
    rows = WeightedRows(np.arange(10, 14), CPU)
    assert len(rows) == 4
    assert set(rows.draw(200).tolist()) == {10, 11, 12, 13}
    assert sorted(rows.some(9).tolist()) == [10, 11, 12, 13]
    assert len(WeightedRows(np.arange(10), CPU, np.ones(10)).some(4)) == 4
