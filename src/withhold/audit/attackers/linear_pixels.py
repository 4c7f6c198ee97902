"""Logistic regression on pixels: finds a fixed pattern too fine for averages over blocks, or one pixel among thousands.

A network and averages both miss a single pixel that tells everything, and among thousands of others a regression does
too; so the few pixels most associated with S in the training rows are also fitted alone, with their last bits.
"""

from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np

from withhold.audit.attackers.attacker import CLIP, Attacker, InputKind
from withhold.audit.attackers.logistic import Linear, fit_logistic
from withhold.audit.attackers.network import watch
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.audit.view.pixels import Pictures, association, blocks, floats

# With thousands of pixels a weak ridge learns rows by heart, a strong one hides a single pixel: watched rows choose.
RIDGES = (10.0, 1_000.0)
# Pixels fitted alone, for brightness and for the last bit each.
SCREENED, RIDGE = 16, 1.0
# Larger images are averaged over the smallest blocks that give no more: time and memory grow with the pixels.
MOST_PIXELS = 4_096
# A pixel that hardly varies is not blown up beyond this share of the usual spread.
FLATTEST = 0.01

Features = Callable[[Pictures], Matrix]


class LinearPixels(Attacker):
    """Multinomial logistic regression on all pixels, or on the few most associated with S."""

    name: ClassVar[str] = "pixels"
    inputs: ClassVar[InputKind] = "images"

    def fit(self, X: Pictures, s: Codes, rng: np.random.Generator) -> Self:
        """Fit in each way on some rows, keep the one better on the others."""
        kept, watched = watch(s, rng)
        ways = [(every_pixel, ridge) for ridge in RIDGES] + [(few_pixels, RIDGE)]
        losses = []
        for choose, ridge in ways:
            features, model = _fit(choose, X[kept], s[kept], ridge)
            found = model.log_proba(features(X[watched]))
            losses.append(-float(found[np.arange(len(watched)), s[watched]].mean()) if len(watched) else 0.0)
        choose, ridge = ways[int(np.argmin(losses))]
        self._features, self._model = _fit(choose, X, s, ridge)
        return self

    def log_proba(self, X: Pictures) -> Reals:
        """Return log-probabilities of the classes."""
        return self._model.log_proba(self._features(X))


def every_pixel(X: Pictures, s: Codes) -> Features:
    """Return all pixels, at full resolution up to 64 x 64."""
    return lambda images: blocks(images, MOST_PIXELS)[0]


def few_pixels(X: Pictures, s: Codes) -> Features:
    """Return the pixels most associated with `s`, and the last bits most associated with it."""
    bright = np.argsort(-association(X, s, bit=False), kind="stable")[:SCREENED]
    whole = X.dtype.kind == "u"
    bits = np.argsort(-association(X, s, bit=True), kind="stable")[:SCREENED] if whole else bright[:0]

    def features(images: Pictures) -> Matrix:
        flat = [images[(slice(None), *np.unravel_index(i, images.shape[1:]))] for i in (*bright, *bits)]
        values = [floats(one & 1) if whole and j >= len(bright) else floats(one) for j, one in enumerate(flat)]
        return np.column_stack(values)

    return features


def _fit(choose: Callable[[Pictures, Codes], Features], X: Pictures, s: Codes, ridge: float) -> tuple[Features, Linear]:
    """Choose features with these rows, standardise them and fit."""
    chosen = choose(X, s)
    pixels = chosen(X)
    centre, spread = pixels.mean(axis=0, dtype=np.float64), pixels.std(axis=0, dtype=np.float64)
    usual = max(float(spread.max()), 1e-12)
    low, unit = centre.astype(np.float32), np.maximum(spread, FLATTEST * usual).astype(np.float32)

    def features(images: Pictures) -> Matrix:
        return np.asarray(np.clip((chosen(images) - low) / unit, -CLIP, CLIP))

    return features, fit_logistic(features(X), s, ridge)
