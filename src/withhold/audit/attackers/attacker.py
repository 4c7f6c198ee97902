"""What an attacker is: fitted on rows whose S is known, it says how likely each value of S is elsewhere."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, Self

import numpy as np
from scipy.sparse import csr_matrix

from withhold.audit.effort import Effort
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.audit.view.links import Rows
from withhold.audit.view.pixels import Pictures

InputKind = Literal["dense", "whitened", "ordinal", "images", "words", "links", "relations"]

# Numbers further out than this many spreads are outliers that would outweigh everything else.
CLIP = 6.0


class Attacker(ABC):
    """Guesses a categorical attribute.

    Attributes
    ----------
    name : str
        As reported and as chosen with ``--attackers``.
    inputs : {"dense", "whitened", "ordinal", "images", "words", "links", "relations"}
        Which view of the release it reads: one-hot columns and standardised numbers; the same turned and scaled to
        unit variance in every direction; category codes and raw numbers;
        or whole images, counts of words, the rows that a row names, or what is calculated from several columns, where
        there are any.
    extra : bool
        Joins the panel only when asked for by name ("+name").
    """

    name: ClassVar[str]
    inputs: ClassVar[InputKind]
    extra: ClassVar[bool] = False

    def __init__(self, effort: Effort) -> None:
        self.effort = effort

    @abstractmethod
    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Learn from rows `X` with class codes `s` (0..k-1, every class present)."""

    @abstractmethod
    def log_proba(self, X: Matrix) -> Reals:
        """Return log q(s|x), shape (n, k)."""


class ScoreAttacker(ABC):
    """Guesses a continuous attribute through its normal score (rank mapped to a standard normal)."""

    name: ClassVar[str]
    inputs: ClassVar[InputKind]
    extra: ClassVar[bool] = False

    def __init__(self, effort: Effort) -> None:
        self.effort = effort

    @abstractmethod
    def fit(self, X: Matrix, score: Reals, rng: np.random.Generator) -> Self:
        """Learn from rows `X` with normal scores `score`."""

    @abstractmethod
    def log_ratio(self, X: Matrix, score: Reals) -> Reals:
        """Return log q(score|x) - log p(score) of each row, p the standard normal density."""


@dataclass(frozen=True)
class Scale:
    """Centre and spread of each column of the training rows.

    Examples
    --------
    >>> X = np.array([[0.0, 7.0], [2.0, 7.0]], np.float32)
    >>> Scale.of(X).apply(X).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """

    centre: Matrix
    spread: Matrix

    @classmethod
    def of(cls, X: Matrix) -> "Scale":
        """Read both off `X`; constant columns keep their unit."""
        spread = X.std(axis=0, dtype=np.float64)
        return cls(
            X.mean(axis=0, dtype=np.float64).astype(np.float32),
            np.where(spread > 1e-6, spread, 1.0).astype(np.float32),
        )

    def apply(self, X: Matrix) -> Matrix:
        """Return standardised columns, clipped far out."""
        return np.asarray(np.clip((X - self.centre) / self.spread, -CLIP, CLIP), dtype=np.float32)


class Inputs(Protocol):
    """What attackers read, row for row: three matrices, and images, words, links, relations where there are any."""

    @property
    def dense(self) -> Matrix:
        """One-hot columns and scaled numbers."""

    @property
    def whitened(self) -> Matrix:
        """Uncorrelated directions of unit variance."""

    @property
    def ordinal(self) -> Matrix:
        """Codes and raw numbers, NaN where missing."""

    @property
    def images(self) -> Pictures | None:
        """Whole images, shape (n, channels, height, width)."""

    @property
    def words(self) -> csr_matrix | None:
        """How often each token stands in each row."""

    @property
    def links(self) -> Rows | None:
        """The number of each row, and of the rows it is linked with."""

    @property
    def relations(self) -> Matrix | None:
        """What is calculated from several columns, from rows that are alike, or from the values of an image."""

    @property
    def distances(self) -> Reals | None:
        """Distances of each row to its nearest others, ascending, which copies are planted by."""
