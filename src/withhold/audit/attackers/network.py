"""A multi-layer perceptron: finds smooth structure in any direction, such as rotated interactions and radii."""

from typing import ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from withhold.audit.attackers.attacker import Attacker, Codes, InputKind, Matrix, Reals, log_softmax

WIDTH = 256
DROPOUT = 0.2
LARGEST_BATCH = 512
LEAST_STEPS = 200
PEAK_RATE = 4e-3
WEIGHT_DECAY = 1e-2
# Numbers further out than this are outliers that would blow up the first layer; ranks beyond it carry no more.
CLIP = 6.0


def _network(inputs: int, outputs: int, generator: torch.Generator) -> nn.Sequential:
    net = nn.Sequential(
        nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, outputs)
    )
    for layer in net:
        if isinstance(layer, nn.Linear):
            bound = (1.0 / layer.in_features) ** 0.5
            with torch.no_grad():
                layer.weight.uniform_(-bound, bound, generator=generator)
                layer.bias.uniform_(-bound, bound, generator=generator)
    return net


def _forward(net: nn.Sequential, x: Tensor, generator: torch.Generator) -> Tensor:
    # Dropout with its own generator: torch's module would draw from, and disturb, the user's global stream.
    for layer in net:
        x = layer(x)
        if isinstance(layer, nn.ReLU):
            keep = torch.rand(x.shape, generator=generator) >= DROPOUT
            x = x * keep / (1 - DROPOUT)
    return x


def train_network(X: Matrix, s: Codes, classes: int, epochs: int, seed: int) -> nn.Sequential:
    """Train one perceptron with AdamW under a one-cycle rate, drawing nothing from global random streams."""
    generator = torch.Generator().manual_seed(seed)
    net = _network(X.shape[1], classes, generator)
    inputs, targets = torch.from_numpy(np.clip(X, -CLIP, CLIP)), torch.from_numpy(s)
    n = len(inputs)
    batch = max(16, min(LARGEST_BATCH, n // 20))
    steps_an_epoch = max(1, n // batch)
    steps = max(LEAST_STEPS, epochs * steps_an_epoch)
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE / 25, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=PEAK_RATE, total_steps=steps, pct_start=0.25)
    order = torch.empty(0, dtype=torch.int64)
    for _ in range(steps):
        if len(order) < min(batch, n):
            order = torch.randperm(n, generator=generator)
        rows, order = order[:batch], order[batch:]
        loss = nn.functional.cross_entropy(_forward(net, inputs[rows], generator), targets[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
    return net


class Network(Attacker):
    """Two hidden layers of 256 with dropout; the probabilities of several seeds are averaged."""

    name: ClassVar[str] = "mlp"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Train one network a seed."""
        seeds = rng.integers(2**62, size=self.effort.network_seeds)
        classes = int(s.max()) + 1
        self._nets = [train_network(X, s, classes, self.effort.network_epochs, int(seed)) for seed in seeds]
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return the logarithm of the mean probability over seeds."""
        inputs = torch.from_numpy(np.clip(X, -CLIP, CLIP))
        with torch.inference_mode():
            logits = [
                torch.cat([net(part) for part in torch.split(inputs, 8192)]).double().numpy() for net in self._nets
            ]
        return np.asarray(np.logaddexp.reduce([log_softmax(one) for one in logits], axis=0) - np.log(len(logits)))
