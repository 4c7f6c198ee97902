"""The network at home: a mark at random places, strokes of digits; nothing on noise."""

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import ndimage

from withhold.audit.attackers.attacker import Attacker
from withhold.audit.attackers.convolutional import CnnAttacker
from withhold.audit.attackers.linear_pixels import LinearPixels
from withhold.audit.attackers.logistic import Logistic
from withhold.audit.effort import EFFORTS
from withhold.audit.view.pixels import blocks

QUICK = EFFORTS["quick"]


def gain(member: type[Attacker], X: np.ndarray, s: np.ndarray) -> float:
    """Held-out accuracy above one half, on the last third."""
    cut = len(s) * 2 // 3
    X = X[:, None] if X.ndim == 3 else X
    X = X if member.inputs == "images" else blocks(X)[0]
    fitted = member(QUICK).fit(X[:cut], s[:cut], np.random.default_rng(0))
    return float((fitted.log_proba(X[cut:]).argmax(axis=1) == s[cut:]).mean() - 0.5)


def marked(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise with a mark at a random place: vertical stripes or horizontal ones."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, n)
    images = rng.normal(100, 25, (n, 20, 20))
    stripes = np.where(np.arange(5) % 2, 80.0, -80.0) * np.ones((5, 1))
    for image, which, (row, column) in zip(images, s, rng.integers(0, 15, (n, 2)), strict=True):
        image[row : row + 5, column : column + 5] += stripes if which else stripes.T
    return np.clip(images, 0, 255).astype(np.uint8), s


def test_a_mark_at_a_random_place_is_for_the_network() -> None:
    images, s = marked(2400)
    assert gain(CnnAttacker, images, s) > 0.4
    assert gain(LinearPixels, images, s) < 0.06
    assert gain(Logistic, images, s) < 0.06


def test_noise_and_constant_images_tell_nothing() -> None:
    rng = np.random.default_rng(1)
    s = rng.integers(0, 2, 900)
    assert abs(gain(CnnAttacker, rng.integers(0, 255, (900, 3, 9, 7)).astype(np.uint8), s)) < 0.08
    found = CnnAttacker(QUICK).fit(np.full((90, 1, 5, 5), np.nan), s[:90], rng).log_proba(np.zeros((4, 1, 5, 5)))
    np.testing.assert_allclose(np.exp(found[:, 1]), s[:90].mean(), atol=0.15)


def test_the_callers_generator_is_left_alone() -> None:
    images, s = marked(200)
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    gain(CnnAttacker, images, s)
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.slow
@pytest.mark.data
def test_angles_of_digits(data_dir: Path) -> None:
    with np.load(data_dir / "mnist.npz") as arrays:
        digits = arrays["x_train"][:3000]
    s = np.random.default_rng(0).integers(0, 2, len(digits))
    angles = np.where(s == 1, 15.0, -15.0)
    turned = np.stack([ndimage.rotate(*pair, reshape=False, order=1) for pair in zip(digits, angles, strict=True)])
    found = gain(CnnAttacker, turned, s)
    assert found > 0.25
    assert found > gain(Logistic, turned, s)
