"""Coloured MNIST: digits whose colour goes with the class in training and not in the test; made at run time.

Each class has a mean colour; a training digit is coloured, flat, with a draw from N(mean, variance I) cut to [0, 1].
No public script makes the published files and their ten colours are unknown, so the colours here are our own
(`palette`): each channel is a permutation of .05 .15 ... .95, drawn once with `PALETTE_SEED`. The paper's .02 to .05
are variances, as the code of the first authors takes their square root.

Two test protocols: "palette", a mean colour drawn from the ten with the same variance (the published one), and
"uniform", every channel uniform on [0, 1].
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

PALETTE_SEED = 1234
INK = 0.3  # grey value from which a pixel takes the colour; the rest is black
BINS = 8  # of each channel in the colour code: the published code cuts 0..255 into steps of 32


def palette() -> np.ndarray:
    """Return the ten mean colours, shape (10, 3)."""
    rng = np.random.default_rng(PALETTE_SEED)
    return np.stack([0.05 + 0.1 * rng.permutation(10) for _ in range(3)], axis=1)


@dataclass(frozen=True)
class Digits:
    """Coloured digits.

    Attributes
    ----------
    x : ndarray of uint8 (n, 28, 28, 3)
    y : ndarray of int64 (n,)
    colour : ndarray of float64 (n, 3)
        The colour of the ink on [0, 1].
    """

    x: np.ndarray
    y: np.ndarray
    colour: np.ndarray

    @property
    def code(self) -> np.ndarray:
        """The colour in eight bins a channel, (n, 3): one-hot it is the 24-bit code of the paper."""
        return np.minimum((self.colour * 255).astype(np.int64) // (256 // BINS), BINS - 1)

    def take(self, rows) -> "Digits":
        """Return these rows."""
        return Digits(self.x[rows], self.y[rows], self.colour[rows])


def coloured(grey: np.ndarray, y: np.ndarray, variance: float, protocol: str, seed: int) -> Digits:
    """Colour digits.

    Parameters
    ----------
    grey : ndarray of uint8 (n, 28, 28)
    y : ndarray of int (n,)
    variance : float
        Of each channel, on the scale [0, 1].
    protocol : {"biased", "palette", "uniform"}
        The colour of the own class, of a class drawn at random, or uniform.
    seed : int
    """
    rng, y = np.random.default_rng([seed, *protocol.encode()]), y.astype(np.int64)
    if protocol == "uniform":
        colour = rng.random((len(y), 3))
    else:
        classes = y if protocol == "biased" else rng.integers(10, size=len(y))
        colour = np.clip(palette()[classes] + rng.normal(size=(len(y), 3)) * variance**0.5, 0.0, 1.0)
    ink = grey >= INK * 255
    pixels = np.round(colour * 255).astype(np.uint8)
    return Digits(ink[..., None] * pixels[:, None, None, :], y, colour)


def mnist(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return grey training images, their labels, test images and labels."""
    file = np.load(folder / "mnist.npz")
    return file["x_train"], file["y_train"], file["x_test"], file["y_test"]


if __name__ == "__main__":
    print("| digit | red | green | blue |\n|---|---|---|---|")
    for digit, (red, green, blue) in enumerate(palette()):
        print(f"| {digit} | {red:.2f} | {green:.2f} | {blue:.2f} |")
