"""Small convolutional networks, for images of any size and for windows of sensor signals: cheap enough for one core."""

import torch
from torch import Tensor, nn

# Sides of the grid after the first layer, at most: larger images get wider first filters with larger steps, so that
# what is learned at full resolution costs the same.
GRID = 16
# Regions whose features are averaged apart, along each side.
REGIONS = 3


class Convolutional(nn.Module):
    """Three convolutions, then averages over regions beside the largest value anywhere, then two layers.

    The averages say where something is; the largest value finds a mark wherever it stands.

    Parameters
    ----------
    shape : tuple of int
        Channels, height and width of an image.
    outputs : int
        Numbers returned for each image.
    width : int, default=16
        Filters of the first layer; later ones have twice as many.
    dropout : float, default=0.3
        Share of hidden units dropped in training.

    Examples
    --------
    >>> Convolutional((3, 40, 52), 2)(torch.zeros(5, 3, 40, 52)).shape
    torch.Size([5, 2])
    """

    def __init__(self, shape: tuple[int, int, int], outputs: int, *, width: int = 16, dropout: float = 0.3) -> None:
        super().__init__()
        channels, height, across = shape
        step = max(1, -(-max(height, across) // GRID))
        wide = 2 * width
        self.stem = nn.Conv2d(channels, width, 2 * step + 1, stride=step, padding=step)
        self.down = nn.Conv2d(width, wide, 3, stride=2, padding=1)
        self.deep = nn.Conv2d(wide, wide, 3, padding=1)
        self.regions = nn.AdaptiveAvgPool2d(REGIONS)
        self.hidden = nn.Linear(wide * (REGIONS * REGIONS + 1), 4 * wide)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(4 * wide, outputs)

    def forward(self, images: Tensor) -> Tensor:
        """Return `outputs` numbers for images of shape (n, channels, height, width)."""
        x = torch.relu(self.down(torch.relu(self.stem(images))))
        x = x + torch.relu(self.deep(x))
        features = torch.cat([self.regions(x).flatten(1), x.amax(dim=(2, 3))], dim=1)
        out: Tensor = self.head(self.dropout(torch.relu(self.hidden(self.dropout(features)))))
        return out


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
