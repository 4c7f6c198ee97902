"""The probe of the invariance papers, by name only: one wide hidden layer, trained a fixed number of steps."""

from typing import ClassVar, Self

import numpy as np
import torch
from scipy.special import log_softmax
from torch.nn import functional

from withhold.audit.attackers.attacker import Attacker, InputKind, Scale
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# As in IIDM (papers before and after it use the like): 800 units, RMSprop at 1e-3, 1,000 steps. The batch is unstated.
WIDTH, RATE, STEPS, BATCH = 800, 1e-3, 1_000, 128
CHUNK = 8_192


class PostHoc(Attacker):
    """What a paper's own table of invariance is read with; joins the panel with ``--attackers +posthoc``.

    It has no early stopping and no regularisation, so it memorises few rows and reads little on others: beside the
    panel it shows how much a table made with it flatters. Papers also score it on the rows it was trained on, which is
    no measure of anything; here it is cross-fitted as everyone is.
    """

    name: ClassVar[str] = "posthoc"
    inputs: ClassVar[InputKind] = "dense"
    extra: ClassVar[bool] = True

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Train from one seed; nothing is drawn from global streams."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        self._scale, classes = Scale.of(X), int(s.max()) + 1
        inputs, targets = torch.from_numpy(self._scale.apply(X)), torch.from_numpy(s)
        self._weights = [
            torch.empty(shape).uniform_(-(before**-0.5), before**-0.5, generator=generator)
            for before, shape in (
                (max(1, X.shape[1]), (WIDTH, X.shape[1])),
                (max(1, X.shape[1]), (WIDTH,)),
                (WIDTH, (classes, WIDTH)),
                (WIDTH, (classes,)),
            )
        ]
        for weight in self._weights:
            weight.requires_grad_()
        optimizer = torch.optim.RMSprop(self._weights, lr=RATE)
        for _ in range(STEPS):
            rows = torch.randint(len(targets), (min(BATCH, len(targets)),), generator=generator)
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(self._logits(inputs[rows]), targets[rows]).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        with torch.inference_mode():
            parts = torch.split(torch.from_numpy(self._scale.apply(X)), CHUNK)
            logits = torch.cat([self._logits(part) for part in parts]).double().numpy()
        return np.asarray(log_softmax(logits, axis=1))

    def _logits(self, x: torch.Tensor) -> torch.Tensor:
        first, first_bias, second, second_bias = self._weights
        return functional.linear(torch.relu(functional.linear(x, first, first_bias)), second, second_bias)
