"""Row numbers from which batches are drawn with replacement, all alike or by weight."""

import numpy as np
import torch
from torch import Tensor

from withhold.training.batches import drawn


class WeightedRows:
    """Rows on the device and how often each is drawn.

    Parameters
    ----------
    weights : ndarray of shape (n_rows_in_all,), optional
        Draws are in proportion; without it all rows are alike.

    Examples
    --------
    >>> rows = WeightedRows(np.array([3, 5]), torch.device("cpu"), np.array([9, 9, 9, 0.0, 9, 1.0]))
    >>> rows.draw(4).tolist()
    [5, 5, 5, 5]
    """

    def __init__(self, rows: np.ndarray, device: torch.device, weights: np.ndarray | None = None) -> None:
        self.rows = torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(device)
        self._cumulated: Tensor | None = None
        if weights is not None:
            shares = np.cumsum(np.asarray(weights, dtype=np.float64)[rows])
            kind = torch.float32 if device.type == "mps" else torch.float64
            self._cumulated = torch.from_numpy(shares / shares[-1]).to(device=device, dtype=kind)

    def __len__(self) -> int:
        return len(self.rows)

    def draw(self, size: int) -> Tensor:
        """Draw `size` rows with replacement."""
        device = self.rows.device
        if self._cumulated is None:
            return drawn(self.rows, size)
        points = torch.rand(size, device=device, dtype=self._cumulated.dtype)
        found = torch.searchsorted(self._cumulated, points, right=True)
        return self.rows[found.clamp(max=len(self.rows) - 1)]

    def some(self, size: int) -> Tensor:
        """Return at most `size` rows, without repeats where all are alike."""
        if self._cumulated is not None:
            return self.draw(min(size, len(self.rows)))
        return self.rows[torch.randperm(len(self.rows), device=self.rows.device)[:size]]
