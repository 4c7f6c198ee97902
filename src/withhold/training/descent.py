"""Plain minimisation with early stopping on rows that are not learned from: for nets that have no opponent."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

BATCH, EPOCHS, STEPS, CHECKS, PATIENCE = 512, 60, (400, 3_000), 40, 4  # 60 epochs, but 400 to 3,000 steps
RATE, DECAY = 3e-3, 1e-4
HELD = 0.1  # share of the rows that decide when to stop
CHUNK = 4_096  # rows judged at a time


def descend(net: nn.Module, loss: Callable[[Tensor], Tensor], n: int, seed: int) -> Tensor:
    """Minimise `loss` over batches of most of `n` rows until the rest no longer improve, and keep the best state.

    Parameters
    ----------
    net : Module
        Whose parameters are moved.
    loss : callable
        Mean loss of rows, given their numbers.
    n : int
        Number of rows.

    Returns
    -------
    Tensor
        The rows that were held out.

    Examples
    --------
    >>> net, x = nn.Linear(1, 1), torch.linspace(-1, 1, 100)[:, None]
    >>> before = net.weight.item()
    >>> held = descend(net, lambda rows: (net(x[rows]) - 3 * x[rows]).square().mean(), 100, seed=0)
    >>> net.weight.item() > before, len(held)
    (True, 10)
    """
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    held, own = order[: max(1, int(HELD * n))], order[max(1, int(HELD * n)) :]
    own = own if len(own) else held
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, factor=0.3, patience=1)
    generator = torch.Generator().manual_seed(seed)
    batches: list[Tensor] = []
    most = int(np.clip(EPOCHS * len(own) / BATCH, *STEPS))
    step, every = 0, max(20, most // CHECKS)
    best, best_state, bad = float("inf"), None, 0
    while step < most and bad < PATIENCE:
        if not batches:
            batches = list(torch.split(own[torch.randperm(len(own), generator=generator)], BATCH))
        optimiser.zero_grad()
        loss(batches.pop()).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        step += 1
        if step % every == 0:
            with torch.no_grad():
                now = sum(float(loss(rows)) * len(rows) for rows in torch.split(held, CHUNK)) / len(held)
            schedule.step(now)
            bad = 0 if now < best - 1e-4 else bad + 1
            if now < best:
                best, best_state = now, {name: value.clone() for name, value in net.state_dict().items()}
    if best_state is not None:
        net.load_state_dict(best_state)
    return held
