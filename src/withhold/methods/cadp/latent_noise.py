"""What becomes of a record's latent: an exact private answer for the directions kept, fresh prior draws for the rest.

Everything after the mechanism - lengths, the other coordinates, the decoder - is drawn or computed without the record,
so that it can add nothing to what the mechanism's answer tells.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.estimator.release import Draws
from withhold.privacy.discrete_laplace import DiscreteLaplace
from withhold.privacy.exact_sampling import uniform_below
from withhold.privacy.mechanism import Mechanism
from withhold.privacy.privunit import MOST_NUMBERS, MOST_WORDS, PrivUnit
from withhold.privacy.randomised_response import RandomisedResponse

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]
MECHANISMS = ("privunit", "laplace")
# Radius of the L1 ball over epsilon, at which noise of scale 2 radius / epsilon has the variance of the prior.
UNIT_NOISE = 1 / (2 * math.sqrt(2))
# Radius and noise of the paper's figures: s = min(epsilon / 2, 4).
PAPER_SHARE, PAPER_MOST = 0.5, 4.0


WORDS_A_DIRECTION, FEWEST_WORDS = 512, 256


def codewords(directions: int) -> int:
    """Return the size of the codebook: what is kept does not hang on it, and the time a release takes does.

    Examples
    --------
    >>> codewords(2), codewords(16), codewords(784)
    (1024, 8192, 4096)
    """
    most = min(MOST_WORDS, MOST_NUMBERS // directions)
    wanted = max(FEWEST_WORDS, WORDS_A_DIRECTION * directions)
    return 1 << (min(most, wanted).bit_length() - 1)


class WeightedPrivUnit(PrivUnit):
    """PrivUnit that compares a record with codewords after both were weighted: what matters more is told more exactly.

    It is PrivUnit of the weighted record over a codebook of weighted directions, which no record enters, answered with
    the directions as they were: the promise is the same. Answers to normal latents are somewhat wider than normal
    along what matters most (on digits 1.2 at epsilon = 10).

    Parameters
    ----------
    weights : ndarray of shape (k,)
        Of the coordinates, > 0.

    Examples
    --------
    >>> z = np.random.default_rng(0).normal(size=(2000, 8))
    >>> answers = WeightedPrivUnit(Fraction(6), np.array([4.0] + [1.0] * 7)).randomise(z)
    >>> first, others = (answers[:, 0] * z[:, 0]).mean(), (answers[:, 1:] * z[:, 1:]).mean()
    >>> bool(first > 1.5 * others), bool(others > 0)
    (True, True)
    """

    def __init__(self, epsilon: Fraction, weights: NDArray[np.floating[Any]]) -> None:
        super().__init__(epsilon, len(weights), words=codewords(len(weights)))
        self.weights = np.asarray(weights, np.float64)

    @cached_property
    def answers(self) -> NDArray[np.float32]:
        """The directions that are answered, shape (words, dimensions)."""
        return PrivUnit(self.epsilon, self.dimensions, words=self.words, closest=self.closest).codebook

    @cached_property
    def codebook(self) -> NDArray[np.float32]:
        """The directions that a record is compared with: weighted, and of one length again."""
        weighted = self.answers * self.weights
        return np.asarray(weighted / np.linalg.norm(weighted, axis=1, keepdims=True), np.float32)

    def choose(self, values: NDArray[Any]) -> Codes:
        """Return the numbers of the directions that are the releases of records."""
        return super().choose(np.asarray(values) * self.weights)

    def randomise(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return unit vectors, shape (n, dimensions)."""
        return self.answers[self.choose(values)].astype(np.float64)


