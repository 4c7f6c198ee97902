"""Both sides of the curve of least H(U|Z) over I(S;Z): lines from below, mechanisms from above, until they meet.

1. Prices at sixteen slopes and at no leakage: each is a line below the curve, and leaves the posteriors that touch it.
2. For each budget, a linear programme over the posteriors of neighbouring slopes: a mechanism above the curve. Its
   dual variable is the slope of the curve there.
3. Where the two are further apart than the tolerance: new prices at that slope, and again.
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from withhold.information.bounds.envelope import Envelope
from withhold.information.bounds.families import Family, mix
from withhold.information.bounds.mechanism import Mechanism, telling
from withhold.information.bounds.no_leakage import NoLeakage, solve_no_leakage
from withhold.information.bounds.prices import FINE, active, find_prices, first_prices, forbid, value

Reals = NDArray[np.float64]

SLOPES = (1.02, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0, 15.0, 30.0, 100.0)
# Posteriors within this share of I(U;S) of the best are offered to the linear programme.
OFFERED = 0.02
# From so many slopes on each side, each at least twice as far away as the one before.
SIDE = 3
ROUNDS = 6


@dataclass(frozen=True)
class Line:
    """`height` - `slope` * k is below the curve."""

    slope: float
    prices: Reals  # nu of `envelope`
    height: float


@dataclass
class Curve:
    """What is known of one curve.

    Attributes
    ----------
    joint : ndarray, shape (n_u, n_s)
        Lumped, all classes of S with mass, at most eight.
    most : float
        I(U;S): from here on nothing is lost.
    safe, told : Mechanism
        Ends of the curve: independent of S, and Z = U.
    known : list of Mechanism
        All that were found; they can be used in turn.
    """

    joint: Reals
    most: float
    envelope: Envelope = field(repr=False)
    zero: NoLeakage = field(repr=False)
    safe: Mechanism = field(repr=False)
    told: Mechanism = field(repr=False)
    known: list[Mechanism] = field(repr=False)
    lines: list[Line] = field(default_factory=list, repr=False)
    _offered: list[tuple[float, list[Family]]] = field(default_factory=list, repr=False)

    @classmethod
    def start(cls, joint: Reals) -> "Curve":
        """Solve the two ends and the first slopes."""
        told = telling(joint)
        envelope = Envelope(joint.sum(axis=0))
        zero = solve_no_leakage(envelope, joint, max(told.leakage, 1e-12))
        safe = Mechanism.of(zero.atoms, joint)
        curve = cls(joint, told.leakage, envelope, zero, safe, told, [safe, told])
        curve.lines.append(Line(1.0, first_prices(joint), told.leakage))  # Lemma 2.2: I(U;S) - k
        # With no leakage worth the same as all of it, the chord between the ends is the curve.
        if safe.uncertainty - told.leakage > 1e-9 * told.leakage:
            nu = first_prices(joint)
            for slope in SLOPES:
                nu = find_prices(envelope, joint, slope, nu, curve.most)
                curve._add(slope, nu)
        return curve

    def lower(self, budget: float) -> tuple[float, Line]:
        """Return the highest line at `budget`, and its height there."""
        at_zero = [Line(math.inf, self.zero.prices, self.zero.lower)] if budget <= 0 else []
        lines = [*self.lines, *at_zero]
        heights = [line.height - (0.0 if math.isinf(line.slope) else line.slope * budget) for line in lines]
        best = int(np.argmax(heights))
        return heights[best], lines[best]

    def upper(self, budgets: Sequence[float], tolerance: float) -> list[Mechanism]:
        """Return a mechanism within each budget, and refine the lines, until both are within `tolerance`."""
        slopes = [math.nan] * len(budgets)
        for _ in range(ROUNDS):
            worked = False
            for i in _spread(len(budgets)):
                if self.shared(budgets[i]).uncertainty - self.lower(budgets[i])[0] <= tolerance:
                    continue
                worked = True
                if math.isfinite(slopes[i]):
                    nu = self.lower(budgets[i])[1].prices
                    self._add(slopes[i], find_prices(self.envelope, self.joint, slopes[i], nu, self.most, FINE))
                better, slopes[i] = self._mixed(budgets[i], slopes[i])
                if better is not None:
                    self.known.append(better)
            if not worked:
                break
        return [self.shared(k) for k in budgets]

    def shared(self, budget: float) -> Mechanism:
        """Return the best mechanism within `budget` that uses two known ones in turn: their lower convex envelope."""
        if budget >= self.most:
            return self.told
        low, high = between(self.known, budget)
        if high.leakage <= budget:
            return high
        return high.repaired(budget, low)

    def _add(self, slope: float, nu: Reals) -> None:
        self.lines.append(Line(slope, nu, value(self.envelope, self.joint, slope, nu)))
        families = active(self.envelope, self.joint, slope, nu, OFFERED * self.most)
        bisect.insort(self._offered, (slope, families), key=lambda entry: entry[0])

    def _mixed(self, budget: float, slope: float) -> tuple[Mechanism | None, float]:
        """Mix posteriors of the slopes around the curve's own at `budget`; its dual variables give one more line."""
        around = slope if math.isfinite(slope) else self.lower(budget)[1].slope
        mixture = mix(self.joint, [*self._near(around), *self._ends()], budget)
        if mixture is None:
            return None, math.nan
        if mixture.slope < 1.0 + 1e-9:
            return self._within(mixture.atoms, budget), math.nan
        nu = forbid(mixture.prices - mixture.slope * np.log(self.envelope.reference), self.joint, mixture.slope)
        self.lines.append(Line(mixture.slope, nu, value(self.envelope, self.joint, mixture.slope, nu)))
        return self._within(mixture.atoms, budget), mixture.slope

    def _near(self, slope: float) -> list[Family]:
        place = bisect.bisect([known for known, _ in self._offered], slope)
        chosen: list[Family] = []
        for side in (self._offered[:place][::-1], self._offered[place:]):
            taken, last = 0, 0.0
            for known, families in side:
                distance = abs(math.log(known / slope))
                if taken < SIDE and (taken == 0 or distance >= 2.0 * last):
                    chosen += families
                    taken, last = taken + 1, distance
        return chosen

    def _within(self, atoms: Reals, budget: float) -> Mechanism:
        return Mechanism.of(atoms, self.joint).repaired(budget, self.safe)

    def _ends(self) -> list[Family]:
        n_u, n_s = self.joint.shape
        everything = np.ones((1, n_s), bool)
        told = [Family(self.joint, everything, np.ones(1), np.eye(n_u, dtype=bool)[[u]]) for u in range(n_u)]
        return [*told, *self.zero.families]


