"""Moving averages of what a discriminator says about the records of each cell of attributes."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Centroids(nn.Module):
    """Q, the average output q(. | z) of the discriminator over the records of each cell, followed batch by batch.

    A cell is a value of the attribute, or a value together with a label. A cell without records is empty: it has no
    centroid, and nothing may be drawn to it. A module without parameters, so that its tensors go where a player's go:
    to the device, and into a checkpoint.

    Parameters
    ----------
    classes : int
        K, values of the attribute.
    labels : int, default=1
        C, values of the label; 1: the label plays no part.
    gamma : float, default=0.7
        Weight of the past: Q_t = gamma Q_(t-1) + (1 - gamma) q_t.

    Attributes
    ----------
    values : Tensor of shape (labels, classes, classes)
        ``values[c, i]`` is the average of q over the records of label c and attribute i; 0 where the cell is empty.
    present : Tensor of bool, shape (labels, classes)
    total : Tensor of shape (labels, classes)
        Sum of `values` over the attributes.
    inner : Tensor of shape (labels, classes)
        <Q, log Q> of each cell.

    Examples
    --------
    >>> centroids = Centroids(2, gamma=0.5)
    >>> own = torch.tensor([0, 0, 1])
    >>> centroids.start(torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.2, 0.8]]), own)
    >>> centroids.update(torch.tensor([[0.9, 0.1]]), torch.tensor([0]))
    >>> centroids.values[0].mul(10).round().tolist()  # the batch had no record of attribute 1: its centroid stays
    [[7.0, 3.0], [2.0, 8.0]]
    """

    values: Tensor
    present: Tensor
    total: Tensor
    inner: Tensor

    def __init__(self, classes: int, labels: int = 1, gamma: float = 0.7) -> None:
        super().__init__()
        self.classes, self.labels, self.gamma = classes, labels, gamma
        self.register_buffer("values", torch.zeros(labels, classes, classes))
        self.register_buffer("present", torch.zeros(labels, classes, dtype=torch.bool))
        self.register_buffer("total", torch.zeros(labels, classes))
        self.register_buffer("inner", torch.zeros(labels, classes))

    @torch.no_grad()
    def start(self, q: Tensor, secrets: Tensor, labels: Tensor | None = None) -> None:
        """Forget everything and average over these records, all that there are for training.

        Parameters
        ----------
        q : Tensor (n, K)
        secrets, labels : Tensor of int (n,)
            -1 where missing: such a record is in no cell. `labels` matters only where cells have one.
        """
        self.values = q.new_zeros(self.labels, self.classes, self.classes)
        self.present = torch.zeros(self.labels, self.classes, dtype=torch.bool, device=q.device)
        self.total, self.inner = q.new_zeros(self.labels, self.classes), q.new_zeros(self.labels, self.classes)
        self.update(q, secrets, labels)

    @torch.no_grad()
    def update(self, q: Tensor, secrets: Tensor, labels: Tensor | None = None) -> None:
        """Move the centroids towards the averages of a batch; a cell without a record stays, and costs nothing."""
        cells, known = secrets, secrets >= 0
        if self.labels > 1 and labels is not None:
            cells, known = labels * self.classes + secrets, known & (labels >= 0)
        here, inverse, count = torch.unique(cells[known], return_inverse=True, return_counts=True)
        mean = q.new_zeros(len(here), self.classes).index_add_(0, inverse, q[known]) / count.unsqueeze(-1)
        values, present = self.values.view(-1, self.classes), self.present.view(-1)
        before = values[here]
        moved = torch.where(present[here].unsqueeze(-1), self.gamma * before + (1 - self.gamma) * mean, mean)
        values[here], present[here] = moved, True
        self.total.index_add_(0, here // self.classes, moved - before)
        self.inner.view(-1)[here] = torch.special.xlogy(moved, moved).sum(dim=-1)


def others(centroids: Centroids, secrets: Tensor, labels: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Return what a record is compared with: the centroids of all other attributes (of its label), in O(K) a record.

    The sum over i of KL(Q^i || q) needs only the sum of the Q^i and the sum of their negative entropies.

    Returns
    -------
    target : Tensor (n, K)
        Sum of Q^i over the other cells.
    constant : Tensor (n,)
        Sum of <Q^i, log Q^i> over them.
    count : Tensor (n,)
        Their number; 0 where the record's is the only cell of its label.

    Examples
    --------
    >>> centroids = Centroids(3)
    >>> centroids.start(torch.eye(3), torch.arange(3))
    >>> others(centroids, torch.tensor([0]))[0].tolist()
    [[0.0, 1.0, 1.0]]
    """
    row = torch.zeros_like(secrets) if labels is None or centroids.labels == 1 else labels
    inner, present = centroids.inner, centroids.present.to(centroids.values.dtype)
    target = centroids.total[row] - centroids.values[row, secrets]
    return (
        functional.relu(target),  # a difference of rounded numbers may fall a hair below 0
        inner.sum(dim=1)[row] - inner[row, secrets],
        present.sum(dim=1)[row] - present[row, secrets],
    )
