"""Gaussian noise on an integer grid: an approximate promise with a delta that is proved, for vectors of bounded length.

Records are shrunk to L2 norm at most `radius`, cut to the grid toward zero and checked in integers: sum q_i^2 <= R^2.
Two of them are at most 2 R apart, and independent discrete Gaussian noise, P(x) proportional to exp(-x^2 / (2 s^2)), on
every coordinate is rho-concentrated with rho = (2 R)^2 / (2 s^2) (Canonne, Kamath and Steinke, 2020, theorem 14). That
gives (epsilon, delta) for every a > 1 (their corollary 13):

    delta = exp((a - 1) (a rho - epsilon)) / (a - 1) (1 - 1 / a)^a.

s^2 is the smallest integer for which the best a gives the delta asked for. The draws are theirs: discrete Laplace
numbers Y of scale t = floor(s) + 1, kept with probability exp(-(|Y| - s^2 / t)^2 / (2 s^2)), decided exactly.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

from withhold.contracts.checks import refused
from withhold.contracts.errors import InvalidParameterError
from withhold.privacy.exact_sampling import Geometric, Integers, bernoulli_exponentials, discrete_laplace
from withhold.privacy.mechanism import Enumeration, Exact, Mechanism, as_rows, exact

# Logarithms of the least and the largest rho that is looked for.
_LOG_RHO = (-60.0, 12.0)
# The radius in spacings by default; its square, and that of the noise, fit 64-bit integers.
_STEPS = 1 << 20
_MOST_STEPS = 1 << 26
# The noise's standard deviation, in spacings: its draws stay far below 2^63.
_MOST_WIDTH = 1 << 52
# Computed deltas are taken to be wrong by this share.
_CARE = 1e-6


class DiscreteGaussian(Mechanism):
    """Clip to an L2 ball and add discrete Gaussian noise: (epsilon, delta) for vectors.

    Parameters
    ----------
    epsilon, delta : int, float, str or Fraction
        Exact; floats are read as they print. delta in (0, 1).
    dimensions : int
    radius : float, default=1.0
        Of the L2 ball.
    steps : int, default=2**20
        The radius in spacings of the grid.

    Examples
    --------
    >>> mechanism = DiscreteGaussian(4, 1e-6, dimensions=3)
    >>> mechanism.randomise(np.ones((5, 3))).shape
    (5, 3)
    >>> mechanism.guarantee().privacy.notion
    'approximate'
    """

    reference = "canonne2020discrete"

    def __init__(self, epsilon: Exact, delta: Exact, dimensions: int, radius: float = 1.0, steps: int = _STEPS) -> None:
        self.epsilon = exact(epsilon, "epsilon", "DiscreteGaussian")
        self.delta = exact(delta, "delta", "DiscreteGaussian")
        exact(radius, "radius", "DiscreteGaussian")
        if self.delta >= 1 or not 1 <= steps <= _MOST_STEPS:
            if self.delta >= 1:
                raise refused("delta", "above 0 and below 1", delta)
            raise refused("steps", f"between 1 and {_MOST_STEPS}", steps)
        self.dimensions = dimensions
        self.radius = radius
        self.steps = steps
        self.granularity = radius / steps
        self.variance = math.ceil(2 * steps**2 / concentrated_budget(float(self.epsilon), float(self.delta)))
        self._width = math.isqrt(self.variance) + 1
        if self._width > _MOST_WIDTH:
            raise InvalidParameterError(
                f"epsilon {float(self.epsilon):g} with delta {float(self.delta):g} makes the noise too wide for 64-bit "
                "integers. Pass a larger epsilon or delta."
            )
        self._magnitude = Geometric(Fraction(self._width))

    @property
    def scale(self) -> float:
        """Standard deviation of the noise, in units of the records."""
        return math.sqrt(self.variance) * self.granularity

    def clip(self, values: NDArray[Any]) -> Integers:
        """Return the grid points that stand for records: sum of squares at most ``steps ** 2``, in integers.

        A record with a value that is not finite stands at zero.
        """
        z = as_rows(values, self.dimensions, "DiscreteGaussian")
        z = np.where(np.isfinite(z).all(axis=1, keepdims=True), z, 0.0)
        largest = np.abs(z).max(axis=1, initial=0.0, keepdims=True)
        z = np.divide(z, largest, out=np.zeros_like(z), where=largest > 0)
        norm = np.sqrt((z**2).sum(axis=1, keepdims=True))
        with np.errstate(over="ignore"):  # an infinite norm is longer than the radius, which is all that is asked
            length = np.minimum(1.0, norm * (largest / self.radius)) * self.steps
        q: Integers = np.trunc(z * np.divide(length, norm, out=np.zeros_like(norm), where=norm > 0)).astype(np.int64)
        rows = np.arange(len(q))
        while len(rows):
            rows = rows[(q[rows] ** 2).sum(axis=1) > self.steps**2]
            at = np.abs(q[rows]).argmax(axis=1)
            q[rows, at] -= np.sign(q[rows, at])
        return q

    def noise(self, size: int) -> Integers:
        """Return discrete Gaussian integers."""
        out = np.empty(size, np.int64)
        done = 0
        while done < size:
            drawn = discrete_laplace(self._magnitude, 64 + (size - done) * 3 // 2)  # about three in four are kept
            kept = drawn[self._kept(np.abs(drawn))][: size - done]
            out[done : done + len(kept)] = kept
            done += len(kept)
        return out

    def _kept(self, sizes: Integers) -> NDArray[np.bool_]:
        # In units of s every term is of order one and the subtraction loses nothing that counts: see the margin there.
        s = math.sqrt(self.variance)
        x = ((sizes - self.variance / self._width) / s) ** 2 / 2

        def true(i: int) -> Fraction:
            return (int(sizes[i]) - Fraction(self.variance, self._width)) ** 2 / (2 * self.variance)

        return bernoulli_exponentials(x, true)

    def randomise(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return noisy vectors, shape (n, dimensions); multiples of `granularity`."""
        q = self.clip(values)
        return (q + self.noise(q.size).reshape(q.shape)).astype(np.float64) * self.granularity

    def log_probabilities(self, value: NDArray[Any], outputs: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of each output, shape (k, dimensions), for one record."""
        q = self.clip(np.asarray(value)[None])[0]
        x = np.rint(np.asarray(outputs) / self.granularity).astype(np.int64)
        reach = np.arange(1, 40 * self._width)  # beyond forty deviations nothing is left in a float
        total = 1 + 2 * np.exp(-(reach**2) / (2 * self.variance)).sum()
        return np.asarray(-((x - q) ** 2).sum(axis=1) / (2 * self.variance) - self.dimensions * math.log(total))

    def covered(self) -> tuple[str, ...]:
        """Return what of a record the promise extends to."""
        return (f"all {self.dimensions} values that enter the mechanism, whatever their range",)

    @classmethod
    def enumeration(cls) -> Enumeration:
        """Return one coordinate on a grid of radius 2."""
        mechanism = cls(1, "1/100", dimensions=1, radius=2.0, steps=2)
        outputs = np.arange(-120, 121)[:, None]
        return Enumeration(mechanism, np.arange(-2, 3)[:, None], outputs, complete=False)


def concentrated_delta(epsilon: float, rho: float) -> float:
    """Return a delta that holds at epsilon for every rho-concentrated mechanism.

    Examples
    --------
    >>> concentrated_delta(1.0, 0.01) < 1e-9 < concentrated_delta(1.0, 0.1)
    True
    """

    def log_delta(log_order: float) -> float:
        order = 1 + math.exp(log_order)
        return (order - 1) * (order * rho - epsilon) - log_order + order * math.log1p(-1 / order)

    # Any order gives a valid delta; the best lies near (epsilon / rho + 1) / 2.
    middle = math.log(max(epsilon / rho, 1e-3))
    found = minimize_scalar(log_delta, bounds=(middle - 8, middle + 3), method="bounded", options={"xatol": 1e-6})
    return min(1.0, math.exp(min(0.0, float(found.fun))))


def concentrated_budget(epsilon: float, delta: float) -> float:
    """Return the largest rho whose delta at epsilon is at most `delta`, a millionth part below it for rounding.

    Examples
    --------
    >>> rho = concentrated_budget(1.0, 1e-6)
    >>> 0.5e-6 < concentrated_delta(1.0, rho) <= 1e-6
    True
    """
    wanted = math.log(delta * (1 - 2 * _CARE))

    def excess(u: float) -> float:
        return math.log(max(concentrated_delta(epsilon, math.exp(u)), 1e-300)) - wanted

    if excess(_LOG_RHO[0]) > 0 or excess(_LOG_RHO[1]) < 0:
        raise InvalidParameterError(
            f"No discrete Gaussian noise has epsilon {epsilon:g} with delta {delta:g}. Pass one from .001 to 100."
        )
    root = brentq(excess, *_LOG_RHO)
    rho = math.exp(root)
    while concentrated_delta(epsilon, rho) > delta * (1 - _CARE):
        rho *= 1 - _CARE
    return rho
