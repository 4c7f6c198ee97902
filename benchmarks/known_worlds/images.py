"""Worlds of images: a faint watermark at a fixed place, and a stamp at a random place. Arrays of shape (n, 12, 12)."""

import numpy as np
from known_worlds.quadrature import distance_for, flip_information, shift_information
from known_worlds.world import Sample, World, coin, flipped

SIDE, GLYPH = 12, 5
FIXED = np.random.default_rng(20_240_105)
# Plus and minus in equal number, so that brightness tells nothing.
WATERMARK = FIXED.permutation(np.arange(SIDE * SIDE) % 2 * 2.0 - 1.0).reshape(SIDE, SIDE)
WATERMARK /= np.linalg.norm(WATERMARK)
LEAK = 0.15
STAMP = FIXED.permutation(np.arange(GLYPH * GLYPH) % 2 * 2.0 - 1.0).reshape(GLYPH, GLYPH)
# Of ten standard deviations of the noise in the stamp's direction: whether it is there is seen without error.
AMPLITUDE, STAMP_FLIP = 2.0, 0.1


def _watermark(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    image = rng.standard_normal((n, SIDE, SIDE)) + rng.standard_normal((n, 1, 1))
    image += distance_for(LEAK) * s[:, None, None] * WATERMARK
    return Sample(image.astype(np.float32), {"s": s})


def _stamp(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    image = rng.standard_normal((n, SIDE, SIDE))
    places = rng.integers(0, SIDE - GLYPH + 1, (n, 2))
    for row in np.flatnonzero(flipped(s, STAMP_FLIP, rng)):
        top, left = places[row]
        image[row, top : top + GLYPH, left : left + GLYPH] += AMPLITUDE * STAMP
    return Sample(image.astype(np.float32), {"s": s})


IMAGES = (
    World(
        "watermark",
        shift_information(distance_for(LEAK)),
        _watermark,
        "A fixed pattern of weight d across all pixels, noise and random brightness; I(S; g + d S) by quadrature.",
        home="pixels",
        form="dense",
    ),
    World(
        "stamp",
        flip_information(STAMP_FLIP),
        _stamp,
        "A 5 x 5 stamp at a random place, there with probability .9 or .1 by S; ln 2 - h(.1), the stamp being seen.",
        truth_error=1e-3,
        home="cnn",
    ),
)
