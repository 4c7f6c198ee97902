"""Orthonormal maps without parameters: fixed permutations, the Haar wavelet, reshaping. Log-determinant zero."""

import numpy as np
import torch
from torch import Tensor, nn


class Permutation(nn.Module):
    """A fixed order of channels, drawn by a generator of its own.

    Parameters
    ----------
    channels : int
    seed : int
        Of this permutation; no global generator is touched.

    Examples
    --------
    >>> mix, x = Permutation(6, seed=1), torch.arange(12.0).reshape(2, 6)
    >>> torch.equal(mix.inverse(mix(x, None)[0], None), x)
    True
    """

    order: Tensor
    back: Tensor

    def __init__(self, channels: int, seed: int) -> None:
        super().__init__()
        order = np.random.default_rng(seed).permutation(channels)
        self.register_buffer("order", torch.from_numpy(order))
        self.register_buffer("back", torch.from_numpy(np.argsort(order)))

    def forward(self, x: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the channels in the new order, and zeros."""
        return x.index_select(1, self.order), x.new_zeros(len(x))

    def inverse(self, z: Tensor, labels: Tensor | None) -> Tensor:
        """Undo `forward`."""
        return z.index_select(1, self.back)


class Haar(nn.Module):
    """The orthonormal Haar wavelet: each 2 x 2 block of a channel becomes its mean and three differences.

    Examples
    --------
    >>> x = torch.arange(32.0).reshape(1, 2, 4, 4)
    >>> z, _ = Haar()(x, None)
    >>> z.shape, bool(torch.isclose(z.norm(), x.norm())), torch.equal(Haar().inverse(z, None), x)
    (torch.Size([1, 8, 2, 2]), True, True)
    """

    def forward(self, x: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return (n, 4c, h/2, w/2) from x (n, c, h, w), and zeros."""
        top, low = x[:, :, 0::2], x[:, :, 1::2]
        total, across = top + low, top - low
        parts = [part[..., 0::2] + sign * part[..., 1::2] for part in (total, across) for sign in (1, -1)]
        return torch.cat(parts, dim=1) / 2, x.new_zeros(len(x))

    def inverse(self, z: Tensor, labels: Tensor | None) -> Tensor:
        """Undo `forward`: the wavelet is its own inverse."""
        a, b, c, d = z.chunk(4, dim=1)
        total = torch.stack((a + b, a - b), dim=-1).flatten(-2)
        across = torch.stack((c + d, c - d), dim=-1).flatten(-2)
        return torch.stack((total + across, total - across), dim=-2).flatten(-3, -2) / 2


class Reshape(nn.Module):
    """Records of one shape as records of another, such as images as vectors.

    Parameters
    ----------
    before, after : tuple of int
        Shapes of one record.

    Examples
    --------
    >>> Reshape((4,), (1, 2, 2))(torch.zeros(3, 4), None)[0].shape
    torch.Size([3, 1, 2, 2])
    """

    def __init__(self, before: tuple[int, ...], after: tuple[int, ...]) -> None:
        super().__init__()
        self.before, self.after = before, after

    def forward(self, x: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the reshaped records, and zeros."""
        return x.reshape(-1, *self.after), x.new_zeros(len(x))

    def inverse(self, z: Tensor, labels: Tensor | None) -> Tensor:
        """Undo `forward`."""
        return z.reshape(-1, *self.before)
