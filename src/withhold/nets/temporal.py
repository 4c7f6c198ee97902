"""A small convolutional network for windows of sensor signals: cheap enough for one core."""

import torch
from torch import Tensor, nn

# Samples after the first layer, at most: longer windows get wider first filters with larger steps.
SAMPLES = 128
# Stretches of time whose features are averaged apart.
STRETCHES = 4


class Temporal(nn.Module):
    """Three convolutions along time, then averages over stretches beside the largest value anywhere, then two layers.

    Parameters
    ----------
    shape : tuple of int
        Channels and samples of a window.
    outputs : int
        Numbers returned for each window.
    width : int, default=24
        Filters of the first layer; later ones have twice as many.

    Examples
    --------
    >>> Temporal((3, 100), 8)(torch.zeros(5, 3, 100)).shape
    torch.Size([5, 8])
    """

    def __init__(self, shape: tuple[int, int], outputs: int, *, width: int = 24) -> None:
        super().__init__()
        channels, samples = shape
        step, wide = max(1, -(-samples // SAMPLES)), 2 * width
        self.stem = nn.Conv1d(channels, width, 4 * step + 1, stride=step, padding=2 * step)
        self.middle = nn.Conv1d(width, wide, 5, padding=2)
        self.deep = nn.Conv1d(wide, wide, 5, padding=2)
        self.pool = nn.MaxPool1d(2, ceil_mode=True)
        self.stretches = nn.AdaptiveAvgPool1d(STRETCHES)
        self.hidden = nn.Linear(wide * (STRETCHES + 1), 2 * wide)
        self.head = nn.Linear(2 * wide, outputs)

    def forward(self, windows: Tensor) -> Tensor:
        """Return `outputs` numbers for windows of shape (n, channels, samples)."""
        x = self.pool(torch.relu(self.stem(windows)))
        x = self.pool(torch.relu(self.middle(x)))
        x = torch.relu(self.deep(x))
        features = torch.cat([self.stretches(x).flatten(1), x.amax(dim=2)], dim=1)
        out: Tensor = self.head(torch.relu(self.hidden(features)))
        return out
