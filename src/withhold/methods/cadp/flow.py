"""The conditional normalising flow of CADP: records to standard normal latents given their class, and back."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn

from withhold.contracts.errors import NumericalError
from withhold.methods.cadp.couplings import (
    CLAMP,
    ConvolutionalSubnet,
    Coupling,
    DenseSubnet,
    Haar,
    Permutation,
    Reshape,
)

LARGEST = 8.0  # |log-scale|: a dimension that is constant in training must not become infinitely loud


class ClassGaussian(nn.Module):
    """z = (u - mean) / spread, with mean and spread of each dimension learned for each class.

    Couplings that preserve volume cannot make every dimension as wide as the prior; here is where its width is known
    (Sorrenson et al. 2020 use the spread of each class of the latents in the same way).

    Parameters
    ----------
    classes : int
        0 for none.

    Examples
    --------
    >>> last = ClassGaussian(3, classes=2)
    >>> u, labels = torch.ones(4, 3), torch.tensor([0, 1, 1, 0])
    >>> z, logdet = last(u, labels)
    >>> torch.equal(last.inverse(z, labels), u), logdet.abs().tolist()
    (True, [0.0, 0.0, 0.0, 0.0])
    """

    def __init__(self, dimensions: int, classes: int = 0) -> None:
        super().__init__()
        self.classes = classes
        # Tables, not bare parameters: per-sample gradients are known for them.
        self.mean, self.log_spread = (nn.Embedding(max(1, classes), dimensions) for _ in range(2))
        nn.init.zeros_(self.mean.weight)
        nn.init.zeros_(self.log_spread.weight)

    def forward(self, u: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the latents and the log-determinant of each record."""
        mean, log_spread = self._terms(u, labels)
        return (u - mean) * torch.exp(-log_spread), -log_spread.sum(dim=1)

    def inverse(self, z: Tensor, labels: Tensor | None) -> Tensor:
        """Undo `forward`."""
        mean, log_spread = self._terms(z, labels)
        return torch.addcmul(mean, z, log_spread.exp())

    @torch.no_grad()
    def start_at(self, u: Tensor, labels: Tensor | None, fewest: int = 20) -> None:
        """Take mean and spread from latents `u`; a class with fewer records than `fewest` gets those of all."""
        for number in range(len(self.mean.weight)):
            of = None if labels is None or not self.classes else labels == number
            part = u if of is None or int(of.sum()) < fewest else u[of]
            spread = part.std(dim=0, correction=0).clamp_min(1e-3)
            self.mean.weight[number], self.log_spread.weight[number] = part.mean(dim=0), spread.log()

    def _terms(self, x: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        if labels is None or not self.classes:
            labels = torch.zeros(len(x), dtype=torch.long, device=x.device)
        log_spread = LARGEST * torch.tanh(self.log_spread(labels) / LARGEST)
        return self.mean(labels), log_spread


FEWEST_COLUMNS = 2  # a coupling needs two halves; a single number gets the class-wise Gaussian alone


@dataclass(frozen=True)
class FlowPlan:
    """Everything that decides the shape of a flow, so that saved weights can be put back.

    Attributes
    ----------
    shape : tuple of int
        Of one record: (p,) for vectors, channels last for images: (h, w) or (h, w, c).
    classes : int
        0 for a flow without condition.
    blocks : tuple of int
        Convolutional couplings at each level; before each, the Haar wavelet halves the sides of the image. Levels whose
        sides cannot be halved are left out.
    dense_blocks : int
        Couplings on the flattened latents, or on vectors.
    channels, hidden : int
        Hidden widths: convolutions of the first level (doubled at each further one), and dense layers.
    volume_preserving : bool
        GIN couplings instead of Glow's.
    clamp : float
        Bound of the log-scales of one coupling step.
    seed : int
        Of the permutations.

    Examples
    --------
    >>> FlowPlan((28, 28), classes=10).grids
    [(4, 14, 14), (16, 7, 7)]
    """

    shape: tuple[int, ...]
    classes: int = 0
    blocks: tuple[int, ...] = (2, 4)
    dense_blocks: int = 4
    channels: int = 32
    hidden: int = 256
    volume_preserving: bool = True
    clamp: float = CLAMP
    seed: int = 0

    @property
    def dimensions(self) -> int:
        """Numbers in one record."""
        return math.prod(self.shape)

    @property
    def grids(self) -> list[tuple[int, int, int]]:
        """Channels, height and width at each level; none for vectors and for images of odd sides."""
        found: list[tuple[int, int, int]] = []
        if len(self.shape) < 2:
            return found
        h, w, c = (*self.shape, 1)[:3]
        while len(found) < len(self.blocks) and h % 2 == 0 and w % 2 == 0:
            h, w, c = h // 2, w // 2, 4 * c
            found.append((c, h, w))
        return found

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Self:
        """Return the plan whose `as_dict` is `fields`."""
        lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list | tuple)}
        plan = cls(**{**fields, **lists})
        sizes = [*plan.shape, plan.channels, plan.hidden, 1 + plan.classes, 1 + plan.dense_blocks]
        sizes += [1 + blocks for blocks in plan.blocks]
        if not plan.shape or any(not isinstance(size, int) or size < 1 for size in sizes):
            raise ValueError(f"a flow of the sizes {sizes}")
        return plan

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {**asdict(self), "shape": list(self.shape), "blocks": list(self.blocks)}


