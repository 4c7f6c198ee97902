"""Models q(b | a), one a fold: each learns from the other folds and is asked only about rows it never learned from."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from withhold.contracts.checks import refused
from withhold.contracts.seeds import RandomState, root, stream
from withhold.information.estimators.inputs import Pair
from withhold.nets.attribute_density import LOG_VARIANCE_BOUND, categorical_log_density
from withhold.nets.perceptron import Perceptron
from withhold.training.session import private_randomness


@dataclass(frozen=True)
class ConditionalTraining:
    """How the models are trained; the defaults suit 1,000 to 100,000 rows.

    Attributes
    ----------
    hidden : tuple of int
        Widths of hidden layers; empty for a linear model.
    steps : int
        At most; training stops when rows kept aside no longer improve.
    batch : int
    rate : float
        Of Adam.
    decay : float
        Weight decay.
    folds : int
    aside : float
        Share of the training rows kept aside to stop by, and to calibrate on.
    """

    hidden: tuple[int, ...] = (64,)
    steps: int = 1500
    batch: int = 256
    rate: float = 2e-3
    decay: float = 1e-3
    folds: int = 3
    aside: float = 0.2

    def check(self) -> None:
        """Refuse settings that cannot be used."""
        for name, least in (("steps", 0), ("batch", 2), ("folds", 2)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise refused(name, f"at least {least}", value)
        if not (self.rate > 0 and self.decay >= 0 and 0 < self.aside < 1):
            raise refused("rate, decay and aside", "> 0, >= 0 and in (0, 1)", (self.rate, self.decay, self.aside))


class Conditional(nn.Module):
    """q(b | a): a linear map plus a perceptron, to logits of classes or to mean and log variance of numbers.

    Parameters
    ----------
    inputs : int
    classes : int
        Number of classes; 0 for numbers.
    columns : int
        Number of numbers.
    hidden : tuple of int

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
    model : Conditional
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
    adam = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=settings.decay)
    size = min(settings.batch, len(rows))
    best, kept, stale = -np.inf, copy.deepcopy(model.state_dict()), 0
    for step in range(settings.steps):
        if step % EVERY == 0:
            with torch.no_grad():
                value = float(model.log_density(a[aside], b[aside]).mean())
            if value > best:
                best, kept, stale = value, copy.deepcopy(model.state_dict()), 0
            elif (stale := stale + 1) > PATIENCE:
                break
        chosen = rows[torch.randint(len(rows), (size,))] if size < len(rows) else rows
        loss = -model.log_density(a[chosen], b[chosen]).mean()
        adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    model.load_state_dict(kept)


EVERY, PATIENCE = 25, 8  # steps between looks at the rows kept aside, and looks without gain before the end
