"""Minibatches: rows drawn with replacement, the one way in which every training draws them."""

import torch
from torch import Tensor


def drawn(rows: Tensor, *shape: int) -> Tensor:
    """Return row numbers drawn from `rows` with replacement, by torch's own randomness on their device.

    Examples
    --------
    >>> drawn(torch.tensor([7, 7]), 2, 3).tolist()
    [[7, 7, 7], [7, 7, 7]]
    """
    return rows[torch.randint(len(rows), shape, device=rows.device)]
