"""Models q(b | a), one a fold: each learns from the other folds and is asked only about rows it never learned from."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from withhold.contracts.seeds import RandomState, root, stream
from withhold.information.estimators.inputs import Pair
from withhold.information.estimators.learning import FoldTraining
from withhold.nets.attribute_density import LOG_VARIANCE_BOUND, categorical_log_density
from withhold.nets.perceptron import Perceptron
from withhold.training.session import private_randomness


class ConditionalTraining(FoldTraining):
    """How the models are trained; the defaults suit 1,000 to 100,000 rows. `hidden` may be empty: a linear model."""


class Conditional(nn.Module):
    """q(b | a): a linear map plus a perceptron, to logits of classes or to mean and log variance of numbers.

    Parameters
    ----------
    classes : int
        Number of classes; 0 for numbers.
    columns : int
        Number of numbers.

    Examples
    --------
    >>> q = Conditional(3, 0, 2, (8,))
    >>> mean, log_variance = q.moments(torch.zeros(5, 3))
    >>> mean.shape, log_variance.shape
    (torch.Size([5, 2]), torch.Size([5, 2]))
    """

    def __init__(self, inputs: int, classes: int, columns: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        width = classes or 2 * columns
        self.classes = classes
        self.line = nn.Linear(inputs, width)
        self.curve = Perceptron((inputs, *hidden, width)) if hidden else None

    def forward(self, a: Tensor) -> Tensor:
        """Return raw outputs (n, width)."""
        outputs: Tensor = self.line(a)
        return outputs if self.curve is None else outputs + self.curve(a)

    def moments(self, a: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and bounded log variance of each number."""
        mean, raw = self(a).chunk(2, dim=1)
        return mean, LOG_VARIANCE_BOUND * torch.tanh(raw / LOG_VARIANCE_BOUND)

    def log_density(self, a: Tensor, b: Tensor) -> Tensor:
        """Return log q(b | a) of each row, up to a constant for numbers."""
        if self.classes:
            return categorical_log_density(self(a), b)
        mean, log_variance = self.moments(a)
        return -0.5 * (log_variance + (b - mean).square() * (-log_variance).exp()).sum(dim=1)


@dataclass(frozen=True, eq=False)
class Fold:
    """What a trained model needs to speak about rows it has not seen.

    Attributes
    ----------
    a : Tensor (n, inputs)
        All rows, as the model takes them.
    b : Tensor (n,) of codes, or (n, columns) of numbers
    learned, aside, held : int64 ndarray
        Rows it learned from, rows it was stopped by, rows it never met.
    """

    model: Conditional
    a: Tensor
    b: Tensor
    learned: np.ndarray
    aside: np.ndarray
    held: np.ndarray


def cross_fitted_conditionals(pair: Pair, settings: ConditionalTraining, random_state: RandomState) -> Iterator[Fold]:
    """Train a model of b given a for each fold and yield it with its rows."""
    settings.check()
    seed, codes = root(random_state), pair.b.joint_codes() if pair.b.discrete else None
    folds = stream(seed, "folds").permutation(len(pair)) % settings.folds
    for fold in range(settings.folds):
        rows, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        a = torch.from_numpy(pair.a.columns(rows).astype(np.float32))
        b = torch.from_numpy(pair.b.columns(rows).astype(np.float32) if codes is None else codes)
        mixed = stream(seed, "aside", fold).permutation(rows)
        cut = max(2, round(settings.aside * len(rows)))
        aside, learned = mixed[:cut], mixed[cut:]
        with private_randomness(torch.device("cpu"), int(stream(seed, "conditional", fold).integers(1 << 62))):
            classes = 0 if codes is None else int(codes.max()) + 1
            model = Conditional(a.shape[1], classes, 0 if classes else b.shape[1], settings.hidden)
            _train(model, a, b, torch.from_numpy(learned), torch.from_numpy(aside), settings)
        yield Fold(model.eval().requires_grad_(False), a, b, learned, aside, held)


def _train(
    model: Conditional, a: Tensor, b: Tensor, rows: Tensor, aside: Tensor, settings: ConditionalTraining
) -> None:
    def density(of: Tensor) -> Tensor:
        return model.log_density(a[of], b[of]).mean()

    settings.learn(model, rows, density, lambda: float(density(aside)))
