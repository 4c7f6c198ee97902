"""A representation that cannot hide what it tells below its noise: outputs of unit variance, then Gaussian noise."""

from collections.abc import Sequence

from torch import Tensor

from withhold.nets.filters import Filter
from withhold.nets.perceptron import Perceptron


class NoisyRepresentation(Filter):
    """A perceptron of fixed scale whose outputs get noise; no filter in the strict sense, for it changes the domain.

    Parameters
    ----------
    features : int
        Width of a record.
    hidden : sequence of int
    width : int
        Dimensions of the representation.
    scale : float
        Standard deviation of the noise, in units of the outputs' own.

    Examples
    --------
    >>> import torch
    >>> net = NoisyRepresentation(5, (8,), 2, 0.6)
    >>> net(torch.randn(7, 5), torch.zeros(7, net.noise_width)).shape
    torch.Size([7, 2])
    """

    def __init__(self, features: int, hidden: Sequence[int], width: int, scale: float) -> None:
        super().__init__()
        self.width, self.noise_width, self.scale = width, width if scale else 0, scale
        self.encoder = Perceptron((features, *hidden, width), standardise=True)

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return representations (n, width)."""
        out: Tensor = self.encoder(H)
        return out + self.scale * noise if self.scale else out

    def settle(self, H: Tensor) -> None:
        """Give the encoder the exact moments of its outputs over `H`."""
        self.encoder.settle(H)
