"""The steps of a flow: affine couplings, the networks inside them, and orthonormal maps without parameters."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

CLAMP = 1.5  # |log-scale| of one step, before the mean is taken off; larger ones blow up the inverse far from the data


class Coupling(nn.Module):
    """Scale and shift the first half given the second, then the second given the new first.

    Parameters
    ----------
    first, second : nn.Module
        Networks of the two steps. ``first(b, labels)`` returns the log-scales and shifts of the first half, as
        twice its channels; ``second`` those of the second half.
    channels : int
        Of the whole; the first half has ``channels // 2``.
    volume_preserving : bool, default=True
        GIN: the log-determinant is zero. Else Glow's affine coupling.
    clamp : float, default=1.5
        Bound of the log-scales: ``clamp * tanh(s / clamp)``.

    Examples
    --------
    >>> from withhold.methods.cadp.couplings import DenseSubnet
    >>> block = Coupling(DenseSubnet(3, 8, 4), DenseSubnet(2, 8, 6), channels=5)
    >>> x = torch.arange(10.0).reshape(2, 5)
    >>> z, logdet = block(x, None)
    >>> torch.equal(block.inverse(z, None), x), logdet.tolist()
    (True, [0.0, 0.0])
    """

    def __init__(
        self,
        first: nn.Module,
        second: nn.Module,
        *,
        channels: int,
        volume_preserving: bool = True,
        clamp: float = CLAMP,
    ) -> None:
        super().__init__()
        self.first, self.second = first, second
        self.sizes = [channels // 2, channels - channels // 2]
        self.volume_preserving, self.clamp = volume_preserving, clamp

    def forward(self, x: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the output and the log-determinant of each record."""
        a, b = torch.split(x, self.sizes, dim=1)
        scale, shift = self._terms(self.first(b, labels))
        a = torch.addcmul(shift, a, scale.exp())
        other, shift = self._terms(self.second(a, labels))
        b = torch.addcmul(shift, b, other.exp())
        out = torch.cat((a, b), dim=1)
        if self.volume_preserving:
            return out, x.new_zeros(len(x))
        return out, scale.flatten(1).sum(dim=1) + other.flatten(1).sum(dim=1)

    def inverse(self, z: Tensor, labels: Tensor | None) -> Tensor:
        """Undo `forward`."""
        a, b = torch.split(z, self.sizes, dim=1)
        scale, shift = self._terms(self.second(a, labels))
        b = (b - shift) * torch.exp(-scale)
        scale, shift = self._terms(self.first(b, labels))
        a = (a - shift) * torch.exp(-scale)
        return torch.cat((a, b), dim=1)

    def _terms(self, raw: Tensor) -> tuple[Tensor, Tensor]:
        scale, shift = raw.chunk(2, dim=1)
        scale = self.clamp * torch.tanh(scale / self.clamp)
        return (scale - scale.mean(dim=1, keepdim=True) if self.volume_preserving else scale), shift


class Permutation(nn.Module):
    """A fixed order of channels, drawn by a generator of its own.

    Parameters
    ----------
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


class DenseSubnet(nn.Module):
    """Two hidden layers on vectors; the class enters as a bias of the first.

    The last layer starts at zero, so that a coupling starts as the identity.

    Parameters
    ----------
    classes : int
        0 for none.

    Examples
    --------
    >>> net = DenseSubnet(3, 8, 4, classes=2)
    >>> net(torch.ones(5, 3), torch.zeros(5, dtype=torch.long)).abs().sum().item()
    0.0
    """

    def __init__(self, inputs: int, hidden: int, outputs: int, classes: int = 0) -> None:
        super().__init__()
        self.first, self.middle = nn.Linear(inputs, hidden), nn.Linear(hidden, hidden)
        self.last = _silent(nn.Linear(hidden, outputs))
        self.of_class = _class_bias(classes, hidden)

    def forward(self, x: Tensor, labels: Tensor | None) -> Tensor:
        """Return (n, outputs) from x (n, inputs) and labels (n,)."""
        h = self.first(x)
        if self.of_class is not None:
            h = h + self.of_class(labels)
        out: Tensor = self.last(torch.relu(self.middle(torch.relu(h))))
        return out


class ConvolutionalSubnet(nn.Module):
    """Convolutions of sides 3, 1 and 3 on images; the class enters as a bias of the first.

    Parameters
    ----------
    inputs, hidden, outputs : int
        Channels.
    classes : int
        0 for none.

    Examples
    --------
    >>> ConvolutionalSubnet(2, 8, 4)(torch.ones(5, 2, 6, 6), None).shape
    torch.Size([5, 4, 6, 6])
    """

    def __init__(self, inputs: int, hidden: int, outputs: int, classes: int = 0) -> None:
        super().__init__()
        self.first, self.middle = nn.Conv2d(inputs, hidden, 3, padding=1), nn.Conv2d(hidden, hidden, 1)
        self.last = _silent(nn.Conv2d(hidden, outputs, 3, padding=1))
        self.of_class = _class_bias(classes, hidden)

    def forward(self, x: Tensor, labels: Tensor | None) -> Tensor:
        """Return (n, outputs, h, w) from x (n, inputs, h, w) and labels (n,)."""
        h = self.first(x)
        if self.of_class is not None:
            h = h + self.of_class(labels)[:, :, None, None]
        out: Tensor = self.last(torch.relu(self.middle(torch.relu(h))))
        return out


def _class_bias(classes: int, width: int) -> nn.Embedding | None:
    """Return a table of one row a class. A table, not a bare parameter, so that per-sample gradients are known."""
    if not classes:
        return None
    table = nn.Embedding(classes, width)
    nn.init.zeros_(table.weight)
    return table


def _silent(layer: Any) -> Any:
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
