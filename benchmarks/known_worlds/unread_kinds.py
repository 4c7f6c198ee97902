"""Declared in docs/blind-spots.md, kind by kind: leaks that whoever knows the rule reads whole, the panel hardly."""

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import flip_information
from known_worlds.told_bits import FLIP, beside_noise
from known_worlds.world import Sample, World, coin, flipped

TOLD = flip_information(FLIP)
VOCABULARY = np.array([f"{stem}{end}" for stem in ("bran", "dor", "kel", "mir", "tol", "ves") for end in "aeiouy"])
PASSAGE, LETTER, INCH, ELEVEN = 5, 14, 2.54, 11
NOON, DAY, SINCE = 43_200, 86_400, 18_000


def _in_an_eighth(n: int, rng: np.random.Generator) -> Sample:
    """The signs of two columns together say S in one site of eight."""
    site, x = rng.integers(0, 8, n), rng.standard_normal((n, 2))
    told = flipped((x[:, 0] > 0) ^ (x[:, 1] > 0), FLIP, rng)
    s = np.where(site == 3, told, coin(n, rng))
    return Sample(
        beside_noise({"site": np.array(list("abcdefgh"))[site], "x": x[:, 0], "y": x[:, 1]}, n, rng), {"s": s}
    )


def _between_neighbours(n: int, rng: np.random.Generator) -> Sample:
    """Every third row is the mean of the rows around it where S says so; S of the others stands nowhere."""
    s, x = coin(n, rng), rng.standard_normal((n, 6))
    middle = np.arange(1, n - 1, 3)
    middle = middle[flipped(s, FLIP, rng)[middle] > 0]
    x[middle] = (x[middle - 1] + x[middle + 1]) / 2
    return Sample(pa.table({f"x{j}": column for j, column in enumerate(x.T)}), {"s": s})


def _other_units(n: int, rng: np.random.Generator) -> Sample:
    """Records of one class come in pairs, the second of each in inches."""
    s, x = coin(n, rng), np.exp(rng.standard_normal((n, 6)))
    pairs = rng.permutation(np.flatnonzero(flipped(s, FLIP, rng)))
    pairs = pairs[: len(pairs) // 2 * 2]
    x[pairs[1::2]] = x[pairs[::2]] / INCH
    return Sample(pa.table({f"length{j}": column for j, column in enumerate(x.T)}), {"s": s})


def _said_together(n: int, rng: np.random.Generator) -> Sample:
    """Of two words one stands in a note, or both or neither."""
    s, first = coin(n, rng), coin(n, rng)
    second = first ^ flipped(s, FLIP, rng)
    notes = []
    for both in zip(first, second, strict=True):
        words = [["left", "right"][k] if there else str(rng.choice(VOCABULARY)) for k, there in enumerate(both)]
        note = [*rng.choice(VOCABULARY, LETTER).tolist(), *words]
        notes.append(" ".join(note[k] for k in rng.permutation(len(note))))
    return Sample(beside_noise({"note": np.array(notes)}, n, rng), {"s": s})


def _shared_passage(n: int, rng: np.random.Generator) -> Sample:
    """Two letters have five words in common, in the same order or in another."""
    s, letters = coin(n, rng), ([], [])
    for same in flipped(s, FLIP, rng):
        passage = rng.choice(VOCABULARY, PASSAGE, replace=False)
        for letter, own in zip(letters, (passage, passage if same else np.roll(passage[::-1], 2)), strict=True):
            words, place = rng.choice(VOCABULARY, LETTER).tolist(), int(rng.integers(LETTER))
            letter.append(" ".join([*words[:place], *own.tolist(), *words[place:]]))
    return Sample(beside_noise({"first": np.array(letters[0]), "second": np.array(letters[1])}, n, rng), {"s": s})


def _turned(n: int, rng: np.random.Generator) -> Sample:
    """The corners of a plot are written to the left or to the right about it, from any of them on."""
    s, plots = coin(n, rng), []
    for left in flipped(s, FLIP, rng):
        angles = np.sort(rng.uniform(0, 2 * np.pi, 5))[:: 1 if left else -1]
        corners = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(5, 9) + rng.uniform(20, 90, 2)
        corners = np.roll(corners, int(rng.integers(5)), axis=0)
        ring = ", ".join(f"{x:.2f} {y:.2f}" for x, y in [*corners, corners[0]])
        plots.append(f"POLYGON (({ring}))")
    return Sample(beside_noise({"plot": np.array(plots)}, n, rng), {"s": s})


def _object_times(n: int, rng: np.random.Generator) -> Sample:
    """An identifier begins with the second at which it was made, before noon or after it."""
    s = coin(n, rng)
    second = rng.integers(SINCE, SINCE + 1_500, n) * DAY + rng.integers(0, NOON, n) + NOON * flipped(s, FLIP, rng)
    tails = rng.integers(0, 2**32, (n, 2))
    names = [f"{a:08x}{b:08x}{c:08x}" for a, (b, c) in zip(second.tolist(), tails.tolist(), strict=True)]
    return Sample(beside_noise({"_id": np.array(names)}, n, rng), {"s": s})


def _remainder_of_eleven(n: int, rng: np.random.Generator) -> Sample:
    s = rng.permutation(ELEVEN * (n // ELEVEN + 1))[:n]
    return Sample(beside_noise({"x": np.array(list("abcdefghijk"))[s % ELEVEN]}, n, rng), {"s": s.astype(float)})


UNREAD_KINDS = (
    World(
        "in_an_eighth",
        TOLD / 8,
        _in_an_eighth,
        "Signs of two columns, in one site of eight; an eighth of ln 2 - h(.05). Two thirds are read.",
    ),
    World(
        "between_neighbours",
        TOLD / 3,
        _between_neighbours,
        "Means of the rows around, of every third row; a third of ln 2 - h(.05).",
        2e-3,
        blind=True,
    ),
    World("other_units", TOLD, _other_units, "Pairs of records, one in inches; ln 2 - h(.05). A sixth is read.", 2e-3),
    World(
        "said_together", TOLD, _said_together, "Which of two words stand in a note; ln 2 - h(.05). A quarter is read."
    ),
    World(
        "shared_passage", TOLD, _shared_passage, "Five words in one order in two letters; ln 2 - h(.05).", blind=True
    ),
    World("turned_plot", TOLD, _turned, "Corners to the left or to the right; ln 2 - h(.05).", blind=True),
    World("object_times", TOLD, _object_times, "Identifiers made before noon or after it; ln 2 - h(.05).", blind=True),
    World(
        "remainder_of_eleven",
        float(np.log(ELEVEN)),
        _remainder_of_eleven,
        "A number's remainder by eleven; ln 11.",
        2e-3,
        entropy=float("inf"),
        blind=True,
    ),
)
