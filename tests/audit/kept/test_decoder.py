"""Reading columns back: what is there is found, what is not costs no more than chance."""

import numpy as np
import torch

from withhold.audit.kept.decoder import decode


def test_linear_and_interacting_columns_are_read_and_noise_is_not():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 3)).astype(np.float32)
    cells = np.column_stack([x[:, 0] > 0, (x[:, 0] > 0) ^ (x[:, 1] > 0), rng.integers(0, 2, 2000)]).astype(int)
    found = decode(x, cells, [2, 2, 2], np.arange(1500), np.arange(1500, 2000), 10, 0).mean(axis=0)
    assert found[0] > -0.15
    assert found[1] > -0.4
    assert -0.75 < found[2] < -0.69  # ln 2, and little paid for over-fitting


def test_global_stream_is_left_alone_and_seed_decides():
    x = np.random.default_rng(1).normal(size=(300, 2)).astype(np.float32)
    cells = (x[:, :1] > 0).astype(int)
    torch.manual_seed(0)
    before = torch.random.get_rng_state()
    one, two = (decode(x, cells, [2], np.arange(200), np.arange(200, 300), 1, 7) for _ in range(2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert np.array_equal(one, two)