class LatentNoise:
    """A mechanism on some directions of a standard normal latent.

    Parameters
    ----------
    mechanism : {"privunit", "laplace", "paper"}
        "paper" is Algorithm 1: every latent brought to L1 norm s = min(nominal / 2, 4), noise of scale s / nominal on
        all coordinates; its epsilon is twice the nominal one.
    epsilon : Fraction
        What is promised.
    basis : ndarray of shape (d, k)
        Orthonormal columns: the directions kept.
    classes : int
        0 for records without class.
    class_epsilon : Fraction
        For a class that is answered at random; 0 for one that is shown as it is.
    weights : ndarray of shape (k,), optional
        How much each direction matters, for PrivUnit; by default all alike.

    Examples
    --------
    >>> noise = LatentNoise("privunit", Fraction(10), np.eye(40)[:, :16])
    >>> z = np.random.default_rng(0).normal(size=(300, 40))
    >>> out = noise.released(z)
    >>> kept, rest = ((z * out)[:, part].mean() for part in (slice(16), slice(16, None)))
    >>> bool(kept > 0.5), bool(abs(rest) < 0.1), bool(0.9 < out.std() < 1.1)
    (True, True, True)
    """

    def __init__(
        self,
        mechanism: str,
        epsilon: Fraction,
        basis: NDArray[np.floating[Any]],
        classes: int = 0,
        class_epsilon: Fraction = Fraction(0),
        weights: NDArray[np.floating[Any]] | None = None,
    ) -> None:
        self.kind, self.epsilon = mechanism, epsilon
        self.response = RandomisedResponse(class_epsilon, classes) if class_epsilon and classes > 1 else None
        self.basis = np.asarray(basis, np.float64)
        self.dimensions, self.kept = self.basis.shape
        self.weights = np.ones(self.kept) if weights is None else weights
        self.mechanism = self._made()

    def _made(self) -> Mechanism:
        nominal = float(self.epsilon)
        if self.kind == "paper":
            radius = min(PAPER_SHARE * nominal / 2, PAPER_MOST)
            return DiscreteLaplace(self.epsilon, self.kept, radius=radius, normalise=True)
        if self.kind == "laplace":
            longest = math.sqrt(2 / math.pi) * self.kept + 2 * math.sqrt(self.kept)  # few latents are longer
            return DiscreteLaplace(self.epsilon, self.kept, radius=min(UNIT_NOISE * nominal, longest))
        if self.kept == 1:  # one number has no direction but its sign
            return RandomisedResponse(self.epsilon, categories=2)
        return WeightedPrivUnit(self.epsilon, self.weights)

    def released(self, z: Reals) -> Reals:
        """Return what stands for the latents `z` (n, d), with fresh exact draws."""
        fresh = np.random.default_rng()  # of the operating system; no record has a part in what it draws
        v = np.asarray(z, np.float64) @ self.basis
        answer = self._signs(v) if self._sign else self.mechanism.randomise(v)
        return self._completed(answer, fresh.standard_normal((len(z), self.dimensions)), fresh.chisquare, len(z))

    def without_record(self, n: int) -> Reals:
        """Return `n` latents drawn as if there were no record: what a release is to be compared with."""
        fresh = np.random.default_rng()
        answer: Any
        if self._sign:
            answer = 2.0 * uniform_below(2, n)[:, None] - 1
        elif isinstance(self.mechanism, WeightedPrivUnit):
            answer = self.mechanism.answers[uniform_below(self.mechanism.words, n)].astype(np.float64)
        else:
            answer = self.mechanism.randomise(np.zeros((n, self.kept)))
        return self._completed(answer, fresh.standard_normal((n, self.dimensions)), fresh.chisquare, n)

    def rehearsed(self, z: Reals, draws: Draws) -> Reals:
        """Do what `released` does with draws that can be repeated: for tests, never for sharing."""
        v = np.asarray(z, np.float64) @ self.basis
        answer: Any
        u = draws.uniform("mechanism", max(2, self.kept)).astype(np.float64)
        if self._sign:
            true = 1 / (1 + math.exp(-float(self.epsilon)))
            answer = np.where(v > 0, 1.0, -1.0) * np.where(u[:, :1] < true, 1.0, -1.0)
        elif isinstance(self.mechanism, WeightedPrivUnit):
            m, words = self.mechanism.closest, self.mechanism.words
            near = 1 / (1 + math.exp(-float(self.epsilon)) * (words - m) / m)
            place = np.where(u[:, 0] < near, u[:, 1] * m, m + u[:, 1] * (words - m)).astype(np.int64)
            scores = np.round(v * self.weights @ self.mechanism.codebook.T.astype(np.float64), 4)
            order = np.argsort(-scores, axis=1, kind="stable")
            answer = self.mechanism.answers[np.take_along_axis(order, place[:, None], axis=1)[:, 0]].astype(np.float64)
        else:
            laplace: Any = self.mechanism
            half = u[:, : self.kept] - 0.5
            noise = -np.sign(half) * np.log1p(-2 * np.abs(half).clip(max=0.5 - 1e-8))
            answer = laplace.clip(v) * laplace.granularity + noise * float(laplace.scale) * laplace.granularity
        rest = draws.normal("prior", self.dimensions).astype(np.float64)
        squares = (draws.normal("length", self.kept).astype(np.float64) ** 2).sum(axis=1)
        return self._completed(answer, rest, lambda k, n: squares, len(z))

    def classes(self, codes: Codes) -> Codes:
        """Return the classes that records are shown under, with fresh exact draws where they are answered at random."""
        return codes if self.response is None else self.response.randomise(codes)

    def rehearsed_classes(self, codes: Codes, draws: Draws) -> Codes:
        """Do what `classes` does with draws that can be repeated."""
        if self.response is None:
            return codes
        u, k = draws.uniform("class", 2), self.response.categories
        shift = 1 + (u[:, 1] * (k - 1)).astype(np.int64)
        return np.where(u[:, 0] < self.response.kept, codes, (codes + shift) % k)

    @property
    def _sign(self) -> bool:
        return isinstance(self.mechanism, RandomisedResponse)

    def _signs(self, v: Reals) -> Reals:
        return 2.0 * self.mechanism.randomise((v[:, 0] > 0).astype(np.int64))[:, None] - 1

    def _completed(self, answer: Reals, prior: Reals, squares: Callable[[int, int], Reals], n: int) -> Reals:
        """Put an answer back among the coordinates that the record has no part in."""
        if self.kind == "privunit":
            answer = answer * np.sqrt(squares(self.kept, n))[:, None]
        if self.kept == self.dimensions:
            return np.asarray(answer @ self.basis.T)
        return np.asarray(prior + (answer - prior @ self.basis) @ self.basis.T)
