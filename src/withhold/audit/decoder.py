"""One network that reads many columns back from a release at once: a softmax head for each."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

WIDTH, DROPOUT = 192, 0.1
BATCH, LEAST_STEPS = 512, 400
PEAK_RATE, WEIGHT_DECAY = 4e-3, 1e-4
CLIP = 6.0


class _Heads(nn.Module):
    """A perceptron beside a linear reading: what is a column of the release is found at once."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.first, self.second = nn.Linear(inputs, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.last, self.dropout = nn.Linear(WIDTH, outputs), nn.Dropout(DROPOUT)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.dropout(torch.relu(self.second(torch.relu(self.first(x)))))
        out: torch.Tensor = self.linear(x) + self.last(hidden)
        return out


def decode(
    X: npt.NDArray[np.float32],
    cells: npt.NDArray[np.int64],
    counts: Sequence[int],
    train: npt.NDArray[np.int64],
    score: npt.NDArray[np.int64],
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
    seed : int

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
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        inputs, targets = torch.from_numpy(np.clip(X[train], -CLIP, CLIP)), torch.from_numpy(cells[train])
        net = _Heads(X.shape[1], sum(counts))
        nn.init.zeros_(net.last.weight)
        batch = max(16, min(BATCH, len(train) // 8))
        steps = max(LEAST_STEPS, epochs * (len(train) // batch))
        optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE / 25, weight_decay=WEIGHT_DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=PEAK_RATE, total_steps=steps, pct_start=0.25)
        order = torch.empty(0, dtype=torch.int64)
        for _ in range(steps):
            if len(order) < batch:
                order = torch.randperm(len(train))
            rows, order = order[:batch], order[batch:]
            logits = net(inputs[rows])
            loss = torch.stack(
                [
                    nn.functional.cross_entropy(head, targets[rows, column])
                    for column, head in enumerate(torch.split(logits, list(counts), dim=1))
                ]
            ).sum()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    net.eval()
    out = np.empty((len(score), cells.shape[1]))
    with torch.inference_mode():
        for start in range(0, len(score), 8192):
            rows_here = score[start : start + 8192]
            logits = net(torch.from_numpy(np.clip(X[rows_here], -CLIP, CLIP)))
            for column, head in enumerate(torch.split(logits, list(counts), dim=1)):
                truth = torch.from_numpy(cells[rows_here, column])[:, None]
                out[start : start + len(rows_here), column] = torch.log_softmax(head, 1).gather(1, truth)[:, 0].numpy()
    return out
