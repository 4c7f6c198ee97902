"""A critic per fold, trained on the other folds and valued on held-out scores, for estimators that have one."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from withhold.contracts.checks import refused
from withhold.contracts.quantity import Kind, Quantity
from withhold.contracts.seeds import RandomState, root, stream
from withhold.information.estimators.estimator import InformationEstimator, check_finite, interval
from withhold.information.estimators.inputs import Pair
from withhold.information.estimators.learning import FoldTraining
from withhold.nets.critic import JointCritic, SeparableCritic
from withhold.training.session import private_randomness

Objective = Callable[[Tensor], Tensor]

# Held-out rows are scored against at most so many others: more pairs add cost, not much precision. A joint critic pays
# for every pair.
BLOCK = {"separable": 2048, "joint": 256}


@dataclass(frozen=True, kw_only=True)
class CriticTraining(FoldTraining):
    """How critics are trained; the defaults suit 1,000 to 100,000 rows.

    Attributes
    ----------
    critic : {"separable", "joint"}
        An embedding of each side, or one net for the pair, as in the papers: n^2 passes a batch of n.
    hidden, steps, batch, rate, decay, folds, aside
        As in `FoldTraining`.
    """

    fewest_steps: ClassVar[int] = 1

    critic: Literal["separable", "joint"] = "separable"
    hidden: tuple[int, ...] = (64, 64)
    steps: int = 800

    def check(self) -> None:
        """Refuse settings that cannot be used."""
        super().check()
        if self.critic not in ("separable", "joint"):
            raise refused("critic", "'separable' or 'joint'", self.critic)
        if not self.hidden or min(self.hidden) < 1:
            raise refused("hidden", "widths from 1 on", self.hidden)


@dataclass
class HeldOut:
    """Scores of one fold by a critic that has not seen it.

    Attributes
    ----------
    blocks : list of float64 ndarray
        Square matrices of scores; entry (i, i) is a joint pair, the others are product pairs.
    batch_value : float
        Mean of the objective over the last batches of training: what papers print, biased and memorised.
    """

    blocks: list[np.ndarray] = field(default_factory=list)
    batch_value: float = float("nan")


def held_out_scores(
    pair: Pair,
    objective: Objective,
    settings: CriticTraining,
    random_state: RandomState,
    valued: Objective | None = None,
) -> Iterator[HeldOut]:
    """Train a critic for each fold and yield the scores it gives to that fold.

    Parameters
    ----------
    objective : callable
        From a matrix of scores to a scalar to maximise.
    valued : callable, optional
        What the rows kept aside are judged by, if not `objective`.
    """
    settings.check()
    seed = root(random_state)
    folds = stream(seed, "folds").permutation(len(pair)) % settings.folds
    for fold in range(settings.folds):
        learned, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        a, b = (torch.from_numpy(side.columns(learned).astype(np.float32)) for side in (pair.a, pair.b))
        learned = stream(seed, "aside", fold).permutation(learned)
        cut = max(2, round(settings.aside * len(learned)))
        with private_randomness(torch.device("cpu"), int(stream(seed, "critic", fold).integers(1 << 62))):
            critic = make_critic(settings, a.shape[1], b.shape[1])
            rows = torch.from_numpy(learned)
            reached = _train(critic, a, b, rows[cut:], rows[:cut], (objective, valued or objective), settings)
        critic.eval()
        held = stream(seed, "blocks", fold).permutation(held)
        with torch.no_grad():
            parts = blocks_of(torch.from_numpy(held), settings)
            blocks = [critic(a[part], b[part]).double().numpy() for part in parts]
        yield HeldOut(blocks, reached)


def blocks_of(rows: Tensor, settings: CriticTraining) -> list[Tensor]:
    """Divide rows into blocks of nearly equal size, within which all pairs are scored.

    Examples
    --------
    >>> [len(part) for part in blocks_of(torch.arange(600), CriticTraining(critic="joint"))]
    [200, 200, 200]
    """
    return list(torch.tensor_split(rows, -(-len(rows) // BLOCK[settings.critic])))


def make_critic(settings: CriticTraining, a_width: int, b_width: int) -> SeparableCritic | JointCritic:
    """Return an untrained critic."""
    kind = SeparableCritic if settings.critic == "separable" else JointCritic
    return kind(a_width, b_width, settings.hidden)


def _train(
    critic: torch.nn.Module,
    a: Tensor,
    b: Tensor,
    rows: Tensor,
    aside: Tensor,
    objectives: tuple[Objective, Objective],
    settings: CriticTraining,
) -> float:
    looks = blocks_of(aside[: BLOCK["separable"]], settings)

    def value(objective: Objective, part: Tensor) -> Tensor:
        return objective(critic(a[part], b[part]))

    return settings.learn(
        critic,
        rows,
        lambda chosen: value(objectives[0], chosen),
        lambda: float(np.mean([float(value(objectives[1], part)) for part in looks])),
        clip=CLIP,
    )


CLIP = 5.0  # norm of a gradient: e^T of one outlying pair must not throw the critic away


Valued = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(kw_only=True, eq=False, repr=False)
class CriticEstimator(InformationEstimator):
    """Trains a critic per fold by an objective and values held-out scores: what is left to say is which.

    Attributes
    ----------
    kind, condition
        Of the quantity.
    """

    kind: ClassVar[Kind] = "lower_bound"
    condition: ClassVar[str] = "The interval is of the sampling of held-out rows, for the critics that were found."
    training: CriticTraining | None = None
    level: float = 0.95
    random_state: RandomState = None

    def _measure(self, pair: Pair) -> Quantity:
        objective, valued = self._objectives()
        folds = held_out_scores(pair, objective, self.training or CriticTraining(), self.random_state, valued)
        name = type(self).__name__
        found, self.batch_value_ = cross_fitted(folds, self._value, self.kind, self.level, name, self.condition)
        return found

    @abstractmethod
    def _objectives(self) -> tuple[Objective, Objective]:
        """Return what a critic is trained by, and what the rows kept aside to stop by are judged by."""

    @abstractmethod
    def _value(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value of a block of held-out scores, and contributions of its records that average to it."""


def cross_fitted(
    folds: Iterable[HeldOut], valued: Valued, kind: Kind, level: float, name: str, condition: str
) -> tuple[Quantity, float]:
    """Return the mean value over folds as a quantity, and the mean of what training batches showed."""
    values, weights, parts, shown = [], [], [], []
    for fold in folds:
        shown.append(fold.batch_value)
        for scores in fold.blocks:
            value, contributions = valued(scores)
            values.append(value)
            weights.append(len(scores))
            parts.append(contributions - contributions.mean())
    mean = check_finite(float(np.average(values, weights=weights)), name)
    low, high = interval(np.concatenate(parts), mean, level)
    found = Quantity(value=mean, low=low, high=high, kind=kind, level=level, n=sum(weights), condition=condition)
    return found, float(np.mean(shown))


def product_mean(scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the log of the mean of e^T off the diagonal, and by how much each record's row and column exceed it.

    Both in units of the mean: (row mean + column mean) / mean - 2.

    Examples
    --------
    >>> log_mean, excess = product_mean(np.zeros((3, 3)))
    >>> float(log_mean), excess.tolist()
    (0.0, [0.0, 0.0, 0.0])
    """
    n = len(scores)
    rest = scores.copy()
    np.fill_diagonal(rest, -np.inf)
    top = rest.max()
    mass = np.exp(rest - top)
    mean = mass.sum() / (n * (n - 1))
    both = (mass.sum(axis=0) + mass.sum(axis=1)) / (n - 1)
    return float(top + np.log(mean)), both / mean - 2.0
