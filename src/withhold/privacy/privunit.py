"""PrivUnit over a public codebook: the direction of a vector, with far more left of it than Laplace noise leaves.

PrivUnit (Bhowmick et al., 2018) answers with a random direction, more likely one of a cap around the true one. Here
the directions are a codebook of M unit vectors that depends on a public seed and on no record. The m that are closest
to the record share the probability p = e^eps m / (e^eps m + M - m), the others the rest, uniformly within and without.
Whatever the record, exactly m codewords have probability p / m and the others (1 - p) / (M - m): the ratio is e^eps,
and no rounding of inner products can change it, for all that rounding decides is *which* m. The coin is a multiple of
2^-64 with p rounded down.

m is chosen for the largest expected cosine: with c = m / M, the mean inner product of a cap that holds the share c of
the sphere is (1 - g^2)^((d-1)/2) / ((d-1) c B(1/2, (d-1)/2)), g the cosine at the cap's edge, and what is kept of it is
p - (1 - p) c / (1 - c). Only c matters in it: a larger M gives finer directions, not a larger cosine.
"""

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln

from withhold.contracts.checks import refused
from withhold.privacy.exact_sampling import Integers, random_words, uniform_below
from withhold.privacy.expansion import share
from withhold.privacy.keyed_noise import keyed_normal
from withhold.privacy.mechanism import Enumeration, Exact, Mechanism, as_rows, exact
from withhold.privacy.noise_key import NoiseKey

# Size of the codebook by default: at most so many vectors, and so many numbers in all (2^22 float32 are 16 MB). More
# vectors give finer directions at the same expected cosine, and cost time in proportion.
MOST_WORDS, MOST_NUMBERS = 1 << 15, 1 << 22
_BLOCK_NUMBERS = 1 << 22  # inner products at a time
_ONE = 1 << 64


