"""Logistic regression on every pixel: finds a fixed pattern too fine for block averages and too faint for a network."""

from typing import ClassVar, Self

import numpy as np

from withhold.audit.arrays import Codes, Matrix, Reals
from withhold.audit.attackers.attacker import CLIP, Attacker, InputKind
from withhold.audit.attackers.logistic import fit_logistic
from withhold.audit.attackers.network import watch
from withhold.audit.pixels import Pictures, blocks

# With thousands of pixels a weak ridge learns rows by heart, a strong one hides a single pixel: watched rows choose.
RIDGES = (10.0, 1_000.0)
# Larger images are averaged over the smallest blocks that give no more: time and memory grow with the pixels.
MOST_PIXELS = 4_096
# A pixel that hardly varies is not blown up beyond this share of the usual spread.
FLATTEST = 0.01


class LinearPixels(Attacker):
    """Multinomial logistic regression on standardised pixels, at full resolution up to 64 x 64."""

    name: ClassVar[str] = "pixels"
    inputs: ClassVar[InputKind] = "images"

    def fit(self, X: Pictures, s: Codes, rng: np.random.Generator) -> Self:
        """Fit with each ridge on some rows, keep the one better on the others."""
        pixels = blocks(X, MOST_PIXELS)[0]
        spread = pixels.std(axis=0, dtype=np.float64)
        self._used = np.flatnonzero(spread > 0)
        if not len(self._used):
            self._used = np.arange(1)
        usual = max(float(spread.max()), 1e-12)
        self._spread = np.maximum(spread[self._used], FLATTEST * usual).astype(np.float32)
        self._centre = pixels[:, self._used].mean(axis=0, dtype=np.float64).astype(np.float32)
        pixels = self._scaled(pixels)
        kept, watched = watch(s, rng)
        losses = []
        for ridge in RIDGES:
            found = fit_logistic(pixels[kept], s[kept], ridge).log_proba(pixels[watched])
            losses.append(-float(found[np.arange(len(watched)), s[watched]].mean()) if len(watched) else 0.0)
        self._model = fit_logistic(pixels, s, RIDGES[int(np.argmin(losses))])
        return self

    def log_proba(self, X: Pictures) -> Reals:
        """Return log-probabilities of the classes."""
        return self._model.log_proba(self._scaled(blocks(X, MOST_PIXELS)[0]))

    def _scaled(self, pixels: Matrix) -> Matrix:
        return np.asarray(np.clip((pixels[:, self._used] - self._centre) / self._spread, -CLIP, CLIP))
