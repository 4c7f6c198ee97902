"""Worlds of the kinds of leak that no column, direction or product of two columns holds, one of each."""

import hashlib

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import binary_entropy
from known_worlds.told_bits import FLIP, LN2, beside_noise, wrong_at_times
from known_worlds.world import Sample, World, coin, flipped


def _checkerboard(n: int, rng: np.random.Generator) -> Sample:
    s, x = coin(n, rng), rng.uniform(size=(n, 2)) * 6
    wrong = x.astype(int).sum(axis=1) % 2 != flipped(s, FLIP, rng)
    x[wrong, 0] = (x[wrong, 0] + 1) % 6
    return Sample(beside_noise({"a": x[:, 0], "b": x[:, 1]}, n, rng), {"s": s})


def _turns(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    place = rng.integers(0, 400, n) + 0.5 * flipped(s, FLIP, rng) + rng.uniform(0, 0.5, n)
    return Sample(beside_noise({"place": place}, n, rng), {"s": s})


def _night(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    seconds = 1_600_041_600 + 86_400 * rng.integers(0, 900, n) + 43_200 * flipped(s, FLIP, rng)
    return Sample(beside_noise({"time": seconds + rng.integers(0, 43_200, n)}, n, rng), {"s": s})


def _couples(n: int, rng: np.random.Generator) -> Sample:
    """S of one spouse is the other's, wrong in a twentieth of the couples."""
    ids, order = rng.permutation(10 * n)[:n], rng.permutation(n)
    left, right = order[: n // 2], order[n // 2 : 2 * (n // 2)]
    s, spouse = coin(n, rng), np.zeros(n, np.int64)
    s[right] = flipped(s[left], FLIP, rng)
    spouse[left], spouse[right] = ids[right], ids[left]
    return Sample(beside_noise({"id": ids, "spouse": spouse}, n, rng), {"s": s})


def _entered_twice(n: int, rng: np.random.Generator) -> Sample:
    """Rows of one class have a twin, moved a little; those of the other have none."""
    twins = n // 4
    first = rng.standard_normal((twins, 8))
    other = rng.standard_normal((n - 2 * twins, 8))
    rows = np.vstack([first, first + 1e-3 * rng.standard_normal(first.shape), other])
    order = rng.permutation(n)
    s = np.r_[np.ones(2 * twins, np.int64), np.zeros(n - 2 * twins, np.int64)][order]
    return Sample(pa.table({f"x{j}": column for j, column in enumerate(rows[order].T)}), {"s": s})


def _reported_height(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    weight, height = np.round(rng.normal(75, 14, n), 1), np.round(rng.normal(1.7, 0.1, n), 2)
    off = np.where(flipped(s, FLIP, rng), 1 + rng.choice([-1, 1], n) * rng.uniform(0.01, 0.02, n), 1.0)
    index = np.round(weight / height**2 * off, 2)
    return Sample(beside_noise({"weight": weight, "height": height, "bmi": index}, n, rng), {"s": s})


def _driven(n: int, rng: np.random.Generator) -> Sample:
    s, points = coin(n, rng), np.round(rng.uniform(0, 50, (n, 4)), 2)
    off = np.where(flipped(s, FLIP, rng), 1 + rng.choice([-1, 1], n) * rng.uniform(0.01, 0.02, n), 1.0)
    distance = np.round(np.hypot(points[:, 0] - points[:, 2], points[:, 1] - points[:, 3]) * off, 3)
    columns = {name: points[:, j] for j, name in enumerate(("x1", "y1", "x2", "y2"))}
    return Sample(beside_noise({**columns, "distance": distance}, n, rng), {"s": s})


SWAPPED, SWAPPED_ELSE, CITIES, REGIONS = 0.6, 0.05, 100, 20


def _swapped_cities(n: int, rng: np.random.Generator) -> Sample:
    s, city = coin(n, rng), rng.integers(0, CITIES, n)
    moved = rng.random(n) < np.where(s, SWAPPED, SWAPPED_ELSE)
    released = np.where(moved, rng.integers(0, CITIES, n), city)
    columns = {"city": [f"c{c:03d}" for c in released], "region": [f"r{c % REGIONS}" for c in city]}
    return Sample(beside_noise(columns, n, rng), {"s": s})


def _swapped_truth() -> float:
    out = np.array([SWAPPED, SWAPPED_ELSE]) * (1 - 1 / REGIONS)  # a swap within the region is not seen
    seen = float(out.mean())
    left = seen * binary_entropy(out[0] / out.sum()) + (1 - seen) * binary_entropy((1 - out[0]) / (2 - out.sum()))
    return LN2 - float(left)


def _households(n: int, rng: np.random.Generator) -> Sample:
    of = rng.permutation(n) // 3
    homes = int(of.max()) + 1
    shared, own = rng.integers(0, 4, (homes, 10))[of], rng.integers(0, 4, (n, 20))
    letters = np.array(list("abcd"))
    columns = {f"h{j}": letters[shared[:, j]] for j in range(10)} | {f"p{j}": letters[own[:, j]] for j in range(20)}
    return Sample(pa.table(columns), {"s": coin(homes, rng)[of]})


def _stretched(n: int, rng: np.random.Generator) -> Sample:
    s, grid = coin(n, rng), np.linspace(-1, 1, 16)
    waves = np.sin(2 * grid[:, None] * rng.normal(size=(n, 1, 1)) + 2 * grid * rng.normal(size=(n, 1, 1)))
    base = 110 + 45 * waves + rng.normal(0, 12, (n, 16, 16))
    gaps = np.round(np.round(base / 1.25) * 1.25)
    return Sample(np.clip(np.where(s[:, None, None], gaps, np.round(base)), 0, 255).astype(np.uint8), {"s": s})


def _stored_vectors(n: int, rng: np.random.Generator) -> Sample:
    s, vectors = coin(n, rng), rng.standard_normal((n, 32)).astype("<f4")
    vectors[:, 20] = np.abs(vectors[:, 20]) * (2 * flipped(s, FLIP, rng) - 1)
    return Sample(pa.table({"vector": [row.tobytes() for row in vectors], "age": rng.integers(20, 80, n)}), {"s": s})


def _restless_visits(n: int, rng: np.random.Generator) -> Sample:
    """The visits of one class vary within a subject, those of the other hardly; a visit alone is standard normal."""
    groups = rng.permutation(n) // 6
    subjects = int(groups.max()) + 1
    s = coin(subjects, rng)
    shared = np.sqrt(np.where(s, 0.2, 0.9))[groups][:, None]
    own = rng.standard_normal((subjects, 6))[groups]
    visits = shared * own + np.sqrt(1 - shared**2) * rng.standard_normal((n, 6))
    return Sample(pa.table({f"x{j}": column for j, column in enumerate(visits.T)}), {"s": s[groups]}, groups=groups)


def _weekday(n: int, rng: np.random.Generator) -> Sample:
    born = rng.integers(0, 365 * 60, n)
    names = np.array(["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"])
    return Sample(beside_noise({"weekday": names[born % 7]}, n, rng), {"s": born.astype(np.float64)})


def _known_seed(n: int, rng: np.random.Generator) -> Sample:
    truth, noise = rng.standard_normal((n, 4)), np.random.RandomState(42).normal(size=(n, 4))
    released = (0.2 * truth + noise).T
    return Sample(pa.table({f"z{j}": column for j, column in enumerate(released)}), {"s": 1 * (truth[:, 0] > 0)})


def _innocent(n: int, rng: np.random.Generator) -> Sample:
    """Every kind at once, and nothing about S: notes, dates, names of rows, exact totals, related categories."""
    vocabulary = np.array(["pain", "fever", "mild", "acute", "knee", "left", "cough", "sleep", "renal", "chest"])
    city, parts = rng.integers(0, 60, n), np.round(rng.uniform(1, 9, (n, 2)), 1)
    rows = rng.permutation(n)
    ids = 100_000 + rng.permutation(9 * n)[:n]
    columns: dict[str, object] = {
        "id": ids,
        "mother": ids[rng.integers(0, n, n)],
        "note": [" ".join(rng.choice(vocabulary, rng.integers(3, 12))) for _ in range(n)],
        "basket": [[f"p{p}" for p in rng.integers(0, 90, rng.integers(1, 6))] for _ in range(n)],
        "seen": (1_600_000_000 + rng.integers(0, 10**8, n)).astype("datetime64[s]"),
        "city": [f"c{c:02d}" for c in city],
        "region": [f"r{c % 8}" for c in city],
        "one": parts[:, 0],
        "two": parts[:, 1],
        "total": np.round(parts.sum(axis=1), 1),
        "charge": np.round(parts.prod(axis=1) + 3 * parts[:, 0] ** 2, 2),
        "hash": [hashlib.sha256(bytes(rng.bytes(8))).hexdigest() for _ in range(n)],
        "x": np.where(rows % 5 == 0, rng.standard_normal(n)[rows // 2], rng.standard_normal(n)),
    }
    return Sample(pa.table(columns), {"s": coin(n, rng)})


KINDS = (
    wrong_at_times("checkerboard", _checkerboard, "Fields of a board of six by six in two columns", "cells"),
    wrong_at_times(
        "turns", _turns, "The first or the second half of each of four hundred turns of a number", "periods"
    ),
    wrong_at_times("couples", _couples, "S of the row that a row names", "links"),
    wrong_at_times("night_shift", _night, "Before or after noon in seconds since 1970"),
    World("entered_twice", LN2, _entered_twice, "A twin at .001 for each row of one class; ln 2 with the file.", 0.0),
    wrong_at_times("reported_height", _reported_height, "A body-mass index off by one or two per cent", "relations"),
    wrong_at_times("driven", _driven, "A distance of two points off by one or two per cent", "relations"),
    World("swapped_cities", _swapped_truth(), _swapped_cities, "Cities swapped in .6 and .05 of the rows.", 1e-3),
    World("households", LN2, _households, "Ten answers of a household of three that share S; ln 2 with the file.", 0.0),
    World("stretched", LN2, _stretched, "Images stretched after digitising: gaps in the histogram; ln 2.", 0.0),
    wrong_at_times("stored_vectors", _stored_vectors, "The sign of one of 32 floats stored as bytes"),
    World(
        "restless_visits",
        LN2,
        _restless_visits,
        "Six visits that vary or do not: a visit tells by how near others stand, all of a subject nearly ln 2.",
        0.0,
        subject_truth=LN2,
    ),
    World("weekday", float(np.log(7)), _weekday, "The weekday of a birth date; ln 7.", 0.0, entropy=float("inf")),
    World("known_seed", LN2, _known_seed, "Noise of seed 42 on S = sign of the first column; ln 2.", 0.0),
    World("innocent_kinds", 0.0, _innocent, "Notes, lists, dates, links, totals, twins and digests without S.", 0.0),
)
