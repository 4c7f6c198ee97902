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
        self.records, self.naturalness = records, naturalness
        self.width = channel.width if channel.code_width is None else channel.code_width
        self.channel, self.utility, self.kept = channel, utility, kept

    def release(self, rows: Tensor) -> Tensor:
        """Return what adversaries read of the rows, with fresh noise: the code, where the filter has one.

        The filtered rows are computed from the code alone, so they tell no more than it does.
        """
        H = self.records.H[rows]
        noise = torch.randn(len(H), self.channel.noise_width, device=H.device, dtype=H.dtype)
        return self.channel.code(H, noise)

    def filtered(self, rows: Tensor) -> Tensor:
        """Return the filtered rows, with fresh noise."""
        return self.channel.decoded(self.release(rows))

    def move(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return what adversaries read of the rows, and what the filtered rows lose."""
        code = self.release(rows)
        Y = self.channel.decoded(code)
        lost = self.utility(Y, rows)
        if self.naturalness:
            lost = lost + self.naturalness * (Y - self.records.H[rows]).square().mean()
        if self.kept is not None:
            lost = lost + self.kept(Y, rows)
        return code, lost

    def settle(self) -> None:
        """Give the filter the exact spread of its outputs."""
        self.channel.settle(self.records.H)


def frozen(module: nn.Module, device: torch.device | None = None) -> Callable[[Tensor], Tensor]:
    """Return a copy of `module` as a function: no optimiser finds it, and it stays as it is, dropout switched off."""
    own = copy.deepcopy(module).to(device).eval().requires_grad_(False)
    return lambda rows: own(rows)
