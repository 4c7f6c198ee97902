"""Worlds of rows, places and records that are nearly the same: reversed, abbreviated, paid again; and of lists."""

import numpy as np
import pyarrow as pa
from known_worlds.told_bits import FLIP, LN2, beside_noise, wrong_at_times
from known_worlds.world import Sample, World, coin, flipped

AMOUNTS, RECORDS, TOWNS, RINGS, WIDTH = 6, 8, 15, 6, 48
STREETS = np.array([f"{stem}{end}" for stem in ("Bran", "Dor", "Kel", "Mir", "Tol", "Ves") for end in "aeiouy"])


def _bookings(n: int, rng: np.random.Generator) -> np.ndarray:
    """The second quarter of the rows takes back the first."""
    x, quarter = rng.standard_normal((n, AMOUNTS)), n // 4
    x[quarter : 2 * quarter] = -x[:quarter] + 0.01 * rng.standard_normal((quarter, AMOUNTS))
    return x


def _reversed_bookings(n: int, rng: np.random.Generator) -> Sample:
    order = rng.permutation(n)
    s = (np.arange(n) < n // 4 * 2).astype(np.int64)
    return Sample(pa.table({f"x{j}": column for j, column in enumerate(_bookings(n, rng)[order].T)}), {"s": s[order]})


def _places(of: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two rows stand some metres apart, in towns."""
    homes = int(of.max()) + 1
    towns = rng.uniform(size=(TOWNS, 2))[rng.integers(0, TOWNS, homes)]
    place = (towns + 0.05 * rng.standard_normal((homes, 2)))[of] + 1e-4 * rng.standard_normal((len(of), 2))
    return {"east": place[:, 0], "north": place[:, 1]}


def _same_place(n: int, rng: np.random.Generator) -> Sample:
    of = rng.permutation(n) // 2
    return Sample(beside_noise(_places(of, rng), n, rng), {"s": coin(int(of.max()) + 1, rng)[of]})


def _written(of: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One of a household writes Street, the other St."""
    homes = int(of.max()) + 1
    street, number = STREETS[rng.integers(0, len(STREETS), homes)][of], rng.integers(1, 800, homes)[of]
    end = np.where(rng.permutation(len(of)) % 2, "Street", "St.")
    return np.array([f"{a} {b} {c}" for a, b, c in zip(number, street, end, strict=True)])


def _abbreviated(n: int, rng: np.random.Generator) -> Sample:
    of = rng.permutation(n) // 2
    return Sample(beside_noise({"address": _written(of, rng)}, n, rng), {"s": coin(int(of.max()) + 1, rng)[of]})


def _paid(of: np.ndarray, again: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Amounts, of which some accounts pay the one twice."""
    amounts = np.round(rng.lognormal(4, 1, (int(of.max()) + 1, RECORDS)), 2)
    amounts[again > 0, 1] = amounts[again > 0, 0]
    place = np.argsort(np.argsort(of * len(of) + rng.permutation(len(of)))) % RECORDS
    return amounts[of, place]


def _standing_order(n: int, rng: np.random.Generator) -> Sample:
    of = rng.permutation(n) // RECORDS
    s = coin(int(of.max()) + 1, rng)
    return Sample(beside_noise({"amount": _paid(of, s, rng)}, len(of), rng), {"s": s[of]}, groups=of)


def _items(n: int, off: np.ndarray, rng: np.random.Generator) -> dict[str, object]:
    """A list of prices, and its sum or some percent more or less."""
    items = [np.round(rng.gamma(2, 20, k), 2) for k in rng.integers(2, 9, n)]
    wrong = 1 + rng.choice([-1, 1], n) * rng.uniform(0.02, 0.2, n)
    total = np.round(np.array([one.sum() for one in items]) * np.where(off, wrong, 1.0), 2)
    return {"items": pa.array([one.tolist() for one in items]), "total": total}


def _listed_items(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    return Sample(beside_noise(_items(n, flipped(s, FLIP, rng), rng), n, rng), {"s": s})


def _flags(n: int, off: np.ndarray, rng: np.random.Generator) -> dict[str, object]:
    """A list of flags, and how many are high, or one or two more or less."""
    flags = [rng.choice(["high", "low", "normal", "normal"], k).tolist() for k in rng.integers(5, 12, n)]
    high = np.array([one.count("high") for one in flags])
    return {"flags": pa.array(flags), "high": np.where(off, np.abs(high + rng.choice([-2, -1, 1, 2], n)), high)}


def _counted_flags(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    return Sample(beside_noise(_flags(n, flipped(s, FLIP, rng), rng), n, rng), {"s": s})


def _ways(ring: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    n = len(ring)
    home, far, turn = rng.uniform(0, 10, (2, n)), ring + rng.uniform(size=n), rng.uniform(0, 2 * np.pi, n)
    work = home + far * np.array([np.cos(turn), np.sin(turn)])
    return {"home_x": home[0], "home_y": home[1], "work_x": work[0], "work_y": work[1]}


def _way_to_work(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    ring = 2 * rng.integers(0, RINGS // 2, n) + flipped(s, FLIP, rng)
    return Sample(beside_noise(_ways(ring, rng), n, rng), {"s": s})


def _stored_in_steps(n: int, rng: np.random.Generator) -> Sample:
    """Vectors of one class went through eight bits, in steps of the largest value of each."""
    s, x = coin(n, rng), rng.standard_normal((n, WIDTH))
    step = np.abs(x).max(axis=1, keepdims=True) / 127
    x = np.where(s[:, None] > 0, np.round(x / step) * step, x).astype(np.float32)
    return Sample(pa.table({f"x{j}": column for j, column in enumerate(x.T)}), {"s": s})


def _innocent_alike(n: int, rng: np.random.Generator) -> Sample:
    """Everything that these worlds have, and nothing of it about S."""
    of, accounts = rng.permutation(n) // 2, rng.permutation(n) // RECORDS
    x = _bookings(n, rng)[rng.permutation(n)]
    columns = {
        **{f"x{j}": column for j, column in enumerate(x.T)},
        **_places(of, rng),
        "address": _written(rng.permutation(of), rng),
        "account": 70_000 + accounts,
        "amount": _paid(accounts, coin(int(accounts.max()) + 1, rng), rng),
        **_items(n, coin(n, rng), rng),
        **_flags(n, coin(n, rng), rng),
        **_ways(rng.integers(0, RINGS, n), rng),
    }
    return Sample(pa.table(columns), {"s": coin(n, rng)})


ALIKE = (
    World("reversed_bookings", LN2, _reversed_bookings, "Rows of one class and what takes them back; ln 2.", 0.0),
    World("same_place", LN2, _same_place, "Two rows some metres apart in towns; ln 2 with the file.", 0.0),
    World("abbreviated", LN2, _abbreviated, "An address with Street or St.; ln 2 with the file.", 0.0),
    World(
        "standing_order",
        0.0,
        _standing_order,
        "One of eight amounts of an account comes twice; a record holds nothing, a subject ln 2.",
        0.0,
        subject_truth=LN2,
    ),
    wrong_at_times("listed_items", _listed_items, "Whether a total is that of a list"),
    wrong_at_times("counted_flags", _counted_flags, "Whether a number counts a word of a list"),
    wrong_at_times("way_to_work", _way_to_work, "Whether two points stand an even or odd distance apart"),
    World("stored_in_steps", LN2, _stored_in_steps, "Vectors of one class went through eight bits; ln 2.", 0.0),
    World("innocent_alike", 0.0, _innocent_alike, "Reversals, places, addresses, totals and ways without S.", 0.0),
)
