"""A decoder that draws the columns of a record one after the other, each given Z and the columns drawn before.

The most likely value of each column alone moves marginals (half of all numbers become their mode) and makes rows that
nobody has. Here each column is drawn from p(column | Z, columns before)^sharpness, with one offset per cell by which
the shares of the rows learned from come out right. Of a few sharpnesses each column takes the one by which its pairs
with the columns before come out best: what is nearly determined, such as a code and its name, needs a sharper draw than
a net says, and sharper draws elsewhere make relations that nobody has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from withhold.methods.estimator.reader import log_shares, standardisation
from withhold.nets.column_chain import FIRST, SECOND, ColumnChain
from withhold.nets.restoring import restored
from withhold.training.descent import descend

SHARPNESSES = (1.0, 1.5, 2.0, 3.0)
COMPARED = 24  # columns before, those that tell most of the others, whose pairs decide
DROPPED = 0.1  # hidden units left out of a step: pairs of rare cells are soon known by heart
STEPS_AT_ONCE, JUDGED_STEPS = 12, 48  # columns that a batch learns from, and those that decide when to stop
MOST_ORDERED, ORDERING_ROWS = 128, 5_000  # columns whose order is chosen, more stay in theirs; rows it is chosen on
# Rows that shares are settled on; rounds at most, nats per round at most, and how far shares may be off in all.
SETTLED_ROWS, SETTLED_ROUNDS, SETTLED_STEP, SETTLED = 8_000, 60, 2.0, 0.002


@dataclass(frozen=True)
class ColumnSampler:
    """One frozen chain of columns: standardised Z and uniform numbers to a cell of every column."""

    centre: Tensor
    scale: Tensor
    net: ColumnChain
    offsets: Tensor
    sharpness: Tensor

    @classmethod
    def fit(
        cls,
        Z: Tensor,
        cells: Tensor,
        counts: Sequence[int],
        seed: int,
        device: torch.device,
        ordered: Sequence[int] = (),
    ) -> Self:
        """Learn from `Z` and the cells of the rows, with early stopping on rows that are not learned from.

        Cells of the columns `ordered` are in the order of their values.
        """
        centre, scale = standardisation(Z)
        order = chain_order(cells[:ORDERING_ROWS].numpy(), counts)
        shares, weights = log_shares(cells, counts)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            net = ColumnChain(Z.shape[1], counts, order)
        with torch.no_grad():
            net.level.copy_(torch.cat(shares))
        net.learn_along(ordered)
        net = net.to(device)
        values, targets = ((Z - centre) / scale).to(device), cells.to(device)

        varied = [step for step, j in enumerate(order) if weights[j]]
        some, chance = min(len(varied), STEPS_AT_ONCE), torch.Generator().manual_seed(seed)
        judged = varied[:: -(-len(varied) // JUDGED_STEPS)] if varied else []

        def loss(rows: Tensor) -> Tensor:
            if not varied:
                return values.new_zeros((), requires_grad=True)
            steps, drop = judged, None
            if torch.is_grad_enabled():
                steps = [varied[i] for i in sorted(torch.randperm(len(varied), generator=chance)[:some].tolist())]
                drop = [factors(len(rows), units, chance).to(device) for units in (FIRST, SECOND)]
            known = targets[rows]
            scored = net.scores(values[rows], known, steps, drop)
            return torch.stack([weights[j] * functional.cross_entropy(s, known[:, j]) for j, s in scored]).mean()

        descend(net, loss, len(Z), seed)
        net.settle_down()
        net = net.cpu().double().eval().requires_grad_(False)
        offsets, sharpness = (torch.zeros(n, dtype=torch.float64) for n in (sum(counts), len(counts)))
        return cls(centre.double(), scale.double(), net, offsets, sharpness + 1.0)

    def settle(self, Z: Tensor, cells: Tensor, seed: int) -> None:
        """Choose sharpness and offsets by which shares and pairs drawn for `Z`, not learned from, are as in `cells`.

        Of rows learned from the net is surer than of those it decodes, so that shares settled on them were off by up to
        four points. `cells` are those of all rows of the fit: of half of them shares of their own are off by two.
        """
        generator = torch.Generator().manual_seed(seed)
        rows = torch.randperm(len(Z), generator=generator)[:SETTLED_ROWS]
        uniform = torch.rand(len(rows), cells.shape[1], generator=generator, dtype=torch.float64)
        self._walk(Z[rows], uniform, settled_on=cells)

    def cells(self, Z: Tensor, uniform: np.ndarray | None) -> np.ndarray:
        """Return a cell of every column, int32 (n_samples, n_columns), by numbers uniform on (0, 1) of that shape.

        In double precision, so that what a record becomes does not hang on the rows that it is decoded with.
        """
        if uniform is None:
            raise ValueError("a sampler needs random numbers")
        return self._walk(Z, torch.from_numpy(np.ascontiguousarray(uniform))).numpy().astype(np.int32)

    def _walk(self, Z: Tensor, uniform: Tensor, settled_on: Tensor | None = None) -> Tensor:
        """Draw; where the cells of the rows learned from are given, settle each column before it is drawn."""
        chosen = torch.zeros(uniform.shape, dtype=torch.int64)
        walk = self.net.walk((Z.double() - self.centre) / self.scale)
        before: list[int] = []
        j, scores = next(walk)
        while True:
            offset = self.offsets[self.net.starts[j] : self.net.starts[j + 1]]
            if settled_on is not None:
                pairs = [(chosen[:, i], settled_on[:, i], self.net.counts[i]) for i in before[:COMPARED]]
                self.sharpness[j] = settled(offset, scores, settled_on[:, j], pairs)
                before.append(j)
            levels = (scores * self.sharpness[j] + offset).softmax(dim=1).cumsum(dim=1)
            chosen[:, j] = (uniform[:, j, None] >= levels[:, :-1]).sum(dim=1)
            try:
                j, scores = walk.send(chosen[:, j])
            except StopIteration:
                return chosen

    def state(self) -> dict[str, np.ndarray]:
        """Return all that was learned as arrays."""
        net = {name: value.float() for name, value in self.net.state_dict().items()}
        own = {"centre": self.centre, "scale": self.scale, "offsets": self.offsets, "sharpness": self.sharpness}
        more = {"order": np.array(self.net.order, dtype=np.int64)}
        return {name: value.numpy() for name, value in (own | net).items()} | more

    @classmethod
    def restore(cls, counts: Sequence[int], state: Mapping[str, np.ndarray]) -> Self:
        """Rebuild from `state`; shapes are checked."""
        own = dict(state)
        centre, scale, offsets, sharpness = (
            torch.from_numpy(own.pop(name).copy()).double() for name in ("centre", "scale", "offsets", "sharpness")
        )
        order = tuple(int(j) for j in own.pop("order"))
        sound = sharpness.shape == (len(counts),) and bool(((sharpness > 0) & (sharpness < 100)).all())
        if sorted(order) != list(range(len(counts))) or offsets.shape != (sum(counts),) or not sound:
            raise ValueError(
                f"an order of {len(order)} columns, {len(offsets)} offsets, sharpness {sharpness.tolist()}"
            )
        net = restored(partial(ColumnChain, len(centre), tuple(counts), order), own)
        return cls(centre, scale, net.double(), offsets, sharpness)


def factors(n: int, units: int, chance: torch.Generator) -> Tensor:
    """Return factors that leave out hidden units of each record and keep their sum as it is in the mean.

    Examples
    --------
    >>> [round(factor, 2) for factor in factors(4, 1_000, torch.Generator().manual_seed(0)).unique().tolist()]
    [0.0, 1.11]
    """
    return (torch.rand(n, units, generator=chance) >= DROPPED) / (1 - DROPPED)


def settled(offset: Tensor, scores: Tensor, learned: Tensor, pairs: Sequence[tuple[Tensor, Tensor, int]]) -> float:
    """Settle the offsets of a column, in place, at the sharpness by which its pairs come out best, and return that.

    Parameters
    ----------
    offset, scores, learned : Tensor
        As of `settle`.
    pairs : sequence of (Tensor, Tensor, int)
        Of each column before: the cells drawn, those of the rows learned from, and how many there can be.

    Examples
    --------
    >>> code = torch.arange(100) % 2
    >>> scores = torch.stack([1.0 - code, code.double()], dim=1)  # says .73 of what is certain
    >>> settled(torch.zeros(2), scores, code, [(code, code, 2)]), settled(torch.zeros(2), scores, code, [])
    (3.0, 1.0)
    """
    found = []
    for sharpness in SHARPNESSES if pairs else SHARPNESSES[:1]:
        own = offset.clone()
        settle(own, scores * sharpness, learned)
        drawn = (scores * sharpness + own).softmax(dim=1)
        found.append((sum(_apart(drawn, learned, *pair) for pair in pairs), sharpness, own))
    _, best, own = min(found, key=lambda one: one[0])
    offset.copy_(own)
    return best


def _apart(drawn: Tensor, learned: Tensor, chosen: Tensor, known: Tensor, count: int) -> float:
    """Return how far the shares of pairs, a column before and one about to be drawn, are from those learned."""
    cells = drawn.shape[1]
    expected = drawn.new_zeros(count, cells).index_add_(0, chosen, drawn) / len(drawn)
    wanted = torch.bincount(known * cells + learned, minlength=count * cells).view(count, cells) / len(learned)
    return float((expected - wanted).abs().sum())


def settle(offset: Tensor, scores: Tensor, learned: Tensor) -> None:
    """Move the offsets of a column's cells until drawn shares are those of the cells `learned`, in place.

    Examples
    --------
    >>> offset, scores = torch.zeros(2), torch.tensor([[0.0, 3.0], [0.0, -1.0]])
    >>> settle(offset, scores, torch.tensor([0] * 75 + [1] * 25))
    >>> [round(share, 2) for share in (scores + offset).softmax(dim=1).mean(dim=0).tolist()]
    [0.75, 0.25]
    """
    count = len(offset)
    # Half a row for all cells together: none is impossible.
    wanted = (torch.bincount(learned, minlength=count) + 0.5 / count) / (len(learned) + 0.5)
    for _ in range(SETTLED_ROUNDS):
        drawn = (scores + offset).softmax(dim=1).mean(dim=0).clamp_min(1e-12)
        offset += (wanted / drawn).log().clamp(-SETTLED_STEP, SETTLED_STEP)
        if (wanted - drawn).abs().sum() < SETTLED:
            break


def chain_order(cells: np.ndarray, counts: Sequence[int]) -> tuple[int, ...]:
    """Return an order of columns: the one that tells most of the others first, then who is told most by those before.

    Examples
    --------
    >>> a = np.arange(40) % 4
    >>> chain_order(np.column_stack([a % 2, np.arange(40) % 5, a]), (2, 5, 4))
    (0, 2, 1)
    """
    columns = len(counts)
    if columns > MOST_ORDERED:
        return tuple(range(columns))
    told = np.zeros((columns, columns))
    for a in range(columns):
        for b in range(a):
            table = np.bincount(cells[:, a] * counts[b] + cells[:, b], minlength=counts[a] * counts[b])
            joint = table.reshape(counts[a], counts[b]) / len(cells)
            apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
            met = joint > 0
            told[a, b] = told[b, a] = (joint[met] * np.log(joint[met] / apart[met])).sum()
    order = [int(told.sum(axis=1).argmax())]
    while len(order) < columns:
        best = told[order].max(axis=0)
        best[order] = -1.0
        order.append(int(best.argmax()))
    return tuple(order)
