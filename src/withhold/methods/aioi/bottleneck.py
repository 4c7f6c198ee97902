"""A filter of images through a narrow, noisy code: what does not fit through it is not passed on.

A U-Net carries every edge across at full resolution, and a game has to find and blur them all. Here a record becomes
some tens of numbers of at most unit variance, noise is added to them, and the release is drawn from those alone.
So an attacker of the release knows no more than one of the code, which is small: adversaries that read the code are
quickly trained, and need not be convolutional.
"""

import math
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.methods.aioi.filters import Filter, OutputNoise

COARSEST = 8  # poolings are added until the longer side has at most so many cells
WIDEST = 4  # features of a level, in units of the finest level's
DARK = -2.0  # logit of a pixel that nothing is known of


class Bottleneck(Filter):
    """y = decoder(encoder(x) + scale z).

    Parameters
    ----------
    shape : tuple of int
        Of one record, channels last: (height, width) or (height, width, channels).
    dimensions : int, default=32
        Numbers in the code.
    scale : float, default=0.35
        Standard deviation of the noise, where those of the code are at most 1.
    width : int, default=16
        Features of the finest level.
    bounded : bool, default=True
        Whether pixels lie in [0, 1]; outputs then do.

    Examples
    --------
    >>> net = Bottleneck((27, 30, 3), dimensions=5, width=4)
    >>> H, noise = torch.rand(2, net.width), torch.zeros(2, net.noise_width)
    >>> net.code(H, noise).shape, net(H, noise).shape
    (torch.Size([2, 5]), torch.Size([2, 2430]))
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        *,
        dimensions: int = 32,
        scale: float = 0.35,
        width: int = 16,
        bounded: bool = True,
    ) -> None:
        super().__init__()
        self.shape = (shape[0], shape[1], shape[2] if len(shape) > 2 else 1)
        self.width = math.prod(self.shape)
        self.encoder = OutputNoise(_Encoder(self.shape, dimensions, width), scale)
        self.decoder = _Decoder(self.shape, dimensions, width, bounded)
        self.code_width, self.noise_width = dimensions, self.encoder.noise_width
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def code(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return noisy codes (n, dimensions)."""
        out: Tensor = self.encoder(H, noise)
        return out

    def decoded(self, code: Tensor) -> Tensor:
        """Return rows (n, width) drawn from codes."""
        out: Tensor = self.decoder(code)
        return out

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return filtered rows (n, width)."""
        return self.decoded(self.code(H, noise))

    def settle(self, H: Tensor) -> None:
        """Take the spread of the codes over all of `H`."""
        self.encoder.settle(H)


class _Encoder(Filter):
    noise_width = 0

    def __init__(self, shape: tuple[int, int, int], dimensions: int, width: int) -> None:
        super().__init__()
        self.shape, self.width = shape, dimensions
        sides, features = _levels(shape, width)
        self.first = nn.Conv2d(4 * shape[2], features[0], 3, padding=1)
        self.down = nn.ModuleList(nn.Conv2d(fine, low, 3, stride=2, padding=1) for fine, low in pairwise(features))
        self.last = nn.Linear(features[-1] * math.prod(sides[-1]), dimensions)

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        height, across, channels = self.shape
        images = H.view(-1, height, across, channels).permute(0, 3, 1, 2)
        if height % 2 or across % 2:
            images = functional.pad(images, (0, across % 2, 0, height % 2), mode="replicate")
        x = functional.pixel_unshuffle(images, 2).contiguous(memory_format=torch.channels_last)
        x = functional.leaky_relu(self.first(x), SLOPE)
        for layer in self.down:
            x = functional.leaky_relu(layer(x), SLOPE)
        out: Tensor = self.last(x.flatten(1))
        return out


class _Decoder(nn.Module):
    def __init__(self, shape: tuple[int, int, int], dimensions: int, width: int, bounded: bool) -> None:
        super().__init__()
        self.shape, self.bounded = shape, bounded
        self.sides, self.features = _levels(shape, width)
        self.first = nn.Linear(dimensions, self.features[-1] * math.prod(self.sides[-1]))
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(low, fine, 4, stride=2, padding=1) for low, fine in pairwise(reversed(self.features))
        )
        self.head = nn.Conv2d(self.features[0], 4 * shape[2], 3, padding=1)
        if bounded:
            nn.init.constant_(self.head.bias, DARK)  # type: ignore[arg-type]

    def forward(self, code: Tensor) -> Tensor:
        height, across, _ = self.shape
        x = functional.leaky_relu(self.first(code), SLOPE).view(-1, self.features[-1], *self.sides[-1])
        x = x.contiguous(memory_format=torch.channels_last)
        for layer, (tall, wide) in zip(self.up, self.sides[-2::-1], strict=True):
            x = functional.leaky_relu(layer(x), SLOPE)[:, :, :tall, :wide]
        images = functional.pixel_shuffle(self.head(x), 2)[:, :, :height, :across]
        out = images.permute(0, 2, 3, 1).reshape(len(code), -1)
        return torch.sigmoid(out) if self.bounded else out


SLOPE = 0.1  # of the leaky rectifier


def _levels(shape: tuple[int, int, int], width: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the sides and the features of each level, the finest first: blocks of 2 x 2 pixels, then halves."""
    sides = [(-(-shape[0] // 2), -(-shape[1] // 2))]
    while max(sides[-1]) > COARSEST:
        sides.append((-(-sides[-1][0] // 2), -(-sides[-1][1] // 2)))
    return sides, [width * min(WIDEST, 2**level) for level in range(len(sides))]
