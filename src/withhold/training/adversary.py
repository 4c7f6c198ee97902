"""Cross-fitted adversaries: each learns from its own folds and judges only rows it never learned from.

An adversary that judges the rows it learned from reads what it memorised; one that learned from half of the rows finds
less than an attacker with all of them. Several members, each learning from all folds but one, give every row a judge
that has not seen it and waste little.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.bank import PerceptronBank
from withhold.training.batches import drawn


class CrossFittedAdversary(nn.Module):
    """Members that estimate q(b | z), with a calibration that is fitted on rows the members did not learn from.

    Parameters
    ----------
    layout : AttributeLayout
        What is estimated.
    dimensions : int
        Width of z.
    members : int
        Number of folds.
    hidden : int
        Width of the two hidden layers.
    side : int, default=0
        Width of a side task: the members also learn to recover these features of a record from z, and q sees what
        they recover. Records have many features and one secret, so denoising z is learned from the features; this is
        how a recipient who decodes z finds leaks that a net trained on the secret alone does not.

    Examples
    --------
    >>> adversary = CrossFittedAdversary(AttributeLayout((2,)), dimensions=3, members=4, hidden=8)
    >>> adversary(torch.zeros(4, 5, 3)).shape
    torch.Size([4, 5, 2])
    """

    def __init__(
        self,
        layout: AttributeLayout,
        *,
        dimensions: int,
        members: int,
        hidden: int,
        dropout: float = 0.0,
        side: int = 0,
    ) -> None:
        super().__init__()
        self.layout, self.members, self.side, self.dropout = layout, members, side, dropout
        self.trunk = PerceptronBank(members, (dimensions, hidden, hidden), dropout=dropout)
        self.recover = PerceptronBank(members, (hidden, side)) if side else None
        widths = (hidden + side, HEAD, layout.width) if side else (hidden, layout.width)
        self.head = PerceptronBank(members, widths, dropout=dropout)

    def forward(self, Z: Tensor) -> Tensor:
        """Return outputs of shape (members, n, layout.width) for z of shape (members, n, dimensions)."""
        return self.outputs(Z)[0]

    def outputs(self, Z: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the outputs and, with a side task, the recovered features."""
        features = functional.relu(self.trunk(Z))
        if self.recover is None:
            return self.head(features), None
        recovered = self.recover(features)
        return self.head(torch.cat([features, recovered], dim=-1)), recovered


HEAD = 64  # width of the layer that reads the secret from recovered features: enough for their pairs


class Calibration(nn.Module):
    """Confidence of each member, one number an attribute (and a shift of the log variance of a number).

    A member that over-fits is too sure of itself on rows it has not seen, which hides leakage: its cross-entropy grows
    although its ranking is right. One scale, fitted on such rows, undoes that.
    """

    def __init__(self, layout: AttributeLayout, members: int) -> None:
        super().__init__()
        self.layout = layout
        self.log_scale = nn.Parameter(torch.zeros(members, 1, len(layout.classes)))
        self.shift = nn.Parameter(torch.zeros(members, 1, len(layout.classes)))

    def forward(self, outputs: Tensor) -> Tensor:
        """Return calibrated outputs of shape (members, n, width)."""
        parts = []
        for i, (block, k) in enumerate(zip(self.layout.blocks(outputs), self.layout.classes, strict=True)):
            scale = self.log_scale[..., i : i + 1].exp()
            if k:
                parts.append(block * scale)
            else:
                parts.append(torch.cat([block[..., :1] * scale, block[..., 1:] + self.shift[..., i : i + 1]], dim=-1))
        return torch.cat(parts, dim=-1)


class FoldedRows:
    """Row numbers by fold, on the device, from which batches are drawn with replacement.

    Parameters
    ----------
    folds : ndarray of int
        Fold of each row, -1 for rows held out from the game.

    Examples
    --------
    >>> rows = FoldedRows(np.array([0, 0, 1, 1, -1]), torch.device("cpu"))
    >>> sorted(set(rows.judged(50)[1].tolist())), sorted(set(rows.learned(50)[1].tolist()))
    ([2, 3], [0, 1])
    """

    def __init__(self, folds: np.ndarray, device: torch.device) -> None:
        self.members = int(folds.max()) + 1
        self.inside = [_rows(folds == i, device) for i in range(self.members)]
        alone = self.members == 1  # a single adversary learns from the rows it judges, as in the papers
        self._outside = [_rows((folds >= 0) & ((folds != i) | alone), device) for i in range(self.members)]

    def judged(self, size: int) -> Tensor:
        """Draw rows that member i judges, shape (members, size)."""
        return _draw(self.inside, size)

    def learned(self, size: int) -> Tensor:
        """Draw rows that member i learns from, shape (members, size)."""
        return _draw(self._outside, size)


def _rows(mask: np.ndarray, device: torch.device) -> Tensor:
    return torch.from_numpy(np.flatnonzero(mask)).to(device)


def _draw(pools: Sequence[Tensor], size: int) -> Tensor:
    return torch.stack([drawn(pool, size) for pool in pools])
