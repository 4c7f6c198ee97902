"""How small a leak an audit of so many rows finds, how many rows a budget needs, and which budget rows can decide.

What attackers find of a leak of k nats is less than k, because they learn from rows: with C nats of noise in what they
learned and the temperature that serves held rows best, a weak leak reads k^2 / (k + C). C falls as one over the rows:
for a regression whose columns behave it is parameters over twice the rows, and `planning.learning_cost` measures it.
It varies from one leak to the next, in all parts of the rows alike.

What is found on m scored rows varies by the variance of one record's log-ratio over m. The rule of the verdict says
when it counts: lower end above 0 and value at least half of what was planted, in every form and part, and afterwards
the upper end over the recovery within the budget.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from withhold.audit.design import INNER, MOST_INNER
from withhold.audit.effort import Effort
from withhold.audit.planning.law import Law
from withhold.contracts.audit_record import PlantForm

# Chance of a pass, where nothing leaks beyond what is known to, at which a number of rows is said to decide.
ENOUGH = 0.8
# How much wider than a single two-sided interval the simultaneous one over a form's attackers is; and what the worst of
# the whole panel reads of nothing, in squares of that quantile over twice the rows.
WIDENING = 1.06
# Parameters that calibration fits beside one bias a class.
TEMPERATURE = 1
# Standard deviation of the logarithm of C among equal leaks: in 24 plantings what was found spread half as much again
# as the scored rows alone would have it (benchmarks/choice). The chance is a mean over these nodes of it.
LUCK = 1 / 3
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
DRAWS = 4_000
MOST_ROWS = 100_000_000


@dataclass(frozen=True)
class Power:
    """What decides how much an audit can see.

    Attributes
    ----------
    law : Law
        Of the attribute, or of all attributes together.
    losses : mapping of str to float
        C of each form of plant, in nats, as `measured` rows showed it.
    parts : tuple of float
        Shares of the rows in the parts that are judged apart.
    told : float
        Nats that are known to be handed over, such as those of U; 0 where nothing is.
    level : float
        Coverage of intervals.
    rows_per_subject : float
        1 without subjects.
    number : bool
        Whether S is a number: then no biases of classes are calibrated, and the bins limit how much surprises.
    makers : int
        Sanitisers of a cross-fitted release, whose differences widen the interval.
    high : float or None
        Upper end of what is told, where it was measured on just the rows that are asked about; else it is drawn.
    """

    law: Law
    effort: Effort
    losses: Mapping[PlantForm, float]
    measured: int
    parts: tuple[float, ...] = (0.7, 0.3)
    told: float = 0.0
    level: float = 0.95
    rows_per_subject: float = 1.0
    number: bool = False
    makers: int = 1
    high: float | None = None

    def cross_fitted(self, makers: int) -> "Power":
        """Return the same of a release in which every row comes from one of so many sanitisers that never saw it."""
        return replace(self, parts=(1.0,), makers=makers, high=None)

    def chance_found(self, size: float, rows: float) -> float:
        """Return the chance that a leak of `size` nats is found in every form and part of so many rows."""
        chance = 1.0
        for cost in self._costs(rows):
            of_form = np.ones(len(NODES))
            for share in self.parts:
                of_form *= self._found(size, cost, share * rows, rows)
            chance *= float(of_form @ WEIGHTS) / WEIGHTS.sum()
        return chance

    def detection_limit(self, rows: float) -> float | None:
        """Return the smallest leak that is found as often as not, in nats; None: not even the largest."""
        top = float(self.law.sizes[-1])
        if self.chance_found(top, rows) < 0.5:
            return None
        return _smallest(lambda size: self.chance_found(size, rows) >= 0.5, 1e-5, top)

    def chance_decided(self, budget: float, rows: float) -> float:
        """Return the chance of a pass where a release tells no more than is known to be handed over."""
        if budget >= self.law.entropy or self.told >= budget:
            return 0.0
        rng = np.random.default_rng(0)
        recovery, high = self._recovered(budget, rows, rng), np.zeros(DRAWS)
        for share in self.parts:
            high = np.maximum(high, self._high(share * rows, rng))
        return float(((recovery > 0) & (high <= budget * recovery)).mean())

    def room(self, budget: float, rows: float) -> float:
        """Return the largest upper end with which a pass within `budget` is as likely as not; 0 where none is."""
        if budget >= self.law.entropy:
            return 0.0
        return budget * float(np.median(self._recovered(budget, rows, np.random.default_rng(0))))

    def rows_needed(self, budget: float, chance: float = ENOUGH) -> int | None:
        """Return how many rows a verdict within `budget` needs; None where none would do."""

        def enough(rows: float) -> bool:
            return self.chance_decided(budget, rows) >= chance

        return round(_smallest(enough, 20.0, MOST_ROWS)) if enough(MOST_ROWS) else None

    def decidable_budget(self, rows: float, chance: float = ENOUGH) -> float | None:
        """Return the smallest budget that so many rows can decide; None where there is none below H(S)."""
        top = float(self.law.sizes[-1])

        def enough(budget: float) -> bool:
            return self.chance_decided(budget, rows) >= chance

        return _smallest(enough, max(1e-5, self.told), top) if enough(top) else None

    def at(self, effort: Effort) -> "Power":
        """Return the same at another effort."""
        return replace(self, effort=effort)

    def _recovered(self, budget: float, rows: float, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of the share of the test leaks of a budget that is found, at most 1; 0 where one is missed."""
        size = min(budget, float(self.law.sizes[-1]))
        found, recovery = np.ones(DRAWS, bool), np.ones(DRAWS)
        costs = [(cost, cost * np.exp(LUCK * rng.standard_normal(DRAWS))) for cost in self._costs(rows)]
        for share in self.parts:
            for cost, drawn_cost in costs:
                value, error = self._read(size, cost, share * rows, rows)
                drawn = self._value(size, drawn_cost, rows) + error * rng.standard_normal(DRAWS)
                found &= (drawn > self._margin(value, error, share * rows, rows)) & (drawn >= size / 2)
                recovery = np.minimum(recovery, drawn / size)
        return np.where(found, recovery, 0.0)

    def _costs(self, rows: float) -> tuple[float, ...]:
        """Return what attackers lose of each form for having learned from so many rows, in nats."""
        return tuple(loss * self.measured / rows for loss in self.losses.values()) or (0.0,)

    def _held(self, rows: float) -> float:
        train = rows * (self.effort.folds - 1) / self.effort.folds
        return max(1.0, min(INNER * train, MOST_INNER))

    def _read(self, size: float, cost: float, part: float, rows: float) -> tuple[float, float]:
        """Return mean and standard error of what is found of a plant on the scored rows of a part."""
        scored = part * self._scored(rows)
        variance = self.law.variance(size * size / (size + cost))
        return float(self._value(size, np.array(cost), rows)), math.sqrt(variance / max(1.0, scored))

    def _value(self, size: float, cost: NDArray[np.float64], rows: float) -> NDArray[np.float64]:
        """Return what is found of a plant, for each C, before chance has its part."""
        biases = 0 if self.number else len(self.law.shares) - 1
        calibration = (biases + TEMPERATURE) / (2 * self._held(rows))
        kept = size * size / (size + cost)
        return np.asarray(kept - np.minimum(calibration, kept / 2))

    def _scored(self, rows: float) -> float:
        """Return the share of the rows that are scored when leaks are planted; the audit rounds up to whole folds."""
        return min(1.0, max(self.effort.plant_folds / self.effort.folds, self.effort.plant_rows / rows))

    def _found(self, size: float, cost: float, part: float, rows: float) -> NDArray[np.float64]:
        """Return the chance that a plant is found in a part, at each of the nodes."""
        value, error = self._read(size, cost, part, rows)
        least = max(self._margin(value, error, part, rows), size / 2)
        values = self._value(size, cost * np.exp(LUCK * NODES), rows)
        return np.asarray(norm.sf((least - values) / max(error, 1e-12)))

    def _margin(self, value: float, error: float, part: float, rows: float) -> float:
        """Return what a reading must exceed for its lower end to be above 0."""
        scored = max(2.0, part * self._scored(rows) / self.rows_per_subject)
        rare = float(np.log(2.0 / self._alpha())) / scored
        return self._quantile() * error - rare * self.law.least(value, scored)

    def _high(self, part: float, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of the upper end on a part that tells what is known to be told and nothing more."""
        if self.high is not None:
            return np.full(DRAWS, self.high)
        units = max(2.0, part / self.rows_per_subject)
        error = np.sqrt(self.law.variance(self.told) / max(1.0, part))
        most = math.log(max(self.effort.bins)) if self.number else self.law.surprise
        nothing = (self._quantile() ** 2 / 2 + math.log(2.0 / self._alpha()) * most) / units
        half, noise = np.full(DRAWS, self._quantile()), rng.standard_normal(DRAWS)
        if self.makers > 1:  # as a t interval over them comes out where they do not differ
            spread = np.sqrt(rng.chisquare(self.makers - 1, DRAWS) / (self.makers - 1))
            half = np.maximum(half, t.isf(self._alpha() / 2, self.makers - 1) * spread)
        return np.asarray(self.told + error * (half + noise) + nothing)

    def _alpha(self) -> float:
        return (1.0 - self.level) / len(self.parts)

    def _quantile(self) -> float:
        return WIDENING * float(norm.isf(self._alpha() / 2))


def _smallest(enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest number, within a per mille, from which on a condition holds that holds at `high`."""
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        if high / low < 1.002:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
