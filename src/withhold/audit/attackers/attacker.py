"""What an attacker is: fitted on rows whose S is known, it says how likely each value of S is elsewhere."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from withhold.audit.effort import Effort

Matrix = NDArray[np.float32]
Reals = NDArray[np.float64]
Codes = NDArray[np.int64]
InputKind = Literal["dense", "whitened", "ordinal"]


class Attacker(ABC):
    """Guesses a categorical attribute.

    Attributes
    ----------
    name : str
        As reported and as chosen with ``--attackers``.
    inputs : {"dense", "whitened", "ordinal"}
        Which view of the release it reads: one-hot columns and standardised numbers; the same turned and scaled to
        unit variance in every direction; or category codes and raw numbers.
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


def log_softmax(logits: Reals) -> Reals:
    """Return the logarithm of the softmax over the last axis.

    Examples
    --------
    >>> np.exp(log_softmax(np.zeros((1, 4)))).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
