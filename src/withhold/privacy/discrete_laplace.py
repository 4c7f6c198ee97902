"""Laplace noise on an integer grid: what the paper's step needs so that its epsilon is true.

Records are vectors z. They are shrunk to L1 norm at most `radius`, cut to the grid toward zero, and checked in
integers: sum |q_i| <= Q. Two records then differ by at most 2 Q in L1, and noise with P(x) proportional to
exp(-|x| / t), t = 2 Q / epsilon, on every coordinate has log-ratio at most 2 Q / t = epsilon, reached for records at
opposite corners. Noise of scale Q / epsilon, as in Algorithm 1 of "Content-Aware Differential Privacy with Conditional
Invertible Neural Networks" (Tölle et al., 2022), reaches 2 epsilon: ask for 2 epsilon to get that mechanism, with its
true epsilon.

The grid's spacing is a power of two, so that nothing is rounded on the way back, and all that a rounding on the way
there can change is which q stands for z.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.checks import refused
from withhold.privacy.exact_sampling import Geometric, Integers, discrete_laplace
from withhold.privacy.mechanism import Enumeration, Exact, Mechanism, as_rows, exact

# Spacing of the grid by default: the noise is at least 2^20 spacings wide.
_FINE = 20
# Integers stay far below 2^63: d times the largest coordinate must fit.
_MOST_STEPS = 1 << 40
# And the noise as well: beyond it nothing of a record would be left anyway.
_MOST_SCALE = 1 << 52


class DiscreteLaplace(Mechanism):
    """Clip to an L1 ball and add discrete Laplace noise: pure epsilon for vectors.

    Parameters
    ----------
    epsilon : int, float, str or Fraction
        Exact; floats are read as they print.
    radius : float, default=1.0
        Of the L1 ball. Radius and noise grow together; only what comes after can tell one radius from another.
    normalise : bool, default=False
        Bring every record to L1 norm `radius`, short ones too.
    granularity : float, optional
        Spacing of the grid, a power of two; by default at most 2^-20 of the noise's scale.

    Examples
    --------
    >>> mechanism = DiscreteLaplace(4, dimensions=3, radius=2.0)
    >>> mechanism.randomise(np.ones((5, 3))).shape
    (5, 3)
    >>> mechanism.epsilon, float(mechanism.scale * Fraction(mechanism.granularity))
    (Fraction(4, 1), 1.0)
    """

    reference = "canonne2020discrete"

    def __init__(
        self,
        epsilon: Exact,
        dimensions: int,
        radius: float = 1.0,
        normalise: bool = False,
        granularity: float | None = None,
    ) -> None:
        self.epsilon = exact(epsilon, "epsilon", "DiscreteLaplace")
        self.dimensions = dimensions
        self.radius = radius
        self.normalise = normalise
        size = exact(radius, "radius", "DiscreteLaplace")
        if granularity is None:
            granularity = math.ldexp(1.0, math.frexp(float(min(2 * size / self.epsilon, size)))[1] - 1 - _FINE)
        self.granularity = granularity
        step = exact(granularity, "granularity", "DiscreteLaplace")
        self.steps = int(size / Fraction(granularity))
        if math.frexp(granularity)[0] != 0.5 or not 1 <= self.steps <= _MOST_STEPS or step <= 0:
            raise refused("granularity", "a power of two between radius / 2^40 and radius", granularity)
        self.scale = 2 * self.steps / self.epsilon
        if self.scale > _MOST_SCALE:
            raise refused("epsilon", "at least 1e-9", float(self.epsilon))
        self._magnitude = Geometric(self.scale)

    def clip(self, values: NDArray[Any]) -> Integers:
        """Return the grid points that stand for records: sum of absolute values at most `steps`, in integers.

        A record with a value that is not finite stands at zero.
        """
        z = as_rows(values, self.dimensions, "DiscreteLaplace")
        z = np.where(np.isfinite(z).all(axis=1, keepdims=True), z, 0.0)
        largest = np.abs(z).max(axis=1, initial=0.0, keepdims=True)
        z = np.divide(z, largest, out=np.zeros_like(z), where=largest > 0)
        norm = np.abs(z).sum(axis=1, keepdims=True)
        with np.errstate(over="ignore"):  # an infinite norm is longer than the radius, which is all that is asked
            length = self.radius if self.normalise else np.minimum(self.radius, norm * largest)
        factor = np.divide(length, norm, out=np.zeros_like(norm), where=norm > 0)
        q: Integers = np.trunc(z * (factor / self.granularity)).astype(np.int64)
        rows = np.arange(len(q))
        while len(rows):
            # Rounding above may leave a few units too many: they go from the largest coordinate.
            excess = np.abs(q[rows]).sum(axis=1) - self.steps
            rows, excess = rows[excess > 0], excess[excess > 0]
            at = np.abs(q[rows]).argmax(axis=1)
            value = q[rows, at]
            q[rows, at] = np.sign(value) * np.maximum(np.abs(value) - excess, 0)
        return q

    def randomise(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return noisy vectors, shape (n, dimensions); multiples of `granularity`."""
        q = self.clip(values)
        noisy = q + discrete_laplace(self._magnitude, q.size).reshape(q.shape)
        return noisy.astype(np.float64) * self.granularity

    def log_probabilities(self, value: NDArray[Any], outputs: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of each output, shape (k, dimensions), for one record."""
        q = self.clip(np.asarray(value)[None])[0]
        x = np.rint(np.asarray(outputs) / self.granularity).astype(np.int64)
        each = math.log(math.tanh(float(1 / (2 * self.scale))))  # (1 - q) / (1 + q) for q = exp(-1 / t)
        return np.asarray(self.dimensions * each - np.abs(x - q).sum(axis=1) / float(self.scale))

    def covered(self) -> tuple[str, ...]:
        """Return what of a record the promise extends to."""
        return (f"all {self.dimensions} values that enter the mechanism, whatever their range",)

    @classmethod
    def enumeration(cls) -> Enumeration:
        """Return two coordinates on a grid of radius 3, with outputs to twice that."""
        mechanism = cls(1, dimensions=2, radius=3.0, granularity=1.0)
        square = np.array(list(itertools.product(range(-3, 4), repeat=2)))
        outputs = np.array(list(itertools.product(range(-6, 7), repeat=2)))
        return Enumeration(mechanism, square[np.abs(square).sum(axis=1) <= 3], outputs, complete=False)
