"""At home: a fixed pattern too fine for averages over blocks."""

import numpy as np
import pytest

from withhold.audit.attackers.linear_pixels import LinearPixels
from withhold.audit.attackers.logistic import Logistic
from withhold.audit.effort import EFFORTS
from withhold.audit.view.pixels import blocks


def test_a_faint_chequerboard_is_for_pixels() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 1500)
    images = rng.normal(size=(1500, 1, 28, 28)).astype(np.float32)
    chequered = (np.add.outer(np.arange(28), np.arange(28)) % 2 * 2 - 1).astype(np.float32)
    images += 0.06 * np.where(s == 1, 1.0, -1.0).astype(np.float32)[:, None, None, None] * chequered

    def accuracy(member, X: np.ndarray) -> float:
        fitted = member(EFFORTS["quick"]).fit(X[:1000], s[:1000], np.random.default_rng(0))
        return float((fitted.log_proba(X[1000:]).argmax(axis=1) == s[1000:]).mean())

    assert accuracy(LinearPixels, images) > 0.75
    assert accuracy(Logistic, blocks(images)[0]) < 0.6


def test_large_and_constant_images() -> None:
    rng = np.random.default_rng(0)
    s = np.arange(40) % 2
    large = rng.random((40, 3, 90, 90)).astype(np.float32)
    assert LinearPixels(EFFORTS["quick"]).fit(large, s, rng).log_proba(large).shape == (40, 2)
    black = LinearPixels(EFFORTS["quick"]).fit(np.zeros((40, 1, 9, 9), np.uint8), s, rng)
    np.testing.assert_allclose(black.log_proba(np.zeros((2, 1, 9, 9), np.uint8)), np.log(0.5), atol=1e-3)


@pytest.mark.parametrize("bit", [False, True])
def test_one_pixel_among_thousands(bit: bool) -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 900)
    images = rng.integers(0, 256, (900, 3, 40, 40)).astype(np.uint8)
    pixel = images[:, 1, 10, 10]
    images[:, 1, 10, 10] = pixel // 2 * 2 + s if bit else pixel // 2 + 128 * s
    fitted = LinearPixels(EFFORTS["quick"]).fit(images[:600], s[:600], np.random.default_rng(0))
    assert (fitted.log_proba(images[600:]).argmax(axis=1) == s[600:]).mean() > 0.95
