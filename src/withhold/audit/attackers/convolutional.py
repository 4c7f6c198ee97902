"""A small convolutional network: finds what is in a picture wherever it stands, and shapes, strokes and angles."""

import copy
from typing import ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import log_softmax
from torch import Tensor, nn
from torch.nn import functional

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.network import watch
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.view.pixels import Pictures, floats
from withhold.nets.convolutional import Convolutional

# Measured on digits (stroke thickness, angle, class), a mark at random places, a weak fixed pattern and noise: larger
# rates sometimes never leave the start.
RATE, WEIGHT_DECAY, BATCH, AVERAGING = 4e-3, 1e-2, 128, 0.98
# Passes as a part of those of the perceptron, and looks without progress that end the training after half of them:
# a mark at random places shows no progress at first.
PASSES, PATIENCE = 0.6, 5
FEWEST_STEPS, LONGEST_LOOK = 20, 120
CHUNK = 2_048


def passes(network_epochs: int) -> int:
    """Return the most passes over the images.

    Examples
    --------
    >>> passes(20)
    12
    """
    return max(2, round(PASSES * network_epochs))


class CnnAttacker(Attacker):
    """Convolutions over whole images; the probabilities of several seeds are averaged."""

    name: ClassVar[str] = "cnn"
    inputs: ClassVar[InputKind] = "images"

    def fit(self, X: Pictures, s: Codes, rng: np.random.Generator) -> Self:
        """Train one network a seed."""
        self._mean = X.mean(axis=0, dtype=np.float64).astype(np.float32)
        if not np.isfinite(self._mean).all():
            self._mean = np.zeros_like(self._mean)
        probe = floats(X[:CHUNK])
        self._spread = max(float((probe - self._mean).std(dtype=np.float64)), 1e-12)
        classes = int(s.max()) + 1
        with torch.random.fork_rng(devices=[]):
            self._nets = [self._train(X, s, classes, rng) for _ in range(self.effort.network_seeds)]
        return self

    def log_proba(self, X: Pictures) -> Reals:
        """Return the logarithm of the mean probability over seeds."""
        logits = [self._predict(net, X) for net in self._nets]
        return np.asarray(
            np.logaddexp.reduce([log_softmax(one, axis=-1) for one in logits], axis=0) - np.log(len(logits))
        )

    def _tensor(self, X: Pictures) -> Tensor:
        scaled = (floats(X) - self._mean) / np.float32(self._spread)
        return torch.from_numpy(scaled).contiguous(memory_format=torch.channels_last)

    def _predict(self, net: nn.Module, X: Pictures) -> NDArray[np.float64]:
        net.eval()
        with torch.inference_mode():
            parts = [net(self._tensor(X[start : start + CHUNK])) for start in range(0, len(X), CHUNK)]
        return np.asarray(torch.cat(parts).double().numpy())

    def _train(self, X: Pictures, s: Codes, classes: int, rng: np.random.Generator) -> Convolutional:
        """Train one network; return the running average of its weights where the watched rows were guessed best."""
        torch.manual_seed(int(rng.integers(2**62)))
        kept, watched = watch(s, rng)
        channels, height, width = X.shape[1:]
        net = Convolutional((channels, height, width), classes)
        net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        average = copy.deepcopy(net)
        best, best_loss, looks = copy.deepcopy(average), self._loss(average, X, s, watched), 0
        optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY, fused=True)
        n = len(kept)
        batch = max(1, min(n, BATCH, max(16, n // 20)))
        every = min(LONGEST_LOOK, max(FEWEST_STEPS, n // batch))
        steps = max(2 * FEWEST_STEPS, passes(self.effort.network_epochs) * (n // batch))
        targets, order = torch.from_numpy(s), np.zeros(0, np.int64)
        for step in range(1, steps + 1):
            if len(order) < batch:
                order = rng.permutation(kept)
            rows, order = order[:batch], order[batch:]
            net.train()
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(net(self._tensor(X[rows])), targets[rows]).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            with torch.no_grad():
                for mean, weight in zip(average.parameters(), net.parameters(), strict=True):
                    mean.lerp_(weight, 1.0 - min(AVERAGING, step / (step + 9.0)))
            if step % every == 0:
                loss, looks = self._loss(average, X, s, watched), looks + 1
                if loss < best_loss - 1e-5:
                    best, best_loss, looks = copy.deepcopy(average), loss, 0
                elif looks >= PATIENCE and step >= steps // 2:
                    break
        return best

    def _loss(self, net: nn.Module, X: Pictures, s: Codes, rows: Codes) -> float:
        if not len(rows):
            return 0.0
        found = log_softmax(self._predict(net, X[rows]), axis=-1)
        return float(-found[np.arange(len(rows)), s[rows]].mean())
