"""A budget as a constraint: the multiplier rises while too much leaks and falls while there is room."""

import math

AIM = 0.56
"""Adversaries that play find this share of what they find when the encoder stands still (measured: .013 of .024)."""

OVERSHOOT = 2.0
"""Violation, in budgets, beyond which the multiplier rises no faster: early estimates are many budgets high."""


MOST = 1e9
"""Beside a term that weighs this much, single precision holds nothing of another (2^24 is 1.7e7)."""


class BudgetMultiplier:
    """Multiplier of a constraint estimate <= target, controlled on a moving average of noisy estimates.

    The logarithm of the multiplier is the sum of an integral and a proportional part of the relative violation, so it
    moves by the same factor per round at any scale. A quadratic penalty would need a weight per data set, and never
    meets the budget exactly; a penalty on single batches punishes their noise.

    Parameters
    ----------
    budget : float
        In nats; the scale of violations.
    aim : float
        Target as a share of the budget: adversaries lag behind a moving encoder and find too little.
    gain : float
        Rise of the log multiplier a round at a violation of one budget.
    memory : float
        Weight of the past in the moving average.
    start : float
        Multiplier at the beginning.
    most : float
        The multiplier rises no higher: one that outgrows what it weighs against leaves nothing of it, and takes long to
        come back.

    Examples
    --------
    >>> price = BudgetMultiplier(0.02, aim=0.5, gain=0.1)
    >>> before = price.value
    >>> for _ in range(10):
    ...     _ = price.update(0.04)
    >>> price.value > before
    True
    >>> for _ in range(200):
    ...     _ = price.update(0.0)
    >>> price.value < before
    True
    """

    def __init__(
        self,
        budget: float,
        *,
        aim: float = AIM,
        gain: float = 0.03,
        memory: float = 0.95,
        start: float = 1.0,
        most: float = MOST,
    ) -> None:
        self.budget = budget
        self.target = aim * budget
        self.gain = gain
        self.memory = memory
        self.ceiling = math.log(most)
        self.integral = math.log(start)
        self.average: float | None = None
        self.value = start

    def observe(self, estimate: float) -> float:
        """Take a new estimate into the moving average and return it; the multiplier stays."""
        kept = estimate if self.average is None else self.memory * self.average + (1 - self.memory) * estimate
        self.average = kept
        return kept

    def update(self, estimate: float) -> float:
        """Take a new estimate and return the multiplier."""
        violation = (self.observe(estimate) - self.target) / self.budget
        violation = min(max(violation, -1.0), OVERSHOOT)
        self.integral = min(self.integral + self.gain * violation, self.ceiling)
        self.value = math.exp(min(self.integral + violation, self.ceiling))
        return self.value

    def state_dict(self) -> dict[str, float | None]:
        """Return all that changes."""
        return {"integral": self.integral, "average": self.average, "value": self.value}

    def load_state_dict(self, state: dict[str, float | None]) -> None:
        """Take back what `state_dict` returned."""
        self.integral, self.value = float(state["integral"] or 0.0), float(state["value"] or 0.0)
        self.average = state["average"]
