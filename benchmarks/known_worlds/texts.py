"""Worlds of text and lists: notes with a telling word among many, baskets of products, and notes that tell nothing."""

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import flip_information
from known_worlds.world import Sample, World, coin, flipped

STEMS = ("pain", "fever", "mild", "acute", "dose", "chest", "knee", "cough", "renal", "sleep")
VOCABULARY = np.array([f"{stem}{end}" for stem in STEMS for end in ("", "s", "ing", "ed", "less", "ful")])
FLIP, SHELF, TELLING = 0.1, 300, 12


def _notes(n: int, rng: np.random.Generator, told: np.ndarray) -> pa.Table:
    rows = []
    for word in told:
        note = rng.choice(VOCABULARY, rng.integers(8, 20)).tolist()
        note.insert(int(rng.integers(len(note))), "wife" if word else "husband")
        rows.append(" ".join(note))
    return pa.table({"note": rows, "age": rng.integers(20, 80, n)})


def _note(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    return Sample(_notes(n, rng, flipped(s, FLIP, rng)), {"s": s})


def _innocent(n: int, rng: np.random.Generator) -> Sample:
    return Sample(_notes(n, rng, coin(n, rng)), {"s": coin(n, rng)})


def _basket(n: int, rng: np.random.Generator) -> Sample:
    """One of twelve products, by S or with probability `FLIP` by chance, among others of the shelf, in any order."""
    s = coin(n, rng)
    rows = []
    for bought in flipped(s, FLIP, rng):
        basket = (2 * TELLING + rng.choice(SHELF, rng.integers(5, 12), replace=False)).tolist()
        basket.insert(int(rng.integers(len(basket))), int(bought) * TELLING + int(rng.integers(TELLING)))
        rows.append([f"{product % 7}-{product:03d}" for product in basket])
    return Sample(pa.table({"basket": rows, "age": rng.integers(20, 80, n)}), {"s": s})


TEXTS = (
    World(
        "telling_word",
        flip_information(FLIP),
        _note,
        "A word that says S, wrong in a tenth of the notes, among 8 to 19 others; ln 2 - h(.1).",
        home="words",
        form="word",
    ),
    World(
        "telling_product",
        flip_information(FLIP),
        _basket,
        "Lists of products in any order, one of them bought by one class, wrong in a tenth; ln 2 - h(.1).",
    ),
    World("innocent_notes", 0.0, _innocent, "The notes of `telling_word`, its word drawn without regard to S."),
)
