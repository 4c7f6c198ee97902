"""A multi-layer perceptron: finds smooth structure in any direction, such as rotated interactions and radii.

It starts as the logistic regression of the same rows and learns only what that misses, and it stops where rows it is
not trained on are guessed best. Without that, more training makes a weak leak look smaller: of a shift of .026 nat in
32 directions a network left to run finds .013, this one .025.
"""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import log_softmax
from torch import Tensor
from torch.nn import functional

from withhold.audit.attackers.attacker import Attacker, InputKind, Scale
from withhold.audit.attackers.logistic import fit_logistic
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# Measured on released representations, shifts, scales, rotated interactions of .03 and .1 nat and two real tables:
# these settings had the largest sum of held-out leakage for their cost among some seventy.
WIDTH, LAYERS = 256, 3
DROPOUT = 0.3
LARGEST_BATCH = 512
RATE, WEIGHT_DECAY = 1.5e-3, 1e-2
AVERAGING = 0.99
# Rows that decide when to stop, and how many looks at them without progress end the training.
WATCHED, FEWEST_WATCHED, MOST_WATCHED = 0.1, 400, 4_000
FEWEST_STEPS, MOST_STEPS, PATIENCE = 20, 120, 5
CHUNK = 8_192


class Masks:
    """Dropout masks cut at random places from one stock, because drawing them afresh costs as much as the layers.

    They have their own generator: torch's module would draw from, and disturb, the user's global stream.
    """

    def __init__(self, size: int, generator: torch.Generator) -> None:
        self.generator = generator
        self.stock = (torch.rand(8 * size, generator=generator) >= DROPOUT).float() / (1.0 - DROPOUT)

    def apply(self, x: Tensor) -> Tensor:
        """Return `x` with units dropped."""
        last = len(self.stock) - x.numel()
        start = int(torch.randint(last + 1, (1,), generator=self.generator))
        return x * self.stock[start : start + x.numel()].view(x.shape)


def initial_weights(X: Matrix, s: Codes, classes: int, generator: torch.Generator) -> list[Tensor]:
    """Return weights and biases: a logistic regression from input to output, and hidden layers that add nothing yet."""
    weights = []
    before = X.shape[1]
    for _ in range(LAYERS):
        bound = (1.0 / before) ** 0.5
        weights += [
            torch.empty(shape).uniform_(-bound, bound, generator=generator) for shape in ((WIDTH, before), (WIDTH,))
        ]
        before = WIDTH
    model = fit_logistic(X, s)
    linear = [torch.from_numpy(np.array(part, dtype=np.float32, order="C")) for part in (model.slopes.T, model.offsets)]
    return [*weights, torch.zeros(classes, WIDTH), *linear]


def forward(weights: Sequence[Tensor], x: Tensor, masks: Masks | None = None) -> Tensor:
    """Return logits: hidden layers plus the linear path."""
    hidden = x
    for layer in range(LAYERS):
        hidden = functional.gelu(functional.linear(hidden, weights[2 * layer], weights[2 * layer + 1]))
        if masks is not None:
            hidden = masks.apply(hidden)
    head, slopes, offsets = weights[-3:]
    return functional.linear(hidden, head) + functional.linear(x, slopes, offsets)


def predict(weights: Sequence[Tensor], x: Tensor) -> Tensor:
    """Return logits of many rows."""
    with torch.inference_mode():
        return torch.cat([forward(weights, part) for part in torch.split(x, CHUNK)])


def watch(s: Codes, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide rows into those to train on and those to watch; the first row of each class is always trained on."""
    n = len(s)
    free = np.setdiff1d(np.arange(n), np.unique(s, return_index=True)[1])
    size = min(MOST_WATCHED, max(round(WATCHED * n), min(FEWEST_WATCHED, n // 5)))
    watched = rng.permutation(free)[:size]
    return np.setdiff1d(np.arange(n), watched), watched


def train_network(X: Matrix, s: Codes, classes: int, epochs: int, rng: np.random.Generator) -> list[Tensor]:
    """Train one perceptron; return the running average of its weights where the watched rows were guessed best.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Standardised columns.
    s : ndarray of shape (n,)
        Class codes.
    classes : int
        Number of classes.
    epochs : int
        Most passes over the rows.
    rng : Generator
        Of everything random; nothing is drawn from global streams.
    """
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    kept, watched = watch(s, rng)
    weights = initial_weights(X[kept], s[kept], classes, generator)
    inputs, targets = torch.from_numpy(X[kept]), torch.from_numpy(s[kept])
    seen, truth = torch.from_numpy(X[watched]), torch.from_numpy(s[watched])
    average = [weight.clone() for weight in weights]
    best, best_loss, looks = [mean.clone() for mean in average], _loss(average, seen, truth), 0
    n = len(kept)
    batch = max(1, min(n, LARGEST_BATCH, max(16, n // 20)))
    every = min(MOST_STEPS, max(FEWEST_STEPS, n // batch))
    masks = Masks(batch * WIDTH, generator)
    for weight in weights:
        weight.requires_grad_()
    optimizer = torch.optim.AdamW(weights, lr=RATE, weight_decay=WEIGHT_DECAY, fused=True)
    order = torch.empty(0, dtype=torch.int64)
    for step in range(1, max(2 * FEWEST_STEPS, epochs * (n // batch)) + 1):
        if len(order) < batch:
            order = torch.randperm(n, generator=generator)
        rows, order = order[:batch], order[batch:]
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(forward(weights, inputs[rows], masks), targets[rows]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        with torch.no_grad():
            for mean, weight in zip(average, weights, strict=True):
                mean.lerp_(weight, 1.0 - min(AVERAGING, step / (step + 9.0)))
        if step % every == 0:
            loss, looks = _loss(average, seen, truth), looks + 1
            if loss < best_loss - 1e-5:
                best, best_loss, looks = [mean.clone() for mean in average], loss, 0
            elif looks >= PATIENCE:
                break
    return best


def _loss(weights: Sequence[Tensor], x: Tensor, s: Tensor) -> float:
    return float(functional.cross_entropy(predict(weights, x), s)) if len(x) else 0.0


class Network(Attacker):
    """Three hidden layers of 256 beside a linear path; the probabilities of several seeds are averaged."""

    name: ClassVar[str] = "mlp"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Train one network a seed."""
        self._scale = Scale.of(X)
        X, classes = self._scale.apply(X), int(s.max()) + 1
        self._nets = [
            train_network(X, s, classes, self.effort.network_epochs, rng) for _ in range(self.effort.network_seeds)
        ]
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return the logarithm of the mean probability over seeds."""
        inputs = torch.from_numpy(self._scale.apply(X))
        logits = [predict(net, inputs).double().numpy() for net in self._nets]
        return np.asarray(
            np.logaddexp.reduce([log_softmax(one, axis=-1) for one in logits], axis=0) - np.log(len(logits))
        )
