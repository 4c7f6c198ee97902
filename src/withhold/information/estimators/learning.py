"""Learning within a fold: settings of critics and conditional models, and the loop that stops by rows kept aside."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from withhold.contracts.checks import refused
from withhold.training.batches import drawn

EVERY, PATIENCE = 25, 8  # steps between looks at the rows kept aside, and looks without gain before the end


@dataclass(frozen=True, kw_only=True)
class FoldTraining:
    """What is trained once a fold, on the other folds.

    Attributes
    ----------
    hidden : tuple of int
        Widths of hidden layers.
    steps : int
        At most; training stops when rows kept aside no longer improve.
    rate : float
        Of Adam.
    decay : float
        Weight decay.
    aside : float
        Share of the training rows kept aside to stop by.
    """

    fewest_steps: ClassVar[int] = 0

    hidden: tuple[int, ...] = (64,)
    steps: int = 1500
    batch: int = 256
    rate: float = 2e-3
    decay: float = 1e-3
    folds: int = 3
    aside: float = 0.2

    def check(self) -> None:
        """Refuse settings that cannot be used."""
        for name, least in (("steps", self.fewest_steps), ("batch", 2), ("folds", 2)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise refused(name, f"at least {least}", value)
        if not (self.rate > 0 and self.decay >= 0 and 0 < self.aside < 1):
            raise refused("rate, decay and aside", "> 0, >= 0 and in (0, 1)", (self.rate, self.decay, self.aside))

    def learn(
        self,
        model: torch.nn.Module,
        rows: Tensor,
        objective: Callable[[Tensor], Tensor],
        aside: Callable[[], float],
        clip: float | None = None,
    ) -> float:
        """Maximise an objective and keep the weights that are best on rows kept aside; return the mean of late batches.

        Parameters
        ----------
        rows : Tensor of int
            Rows to learn from.
        objective : callable
            Of some of them.
        aside : callable
            Returns the value of the rows kept aside.
        clip : float, optional
            Norm of a gradient at most.

        Examples
        --------
        >>> line, x = torch.nn.Linear(1, 1), torch.linspace(-1, 1, 50)[:, None]
        >>> def fit(rows):
        ...     return -(line(x[rows]) - 3 * x[rows]).square().mean()
        >>> aside = lambda: float(fit(torch.arange(0, 50, 5)).detach())
        >>> before = aside()
        >>> _ = FoldTraining(steps=50, rate=0.1).learn(line, torch.arange(50), fit, aside)
        >>> aside() > before
        True
        """
        adam = torch.optim.AdamW(model.parameters(), lr=self.rate, weight_decay=self.decay)
        size = min(self.batch, len(rows))
        best, kept, stale, recent = -np.inf, copy.deepcopy(model.state_dict()), 0, [0.0]
        for step in range(self.steps):
            if step % EVERY == 0:
                with torch.no_grad():
                    value = aside()
                if value > best:
                    best, kept, stale = value, copy.deepcopy(model.state_dict()), 0
                elif (stale := stale + 1) > PATIENCE:
                    break
            reached = objective(drawn(rows, size) if size < len(rows) else rows)
            adam.zero_grad(set_to_none=True)
            (-reached).backward()  # type: ignore[no-untyped-call]
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            adam.step()
            recent = [*recent[-99:], float(reached.detach())]
        model.load_state_dict(kept)
        return float(np.mean(recent))
