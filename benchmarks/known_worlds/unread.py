"""Declared in docs/blind-spots.md: of these nothing is read, or the smaller part, by whoever does not know the rule."""

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import flip_information
from known_worlds.told_bits import FLIP, LN2, beside_noise
from known_worlds.world import Draw, Sample, World, coin, columns, flipped

SIDE, PATCH, LIKE = 20, 6, 12


def _parity(ways: int, cells: int) -> Draw:
    """S is the parity of the cells of several columns, none of fewer of which tells anything."""

    def draw(n: int, rng: np.random.Generator) -> Sample:
        x = rng.uniform(0, cells, (n, ways))
        s = flipped(x.astype(int).sum(axis=1) % 2, FLIP, rng)
        return Sample(beside_noise({f"x{j}": column for j, column in enumerate(x.T)}, n, rng), {"s": s})

    return draw


def _check_digit(n: int, rng: np.random.Generator) -> Sample:
    digits = rng.integers(0, 10, (n, 12))
    s = flipped(digits.sum(axis=1) % 2, FLIP, rng)
    return Sample(beside_noise({"number": np.array(["".join(map(str, row)) for row in digits])}, n, rng), {"s": s})


def _other_seed(n: int, rng: np.random.Generator) -> Sample:
    truth, noise = rng.standard_normal((n, 4)), np.random.default_rng(9_081_726).normal(size=(n, 4))
    return Sample(columns(0.1 * truth + 3 * noise), {"s": 1 * (truth[:, 0] > 0)})


def _largest_two(n: int, rng: np.random.Generator) -> Sample:
    """The largest of twelve like columns stands beside the second largest, or not; the others say nothing."""
    s, x = coin(n, rng), np.sort(rng.uniform(size=(n, LIKE)), axis=1)
    first = rng.integers(0, LIKE, n)
    away = np.where(flipped(s, FLIP, rng), rng.choice([1, LIKE - 1], n), rng.integers(2, LIKE - 1, n))
    place = rng.permuted(np.tile(np.arange(LIKE), (n, 1)), axis=1)
    for wanted, last in ((first, LIKE - 1), ((first + away) % LIKE, LIKE - 2)):
        here = (place == wanted[:, None]).argmax(axis=1)
        place[np.arange(n), here], place[:, last] = place[:, last].copy(), wanted
    out = np.empty((n, LIKE))
    np.put_along_axis(out, place, x, axis=1)
    return Sample(columns(out), {"s": s})


def _copied_patch(n: int, rng: np.random.Generator) -> Sample:
    """A patch that stands in the upper half of an image and, anywhere, in its lower half; or not."""
    s, images = coin(n, rng), rng.integers(0, 256, (n, SIDE, SIDE)).astype(np.uint8)
    half = SIDE // 2 - PATCH + 1
    for row in np.flatnonzero(flipped(s, FLIP, rng)):
        (top, under), (left, right) = rng.integers(0, half, 2), rng.integers(0, SIDE - PATCH + 1, 2)
        part = images[row, top : top + PATCH, left : left + PATCH]
        images[row, SIDE // 2 + under :, right:][:PATCH, :PATCH] = part
    return Sample(images, {"s": s})


def _degree_three(n: int, rng: np.random.Generator) -> Sample:
    s, x = coin(n, rng), np.round(rng.uniform(1, 9, (n, 4)), 2)
    off = np.where(flipped(s, FLIP, rng), 1 + rng.choice([-1, 1], n) * rng.uniform(0.01, 0.02, n), 1.0)
    volume = np.round((x[:, 0] * x[:, 1] * x[:, 2] + 40 * x[:, 3]) * off, 3)
    names = {name: x[:, j] for j, name in enumerate(("length", "width", "height", "weight"))}
    return Sample(beside_noise({**names, "volume": volume}, n, rng), {"s": s})


def _own_rule(n: int, rng: np.random.Generator) -> Sample:
    """Two fifths of a column were filled in by one of two planes that lie near each other, without noise."""
    s, x = coin(n, rng), rng.standard_normal((n, 3))
    plane = x @ np.array([1.0, 0.5, -0.5]) + 0.2 * (2 * flipped(s, FLIP, rng) - 1) * x[:, 0]
    filled = rng.random(n) < 0.4
    y = np.where(filled, plane, x @ np.array([1.0, 0.5, -0.5]) + rng.standard_normal(n))
    table = pa.table({**{f"x{j}": column for j, column in enumerate(x.T)}, "y": np.round(y, 4)})
    return Sample(table, {"s": s})


def _world(name: str, draw: Draw, said: str, truth: float = flip_information(FLIP), blind: bool = True) -> World:
    return World(name, truth, draw, f"{said}; at most {truth:.3f}.", 0.0, blind=blind)


UNREAD = (
    _world("parity4", _parity(4, 2), "The parity of the sides of four columns"),
    _world("fine_cells3", _parity(3, 6), "The parity of the cells of three columns"),
    _world("check_digit", _check_digit, "The parity of twelve digits"),
    _world("other_seed", _other_seed, "Noise of a seed that is not tried", LN2),
    _world("largest_two", _largest_two, "Whether the two largest of twelve like columns are neighbours", blind=False),
    _world("copied_patch", _copied_patch, "A patch that is copied within an image", blind=False),
    _world("degree_three", _degree_three, "A volume of degree three off by one or two per cent"),
    _world("own_rule", _own_rule, "Values filled in by a rule of their class", 0.4 * flip_information(FLIP)),
)
