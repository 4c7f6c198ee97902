"""A small U-Net with noise: images to images of the same size, coarse decisions below and fine detail across.

The finest level works on blocks of 2 x 2 pixels, which costs a quarter of a level on pixels and loses none.
"""

import math
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.methods.aioi.filters import Filter

MULTIPLE = 4  # sides are padded to it, so that blocks and the first pooling divide them
NEAR = 0.02  # a black or white pixel starts this far from the bound, where the sigmoid still has slope
COARSEST = 16  # further poolings are added until the longer side has at most so many cells


class UNet(Filter):
    """y = squash(x + u(x, z)), where u is 0 at first.

    The noise enters at the coarsest level, as planes beside its features.

    Parameters
    ----------
    shape : tuple of int
        Of one record, channels last: (height, width) or (height, width, channels).
    width : int, default=16
        Features of the finest level; they double with every pooling.
    noise_planes : int, default=4
    bounded : bool, default=True
        Whether pixels lie in [0, 1]; outputs then do.

    Examples
    --------
    >>> net = UNet((27, 30, 3), width=4)
    >>> out = net(torch.full((2, net.width), 0.5), torch.zeros(2, net.noise_width))
    >>> out.shape, round(out.mean().item(), 2)
    (torch.Size([2, 2430]), 0.5)
    """

    def __init__(self, shape: tuple[int, ...], *, width: int = 16, noise_planes: int = 4, bounded: bool = True) -> None:
        super().__init__()
        self.shape = (shape[0], shape[1], shape[2] if len(shape) > 2 else 1)
        self.bounded = bounded
        height, across, channels = self.shape
        self.width = height * across * channels
        self.sides = [(-(-height // MULTIPLE) * MULTIPLE // 2, -(-across // MULTIPLE) * MULTIPLE // 2)]
        while len(self.sides) < 2 or max(self.sides[-1]) > COARSEST:
            self.sides.append((-(-self.sides[-1][0] // 2), -(-self.sides[-1][1] // 2)))
        self.planes = noise_planes
        self.noise_width = noise_planes * math.prod(self.sides[-1])
        features = [width * 2**level for level in range(len(self.sides))]
        self.down = nn.ModuleList([_block(4 * channels, features[0])])
        for level in range(1, len(features)):
            extra = noise_planes if level == len(features) - 1 else 0
            self.down.append(_block(features[level - 1] + extra, features[level]))
        self.up = nn.ModuleList(_block(low + high, low) for low, high in pairwise(features))
        self.head = nn.Conv2d(width, 4 * channels, 1)
        for parameter in self.head.parameters():
            nn.init.zeros_(parameter)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        """Return filtered rows (n, width)."""
        height, across, channels = self.shape
        images = H.view(-1, height, across, channels).permute(0, 3, 1, 2)
        change = self._change(images, noise).permute(0, 2, 3, 1).reshape(len(H), self.width)
        return torch.sigmoid(torch.logit(H.clamp(NEAR, 1 - NEAR)) + change) if self.bounded else H + change

    def _change(self, images: Tensor, noise: Tensor) -> Tensor:
        height, across, _ = self.shape
        below, right = -height % MULTIPLE, -across % MULTIPLE
        padded = functional.pad(images, (0, right, 0, below), mode="replicate") if below or right else images
        x = functional.pixel_unshuffle(padded, 2).contiguous(memory_format=torch.channels_last)
        kept = []
        for level, block in enumerate(self.down):
            if level:
                kept.append(x)
                x = functional.max_pool2d(x, 2, ceil_mode=True)
                if level == len(self.down) - 1 and self.planes:
                    x = torch.cat([x, noise.view(-1, self.planes, *self.sides[-1])], dim=1)
            x = block(x)
        for block, finer in zip(reversed(self.up), reversed(kept), strict=True):
            x = block(torch.cat([functional.interpolate(x, size=finer.shape[2:]), finer], dim=1))
        out: Tensor = functional.pixel_shuffle(self.head(x), 2)
        return out[:, :, :height, :across]


def _block(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.LeakyReLU(0.1),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.LeakyReLU(0.1),
    )
