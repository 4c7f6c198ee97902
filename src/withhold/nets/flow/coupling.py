"""Affine couplings: each half is scaled and shifted by what the other half says, which can be undone exactly.

Dinh et al. 2017 and Kingma & Dhariwal 2018 for the affine form, Sorrenson et al. 2020 for the one that preserves
volume: log-scales minus their mean over the channels sum to zero at every place.
"""

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
    >>> from withhold.nets.flow.subnets import DenseSubnet
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