class PrivUnit(Mechanism):
    """Answer with a random codeword, most likely one near the record's direction: pure epsilon for directions.

    The answer has unit length. Who wants vectors that look normal multiplies by lengths that no record enters.

    Parameters
    ----------
    epsilon : int, float, str or Fraction
        Exact; floats are read as they print.
    words : int, optional
        M, size of the codebook.
    closest : int, optional
        m, how many codewords are near; by default what gives the largest expected cosine.
    seed : int, default=0
        Public; of the codebook.

    Attributes
    ----------
    expected_cosine : float
        Between the record and its release, by the formula above: exact for caps, near for codebooks.

    Examples
    --------
    >>> mechanism = PrivUnit(10, dimensions=16, words=4096)
    >>> z = np.random.default_rng(0).normal(size=(500, 16))
    >>> released = mechanism.randomise(z)
    >>> cosine = (z / np.linalg.norm(z, axis=1, keepdims=True) * released).sum(axis=1).mean()
    >>> bool(abs(cosine - mechanism.expected_cosine) < 0.1)
    True
    """

    reference = "bhowmick2018protection"

    def __init__(
        self, epsilon: Exact, dimensions: int, words: int | None = None, closest: int | None = None, seed: int = 0
    ) -> None:
        self.epsilon = exact(epsilon, "epsilon", "PrivUnit")
        if dimensions < 2:
            raise refused("dimensions", "at least 2", dimensions)
        self.dimensions = int(dimensions)
        if words is None:
            words = min(MOST_WORDS, 1 << (max(2, MOST_NUMBERS // self.dimensions).bit_length() - 1))
        if words < 2:
            raise refused("words", "at least 2", words)
        self.words = int(words)
        if closest is None:
            closest = _best(float(self.epsilon), self.dimensions, self.words)
        if not 1 <= closest < self.words:
            raise refused("closest", f"between 1 and {self.words - 1}", closest)
        self.closest = int(closest)
        self.seed = int(seed)
        self.expected_cosine = float(_cosines(float(self.epsilon), self.dimensions, self.words, np.array(closest)))
        # exp(-eps) / (exp(-eps) + m / (M - m)): the probability of a codeword that is not near, rounded up.
        self._far = share(self.epsilon, Fraction(self.closest, self.words - self.closest)).floor(64) + 1

    @cached_property
    def codebook(self) -> NDArray[np.float32]:
        """The codewords, shape (words, dimensions), unit vectors."""
        rows = np.arange(self.words, dtype="<u8").view(np.uint8).reshape(self.words, 8)
        normals = keyed_normal(NoiseKey.from_seed(self.seed), b"privunit codebook", rows, self.dimensions)
        return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True), np.float32)

    def randomise(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return unit vectors, shape (n, dimensions)."""
        return self.codebook[self.choose(values)].astype(np.float64)

    def choose(self, values: NDArray[Any]) -> Integers:
        """Return the numbers of the codewords that are the releases of records."""
        z = as_rows(values, self.dimensions, "PrivUnit")
        ranks = self.ranks(len(z))
        chosen = np.empty(len(z), np.int64)
        step = max(1, _BLOCK_NUMBERS // self.words)
        for start in range(0, len(z), step):
            block = slice(start, start + step)
            chosen[block] = np.take_along_axis(self.near_first(z[block]), ranks[block, None], axis=1)[:, 0]
        return chosen

    def ranks(self, size: int) -> Integers:
        """Return places in an order that has the near codewords first. All the randomness is here, and no record is."""
        near = uniform_below(self.closest, size)
        far = self.closest + uniform_below(self.words - self.closest, size)
        return np.where(random_words(size) < self._far, far, near)

    def near_first(self, z: NDArray[np.float64]) -> Integers:
        """Return for each record an order of all codewords whose first `closest` are the near ones.

        Ties are broken by the codeword's number; a record with a value that is not finite has the first ones near.
        """
        largest = np.abs(z).max(axis=1, keepdims=True)
        usable = np.isfinite(largest) & (largest > 0)
        # Only the direction counts; this keeps it within float32. NaN and infinity become a record without direction.
        direction = np.divide(z, largest, out=np.zeros_like(z), where=usable).astype(np.float32)
        far = direction @ -self.codebook.T
        order = np.argpartition(far, self.closest - 1, axis=1)
        edge = np.take_along_axis(far, order[:, self.closest - 1 : self.closest], axis=1)
        tied = (far <= edge).sum(axis=1) > self.closest
        order[tied] = np.argsort(far[tied], axis=1, kind="stable")
        return order

    def log_probabilities(self, value: NDArray[Any], outputs: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of each codeword of `outputs`, shape (k, dimensions), for one record."""
        numbers = {word.tobytes(): i for i, word in enumerate(self.codebook)}
        place = np.empty(self.words, np.int64)
        place[self.near_first(as_rows(np.asarray(value)[None], self.dimensions, "PrivUnit"))[0]] = np.arange(self.words)
        at = np.array([place[numbers[word.tobytes()]] for word in np.asarray(outputs, np.float32)])
        near = math.log((_ONE - self._far) / _ONE / self.closest)
        far = math.log(self._far / _ONE / (self.words - self.closest))
        return np.where(at < self.closest, near, far)

    def covered(self) -> tuple[str, ...]:
        """Return what of a record the promise extends to."""
        return (f"all {self.dimensions} values that enter the mechanism (their direction; no length is released)",)

    @classmethod
    def enumeration(cls) -> Enumeration:
        """Return forty directions of the plane and a codebook of 24; inputs that are no direction too."""
        mechanism = cls(2, dimensions=2, words=24)
        angle = np.arange(40) * (2 * np.pi / 40)
        odd = [[0.0, 0.0], [np.nan, 1.0], [np.inf, -np.inf], [1e300, -1e300], [5e-324, 0.0]]
        inputs = np.vstack([np.column_stack([np.cos(angle), np.sin(angle)]), odd])
        return Enumeration(mechanism, inputs, mechanism.codebook, complete=True)


def _best(epsilon: float, dimensions: int, words: int) -> int:
    """Return how many codewords should be near."""
    candidates = np.unique(np.geomspace(1, words // 2, 400).astype(np.int64))
    return int(candidates[_cosines(epsilon, dimensions, words, candidates).argmax()])


def _cosines(epsilon: float, dimensions: int, words: int, closest: NDArray[Any]) -> NDArray[np.float64]:
    """Return the expected cosines of record and release for numbers of near codewords."""
    c = closest / words
    half = (dimensions - 1) / 2
    # A coordinate t of a uniform direction has (1 + t) / 2 ~ Beta(half, half): the cap's edge is its upper c-quantile.
    lower = betaincinv(half, half, c)  # the lower quantile of the mirrored cap, exact for small c
    within = np.exp(half * np.log(4 * lower * (1 - lower)) - betaln(0.5, half)) / (2 * half * c)
    odds = np.exp(-epsilon) * (1 - c) / c
    p = 1 / (1 + odds)
    return np.asarray(within * (p - (1 - p) * c / (1 - c)))
