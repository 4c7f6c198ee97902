"""The side that filters records: a stochastic filter, what its release loses, and how far it is from the records."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor, nn

from withhold.nets.filters import Filter
from withhold.training.recipe import Records
from withhold.training.releasing import Releasing


class Filtering(Releasing):
    """A filter of records to their own domain, with the loss of utility it is trained on.

    Parameters
    ----------
    records : Records
    channel : Filter
    utility : callable
        (release, rows) -> what the release of the rows loses. A module is trained with the filter; what must stay fixed
        is handed in as a function.
    naturalness : float, default=0.0
        Weight of the mean squared change, in units of the records.
    kept : callable, optional
        (release, rows) -> what else the release loses; trained with the filter if it is a module.
    """

    def __init__(
        self,
        records: Records,
        channel: Filter,
        utility: Callable[[Tensor, Tensor], Tensor],
        naturalness: float = 0.0,
        kept: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.records, self.naturalness, self.width = records, naturalness, channel.width
        self.channel, self.utility, self.kept = channel, utility, kept

    def release(self, rows: Tensor) -> Tensor:
        """Return the filtered rows, with fresh noise."""
        H = self.records.H[rows]
        noise = torch.randn(len(H), self.channel.noise_width, device=H.device, dtype=H.dtype)
        out: Tensor = self.channel(H, noise)
        return out

    def move(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the filtered rows and what they lose."""
        Y = self.release(rows)
        lost = self.utility(Y, rows)
        if self.naturalness:
            lost = lost + self.naturalness * (Y - self.records.H[rows]).square().mean()
        if self.kept is not None:
            lost = lost + self.kept(Y, rows)
        return Y, lost

    def settle(self) -> None:
        """Give the filter the exact spread of its outputs."""
        self.channel.settle(self.records.H)


def frozen(module: nn.Module, device: torch.device | None = None) -> Callable[[Tensor], Tensor]:
    """Return a copy of `module` as a function: no optimiser finds it, and it stays as it is, dropout switched off."""
    own = copy.deepcopy(module).to(device).eval().requires_grad_(False)
    return lambda rows: own(rows)
