"""Stochastic filters: maps of a record and of noise to a record of the same domain, y = q(x, z).

All noise is an argument, standard normal and one row a record, so that training can draw it afresh and a release can
derive it from a key. Records are flat rows.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from withhold.nets.perceptron import Perceptron


class Filter(nn.Module):
    """A filter of rows.

    Attributes
    ----------
    width : int
        Numbers in a record.
    noise_width : int
        Standard normal values that `forward` takes for each record.
    code_width : int or None
        Numbers in a code that the release is computed from; None where there is none but the release.
    """

    width: int
    noise_width: int
    code_width: int | None = None

    def settle(self, H: Tensor) -> None:
        """Replace running estimates by exact ones over the rows `H`; nothing by default."""

    def code(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return all that the release is computed from: the release itself by default."""
        out: Tensor = self(H, noise)
        return out

    def decoded(self, code: Tensor) -> Tensor:
        """Return the release of `code`, which is a function of nothing else."""
        return code


class LinearFilter(Filter):
    """y = A x + b, starting from the identity.

    Examples
    --------
    >>> LinearFilter(3)(torch.ones(2, 3), torch.zeros(2, 0)).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """

    noise_width = 0

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.map = nn.Linear(width, width)
        nn.init.eye_(self.map.weight)
        nn.init.zeros_(self.map.bias)

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return filtered rows (n, width)."""
        out: Tensor = self.map(H)
        return out


class PerceptronFilter(Filter):
    """y = gate * x + perceptron(x, z): at first nearly the identity, and as random as it needs to be.

    Parameters
    ----------
    hidden : sequence of int
        Widths of the hidden layers.
    noise_inputs : int, default=2
        Normal values among the inputs.

    Examples
    --------
    >>> net = PerceptronFilter(3, (8,), noise_inputs=2)
    >>> net(torch.ones(5, 3), torch.zeros(5, net.noise_width)).shape
    torch.Size([5, 3])
    """

    def __init__(self, width: int, hidden: Sequence[int], *, noise_inputs: int = 2) -> None:
        super().__init__()
        self.width, self.noise_width = width, noise_inputs
        self.gate = nn.Parameter(torch.ones(width))
        self.net = Perceptron((width + noise_inputs, *hidden, width))

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return filtered rows (n, width)."""
        out: Tensor = self.gate * H + self.net(torch.cat([H, noise], dim=-1))
        return out


class OutputNoise(Filter):
    """A filter whose outputs get Gaussian noise that it cannot switch off.

    Were outputs free to grow, noise of a fixed size would be lost in them. Bounded outputs (pixels in [0, 1]) are
    clipped after the noise; others are divided, column by column, by their standard deviation where it exceeds 1.

    Parameters
    ----------
    scale : float
        Standard deviation of the noise.
    bounded : bool, default=False
        Whether records lie in [0, 1].

    Examples
    --------
    >>> net = OutputNoise(LinearFilter(2), 0.5, bounded=True)
    >>> net(torch.ones(1, 2), torch.tensor([[-1.0, 1.0]])).tolist()
    [[0.5, 1.0]]
    """

    def __init__(self, inner: Filter, scale: float, *, bounded: bool = False) -> None:
        super().__init__()
        self.inner, self.scale, self.bounded = inner, scale, bounded
        self.width = inner.width
        self.noise_width = inner.noise_width + (inner.width if scale else 0)
        self.limit = None if bounded or not scale else nn.BatchNorm1d(inner.width, affine=False)

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return filtered rows (n, width), noise included."""
        inner = self.inner.noise_width
        out: Tensor = self.inner(H, noise[:, :inner])
        if self.limit is not None:
            out = self._limited(out, self.limit)
        if self.scale:
            out = out + self.scale * noise[:, inner:]
        return out.clamp(0, 1) if self.bounded else out

    def _limited(self, out: Tensor, limit: nn.BatchNorm1d) -> Tensor:
        if limit.running_var is None:
            return out
        if self.training and len(out) > 1:
            limit(out.detach())  # keeps the running moments
            variance = out.var(dim=0, correction=0)
        else:
            variance = limit.running_var
        return out / variance.clamp(min=1).sqrt()

    @torch.no_grad()
    def settle(self, H: Tensor, chunk: int = 8192) -> None:
        """Take the spread of the outputs over all of `H`, with one draw of the inner noise."""
        if self.limit is None or self.limit.running_var is None:
            return
        generator = torch.Generator().manual_seed(0)  # moments need no secret, and must not depend on what ran before
        noise = torch.randn(len(H), self.inner.noise_width, generator=generator).to(H)
        outputs = [self.inner(*part) for part in zip(torch.split(H, chunk), torch.split(noise, chunk), strict=True)]
        self.limit.running_var.copy_(torch.cat(outputs).double().var(dim=0, correction=0))


class NoisyRepresentation(Filter):
    """A perceptron of fixed scale whose outputs get noise; no filter in the strict sense, for it changes the domain.

    Parameters
    ----------
    features : int
        Width of a record.
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