def between(known: Sequence[Mechanism], budget: float) -> tuple[Mechanism, Mechanism]:
    """Return the two corners of the lower convex envelope of (leakage, uncertainty) around `budget`."""
    corners: list[Mechanism] = []
    for new in sorted(known, key=lambda m: (m.leakage, m.uncertainty)):
        if corners and new.uncertainty >= corners[-1].uncertainty:
            continue
        while len(corners) > 1 and _above(corners[-2], corners[-1], new):
            corners.pop()
        corners.append(new)
    place = bisect.bisect([m.leakage for m in corners], budget)
    return corners[max(0, place - 1)], corners[min(place, len(corners) - 1)]


def _above(a: Mechanism, b: Mechanism, c: Mechanism) -> bool:
    """Whether b lies on or above the chord from a to c."""
    return (b.uncertainty - a.uncertainty) * (c.leakage - a.leakage) >= (c.uncertainty - a.uncertainty) * (
        b.leakage - a.leakage
    )


def _spread(count: int) -> list[int]:
    """Return 0 .. count - 1 with every prefix spread out: the middle first, then the quarters."""
    order, queue = [], [(0, count)]
    while queue:
        low, high = queue.pop(0)
        if low < high:
            middle = (low + high) // 2
            order.append(middle)
            queue += [(low, middle), (middle + 1, high)]
    return order
