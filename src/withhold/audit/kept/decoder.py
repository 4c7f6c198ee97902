"""One network that reads many columns back from a release at once: a softmax head for each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

WIDTH, DROPOUT = 192, 0.1
BATCH, LEAST_STEPS = 512, 400
PEAK_RATE, WEIGHT_DECAY = 4e-3, 1e-4
CLIP = 6.0
# Logits held at once, and weights of a network (with gradient and moments 16 bytes each). Of wider tables the network
# reads fixed random directions, which every column enters, and its hidden layer is narrower.
MOST_LOGITS, MOST_WEIGHTS = 32_000_000, 12_000_000
NARROWEST, FEWEST_DIRECTIONS = 16, 32

# Size of a head, and the columns with heads of that size, which follow each other.
Blocks = Sequence[tuple[int, npt.NDArray[np.int64]]]


class _Heads(nn.Module):
    """A perceptron beside a linear reading: what is a column of the release is found at once."""

    def __init__(self, inputs: int, outputs: int, width: int = WIDTH) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.first, self.second = nn.Linear(inputs, width), nn.Linear(width, width)
        self.last, self.dropout = nn.Linear(width, outputs), nn.Dropout(DROPOUT)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.dropout(torch.relu(self.second(torch.relu(self.first(x)))))
        out: torch.Tensor = self.linear(x) + self.last(hidden)
        return out


def network_sizes(columns: int, outputs: int) -> tuple[int, int]:
    """Return how many inputs the network has, columns or directions of them, and how many hidden units.

    Examples
    --------
    >>> network_sizes(64, 900), network_sizes(10_000, 140_000)
    ((64, 192), (45, 40))
    """
    if (columns + WIDTH) * outputs <= MOST_WEIGHTS:
        return columns, WIDTH
    width = max(NARROWEST, min(WIDTH, MOST_WEIGHTS // max(1, 2 * outputs) // 8 * 8))
    return min(columns, max(FEWEST_DIRECTIONS, MOST_WEIGHTS // outputs - width)), width


def decode(
    X: npt.NDArray[np.float32],
    cells: npt.NDArray[np.integer[Any]],
    counts: Sequence[int],
    train: npt.NDArray[np.integer[Any]],
    score: npt.NDArray[np.integer[Any]],
    epochs: int,
    seed: int,
) -> npt.NDArray[np.float64]:
    """Train on the `train` rows and return log-probabilities of the true cells of the `score` rows.

    Parameters
    ----------
    X : ndarray of float32, shape (n, p)
        The release.
    cells : ndarray of int, shape (n, m)
        Cell of each row in each of m columns of the original.
    counts : sequence of int
        Number of cells of each column.
    train, score : ndarray of int
        Row numbers.
    epochs : int
        Passes over the training rows; at least 400 steps are made.

    Returns
    -------
    ndarray, shape (len(score), m)

    Examples
    --------
    >>> x = np.random.default_rng(0).integers(0, 2, (2000, 2))
    >>> found = decode(x.astype(np.float32), x[:, :1], [2], np.arange(1500), np.arange(1500, 2000), 2, 0)
    >>> bool(found.mean() > -0.05)
    True
    """
    # Heads of equal size stand side by side: one product and one cross-entropy for all of them.
    order = np.argsort(counts, kind="stable")
    blocks = [(size, np.flatnonzero(np.asarray(counts)[order] == size)) for size in np.unique(counts).tolist()]
    cells = cells[:, order]
    size, width = network_sizes(X.shape[1], sum(counts))
    mix = None
    if size < X.shape[1]:
        mix = np.random.default_rng(seed).standard_normal((X.shape[1], size), dtype=np.float32)
        mix /= np.float32(X.shape[1] ** 0.5)

    def read(rows: npt.NDArray[np.integer[Any]]) -> torch.Tensor:
        clipped = np.clip(X[rows], -CLIP, CLIP)
        return torch.from_numpy(clipped if mix is None else clipped @ mix)

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        inputs, targets = read(train), torch.from_numpy(cells[train])
        net = _Heads(size, sum(counts), width)
        nn.init.zeros_(net.last.weight)
        batch = max(16, min(BATCH, len(train) // 8))
        steps = max(LEAST_STEPS, epochs * (len(train) // batch))
        optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE / 25, weight_decay=WEIGHT_DECAY, fused=True)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=PEAK_RATE, total_steps=steps, pct_start=0.25)
        drawn = torch.empty(0, dtype=torch.int64)
        for _ in range(steps):
            if len(drawn) < batch:
                drawn = torch.randperm(len(train))
            rows, drawn = drawn[:batch], drawn[batch:]
            likely = torch.stack([part.sum() for part in _likely(net(inputs[rows]), targets[rows].long(), blocks)])
            optimizer.zero_grad(set_to_none=True)
            (-likely.sum() / batch).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    net.eval()
    out = np.empty((len(score), cells.shape[1]))
    with torch.inference_mode():
        chunk = max(1, MOST_LOGITS // sum(counts))
        for start in range(0, len(score), chunk):
            here = score[start : start + chunk]
            logits = net(read(here))
            found = torch.cat(_likely(logits, torch.from_numpy(cells[here]).long(), blocks), dim=1)
            out[start : start + len(here), order] = found.numpy()
    return out


def _likely(logits: torch.Tensor, truth: torch.Tensor, blocks: Blocks) -> list[torch.Tensor]:
    """Return the log-probability of the true cell of each column, one tensor of shape (n, columns) a block."""
    parts = torch.split(logits, [size * len(columns) for size, columns in blocks], dim=1)
    out = []
    for part, (size, columns) in zip(parts, blocks, strict=True):
        # Columns last: sums over cells then run along memory for all columns at once.
        heads = part.reshape(len(part), size, len(columns))
        own = truth[:, None, columns[0] : columns[-1] + 1]
        out.append(heads.gather(1, own)[:, 0] - heads.logsumexp(dim=1))
    return out
