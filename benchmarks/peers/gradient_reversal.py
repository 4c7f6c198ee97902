"""Plain gradient reversal: an encoder to 32 dimensions that helps a predictor of U and hinders a predictor of S.

Y. Ganin, E. Ustinova, H. Ajakan, P. Germain, H. Larochelle, F. Laviolette, M. Marchand, V. Lempitsky,
"Domain-Adversarial Training of Neural Networks", JMLR 17, 2016: one network, whose branch to S multiplies the gradient
by -lambda on the way back, lambda = 2/(1 + exp(-10 p)) - 1 at the share p of the training. No noise, one adversary.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import nn

DIMENSIONS, HIDDEN, BATCH, EPOCHS, RATE = 32, 256, 256, 30, 1e-3


class Reversed(torch.autograd.Function):
    """Identity whose gradient is turned round."""

    @staticmethod
    def forward(context, z, strength):
        context.strength = strength
        return z.view_as(z)

    @staticmethod
    def backward(context, gradient):
        return -context.strength * gradient, None


def head(classes: int) -> nn.Module:
    """A predictor from the representation."""
    return nn.Sequential(nn.Linear(DIMENSIONS, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, classes))


def fit(
    X: np.ndarray, s: np.ndarray, u: np.ndarray, seed: int, weight: float = 1.0, epochs: int = EPOCHS
) -> Callable[[np.ndarray], np.ndarray]:
    """Train and return the encoder; `s` and `u` are class codes, `weight` is the largest lambda."""
    torch.manual_seed(seed)
    encoder = nn.Sequential(nn.Linear(X.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, DIMENSIONS))
    task, adversary = head(int(u.max()) + 1), head(int(s.max()) + 1)
    parameters = [*encoder.parameters(), *task.parameters(), *adversary.parameters()]
    optimiser = torch.optim.Adam(parameters, RATE)
    x, s_codes, u_codes = torch.from_numpy(X.astype(np.float32)), torch.from_numpy(s), torch.from_numpy(u)
    steps = epochs * (len(X) // BATCH)
    for step in range(steps):
        rows = torch.randint(len(X), (BATCH,))
        z = encoder(x[rows])
        strength = weight * (2 / (1 + math.exp(-10 * step / steps)) - 1)
        loss = nn.functional.cross_entropy(task(z), u_codes[rows])
        loss = loss + nn.functional.cross_entropy(adversary(Reversed.apply(z, strength)), s_codes[rows])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()

    @torch.no_grad()
    def transform(rows: np.ndarray) -> np.ndarray:
        return encoder(torch.from_numpy(rows.astype(np.float32))).numpy()

    return transform