class ConditionalFlow(nn.Module):
    """z = f(x | class), invertible in x; z is standard normal once the flow is trained.

    Examples
    --------
    >>> flow = ConditionalFlow(FlowPlan((8, 8), classes=3, channels=4, hidden=8))
    >>> x, labels = torch.rand(5, 64, generator=torch.Generator().manual_seed(0)), torch.tensor([0, 1, 2, 0, 1])
    >>> z, logdet = flow(x, labels)
    >>> z.shape, bool((flow.inverse(z, labels) - x).abs().max() < 1e-5)
    (torch.Size([5, 64]), True)
    """

    def __init__(self, plan: FlowPlan) -> None:
        super().__init__()
        self.plan = plan
        self.steps = nn.ModuleList([*_convolutional(plan), *_dense(plan)])
        self.last = ClassGaussian(plan.dimensions, plan.classes)

    def forward(self, x: Tensor, labels: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return latents (n, d) and log-determinants (n,) of records x (n, d)."""
        z, logdet = self.body(x, labels)
        z, more = self.last(z, labels)
        return z, logdet + more

    def body(self, x: Tensor, labels: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return what comes before the class-wise Gaussian, and its log-determinants."""
        logdet = x.new_zeros(len(x))
        for step in self.steps:
            x, more = step(x, labels)
            logdet = logdet + more
        return x, logdet

    def inverse(self, z: Tensor, labels: Tensor | None = None) -> Tensor:
        """Return records x (n, d) of latents z (n, d)."""
        x: Tensor = self.last.inverse(z, labels)
        for step in reversed(self.steps):
            x = step.inverse(x, labels)  # type: ignore[operator]
        return x

    def nats_a_dimension(self, x: Tensor, labels: Tensor | None = None) -> Tensor:
        """Return (0.5 |z|^2 - log|det|) / d of each record: its negative log-likelihood but for a constant."""
        z, logdet = self(x, labels)
        nats: Tensor = (0.5 * z.square().sum(dim=1) - logdet) / self.plan.dimensions
        return nats


def check_weights(flow: nn.Module) -> None:
    """Refuse a flow with weights that are no numbers.

    Raises
    ------
    NumericalError
        Training diverged.
    """
    if not all(bool(torch.isfinite(weight).all()) for weight in flow.parameters()):
        raise NumericalError("The weights of the flow are NaN or infinite. Train it with a lower rate or less noise.")


def _convolutional(plan: FlowPlan) -> list[nn.Module]:
    grids, steps = plan.grids, list[nn.Module]()
    if not grids:
        return steps
    h, w, c = (*plan.shape, 1)[:3]
    # Records are channels last, convolutions want channels first.
    steps.append(ChannelsFirst((h, w, c)))
    for level, (channels, _, _) in enumerate(grids):
        steps.append(Haar())
        half, rest, wide = channels // 2, channels - channels // 2, plan.channels * 2**level
        for block in range(plan.blocks[level]):
            first = ConvolutionalSubnet(rest, wide, 2 * half, plan.classes)
            second = ConvolutionalSubnet(half, wide, 2 * rest, plan.classes)
            steps += [_coupling(plan, first, second, channels), Permutation(channels, _seed(plan, level, block))]
    steps.append(Reshape(grids[-1], (plan.dimensions,)))
    return steps


def _dense(plan: FlowPlan) -> list[nn.Module]:
    d, steps = plan.dimensions, list[nn.Module]()
    if d < FEWEST_COLUMNS:
        return steps
    half, rest = d // 2, d - d // 2
    for block in range(plan.dense_blocks):
        first = DenseSubnet(rest, plan.hidden, 2 * half, plan.classes)
        second = DenseSubnet(half, plan.hidden, 2 * rest, plan.classes)
        steps += [_coupling(plan, first, second, d), Permutation(d, _seed(plan, 99, block))]
    return steps


def _coupling(plan: FlowPlan, first: nn.Module, second: nn.Module, channels: int) -> Coupling:
    return Coupling(first, second, channels=channels, volume_preserving=plan.volume_preserving, clamp=plan.clamp)


def _seed(plan: FlowPlan, level: int, block: int) -> int:
    return (plan.seed * 101 + level) * 1009 + block


class ChannelsFirst(nn.Module):
    """Flat records with channels last as images with channels first.

    Parameters
    ----------
    shape : tuple of int
        (h, w, c) of one record.

    Examples
    --------
    >>> ChannelsFirst((2, 2, 3))(torch.arange(12.0)[None], None)[0][0, 0].tolist()
    [[0.0, 3.0], [6.0, 9.0]]
    """

    def __init__(self, shape: tuple[int, int, int]) -> None:
        super().__init__()
        self.shape = shape

    def forward(self, x: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return (n, c, h, w), and zeros."""
        return x.reshape(-1, *self.shape).permute(0, 3, 1, 2).contiguous(), x.new_zeros(len(x))

    def inverse(self, z: Tensor, labels: Tensor | None) -> Tensor:
        """Undo `forward`."""
        return z.permute(0, 2, 3, 1).reshape(len(z), -1)
