"""The parameters of MI backpropagation: what is allowed, and the sizes and rates they come to."""

from dataclasses import replace
from typing import Any

import numpy as np

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.methods.backpropagation.information_terms import ESTIMATORS
from withhold.methods.estimator.settings import check_number
from withhold.training.backpropagation import Backpropagation

CHOICES: dict[str, tuple[Any, ...]] = {
    "estimator": ESTIMATORS,
    "clip": ("tensor", "global", None),
    "optimisers": (1, 2),
    "preset": (None, "paper"),
    "precision": ("32-true", "64-true", "bf16-mixed", "bf16-true"),
}
EPOCHS = 500  # of the authors' code
PAPER_STEPS = 80  # K of section 4, each on a batch of its own (line 5 of Algorithm 1 draws inside the inner loop)
ROUNDS = 300, 1500  # fewest and most by default


def recipe_of(method: Any, n: int) -> Backpropagation:
    """Check the parameters of `MIBackprop` and return what they come to for `n` rows."""
    why, remedy = "It shapes the training.", "Leave the default."
    for name, high in (("lam", np.inf), ("noise", np.inf), ("ramp", 1.0)):
        check_number(method, name, 0.0, high, why=why, remedy=remedy)
    for name in ("rate", "estimator_rate"):
        check_number(method, name, 1e-12, why=why, remedy=remedy)
    for name, low in (("steps", 1), ("pool", 1), ("statistics", 1), ("dimensions", 1), ("hidden", 1), ("batch", 2)):
        check_number(method, name, low, integer=True, why=why, remedy=remedy)
    if method.rounds is not None:
        check_number(method, "rounds", 1, integer=True, why=why, remedy=remedy)
    for name, known in CHOICES.items():
        value = getattr(method, name)
        if value not in known:
            what = f"The '{name}' parameter of MIBackprop"
            raise InvalidParameterError(sentence(what, f"one of {known}", repr(value), why, remedy))
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
