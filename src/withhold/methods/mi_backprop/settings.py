"""The parameters of MI backpropagation: what is allowed, and the sizes and rates they come to."""

from dataclasses import replace
from typing import Any

import numpy as np

from withhold.methods.mi_backprop.game import Backpropagation

EPOCHS = 500  # of the authors' code
PAPER_STEPS = 80  # K of section 4, each on a batch of its own (line 5 of Algorithm 1 draws inside the inner loop)
ROUNDS = 300, 1500  # fewest and most by default


def recipe_of(method: Any, n: int) -> Backpropagation:
    """Return what the parameters of `MIBackprop` come to for `n` rows."""
    batch = int(min(method.batch, max(2, n // 2)))
    shared = Backpropagation(
        lam=float(method.lam),
        batch=batch,
        pool=int(method.pool),
        ramp=float(method.ramp),
        clip=method.clip,
        optimisers=int(method.optimisers),
    )
    if method.preset == "paper":
        rounds = method.rounds or EPOCHS * -(-n // batch)
        return replace(shared, rounds=rounds, steps=PAPER_STEPS, pool=PAPER_STEPS, rate=1e-4, estimator_rate=1e-4)
    return replace(
        shared,
        rounds=method.rounds or int(np.clip(ROUNDS[0] + n / 40, *ROUNDS)),
        steps=int(method.steps),
        rate=float(method.rate),
        estimator_rate=float(method.estimator_rate),
        noise=float(method.noise),
    )
