"""Worlds in which a value says nothing by itself: it tells beside a tide, its neighbours, or the row that is named."""

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import flip_information
from known_worlds.told_bits import FLIP, beside_noise, wrong_at_times
from known_worlds.world import Sample, World, coin, flipped

HOURS, TURN, VISITS, LEVELS = 8_760, 12.42, 6, 5
START = 1_640_995_200


def _side(s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 2 * flipped(s, FLIP, rng) - 1


def _times(hours: np.ndarray) -> np.ndarray:
    return (START + np.round(3_600 * hours).astype(np.int64)).astype("datetime64[s]")


def _tide(n: int, rng: np.random.Generator) -> Sample:
    """The water is high at one site when it is low at the other."""
    s, hours = coin(n, rng), rng.uniform(0, HOURS, n)
    level = _side(s, rng) * np.sin(2 * np.pi * hours / TURN) * rng.uniform(0.5, 1.5, n)
    return Sample(beside_noise({"time": _times(hours), "level": level}, n, rng), {"s": s})


def _hills(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(5 * np.sin(6 * x + 2 * y) + 5 * np.cos(7 * y - 3 * x) + 8 * x * y)


def _above_its_street(n: int, rng: np.random.Generator) -> Sample:
    """A price lies above what its place would have it, or below."""
    s, (x, y) = coin(n, rng), rng.uniform(size=(2, n))
    price = _hills(x, y) + _side(s, rng) * rng.uniform(0.5, 1.5, n)
    return Sample(beside_noise({"east": x, "north": y, "price": price}, n, rng), {"s": s})


def _rate_of_the_day(n: int, rng: np.random.Generator) -> Sample:
    """Amounts in two currencies by a rate that wanders, above or below it."""
    s, hours, euro = coin(n, rng), rng.uniform(0, HOURS, n), np.round(rng.lognormal(4, 1, n), 2)
    rate = 1.1 + 0.05 * np.sin(2 * np.pi * hours / 4_000) + 0.02 * np.cos(2 * np.pi * hours / 900)
    dollar = np.round(euro * rate * (1 + 0.01 * _side(s, rng)), 2)
    return Sample(beside_noise({"date": _times(hours), "euro": euro, "dollar": dollar}, n, rng), {"s": s})


def _named(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Keys of rows, and another row that each names."""
    return 10_000 + rng.permutation(9 * n)[:n], (np.arange(n) + rng.integers(1, n, n)) % n


def _claim_before(n: int, rng: np.random.Generator) -> Sample:
    """S says how large the claim is that a claim names."""
    (keys, before), amount = _named(n, rng), rng.lognormal(7, 1, n)
    s = flipped((amount[before] > np.exp(7)).astype(np.int64), FLIP, rng)
    return Sample(beside_noise({"claim": keys, "before": keys[before], "amount": amount}, n, rng), {"s": s})


def _units(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The unit of each row, its place in time there, and its time."""
    of = np.arange(n) // VISITS
    hours = rng.uniform(0, HOURS, n)[np.lexsort((rng.uniform(size=n), of))]
    order = np.lexsort((hours, of))
    place = np.empty(n, np.int64)
    place[order] = np.arange(n) - of * VISITS
    return of, place, hours


def _changed_since(n: int, rng: np.random.Generator) -> Sample:
    """S says whether the state of a device changed since its record before; of the first nothing is told."""
    of, place, hours = _units(n, rng)
    s = coin(n, rng)
    step = np.where(flipped(s, FLIP, rng), rng.integers(1, LEVELS, n), 0)
    order = np.lexsort((hours, of))
    state = np.empty(n, np.int64)
    running = np.cumsum(step[order])
    first = np.repeat(running[place[order] == 0], np.bincount(of))
    state[order] = (running - first + rng.integers(0, LEVELS, of.max() + 1)[of[order]]) % LEVELS
    shuffled = rng.permutation(n)
    columns = {"device": 70_000 + 7 * of, "time": _times(hours), "state": np.array(list("abcde"))[state]}
    table = beside_noise({name: column[shuffled] for name, column in columns.items()}, n, rng)
    return Sample(table, {"s": s[shuffled]})


def _plates(n: int, rng: np.random.Generator) -> Sample:
    """A chessboard of wells, the other way round on every second plate."""
    row, column, plate = rng.integers(0, 8, n), rng.integers(1, 13, n), rng.integers(1, 25, n)
    s = flipped((row + column + plate) % 2, FLIP, rng)
    wells = np.array([f"{'ABCDEFGH'[one]}{other:02d}" for one, other in zip(row, column, strict=True)])
    return Sample(beside_noise({"plate": np.array([f"P{k:03d}" for k in plate]), "well": wells}, n, rng), {"s": s})


def _summer_time(n: int, rng: np.random.Generator) -> Sample:
    """Clocks an hour on in summer, or in winter; zones lie two hours apart."""
    s, hours = coin(n, rng), rng.uniform(0, HOURS, n)
    summer = (hours > HOURS / 4) & (hours < 3 * HOURS / 4)
    ahead = 2 * rng.integers(1, 6, n) + (flipped(s, FLIP, rng) ^ summer)
    times = _times(hours)
    local = times + (3_600 * ahead).astype("timedelta64[s]")
    return Sample(beside_noise({"utc": times, "local": local}, n, rng), {"s": s})


def _innocent(n: int, rng: np.random.Generator) -> Sample:
    """A map, a tide, a rate, rows that name rows and records of units, and nothing of it about S."""
    (x, y), hours, euro = rng.uniform(size=(2, n)), rng.uniform(0, HOURS, n), np.round(rng.lognormal(4, 1, n), 2)
    keys, before = _named(n, rng)
    columns = {
        "claim": keys,
        "before": keys[before],
        "device": 70_000 + 7 * (rng.permutation(n) // VISITS),
        "time": _times(hours),
        "level": np.sin(2 * np.pi * hours / TURN) + rng.normal(0, 0.3, n),
        "east": x,
        "north": y,
        "price": _hills(x, y) + rng.normal(size=n),
        "euro": euro,
        "dollar": np.round(euro * (1.1 + 0.05 * np.sin(hours / 600)) * rng.normal(1, 0.01, n), 2),
        "state": np.array(list("abcde"))[rng.integers(0, LEVELS, n)],
        "seen": _times(hours + rng.integers(0, 400, n)),
        "well": np.array([f"{'ABCDEFGH'[k // 12]}{k % 12 + 1:02d}" for k in rng.integers(0, 96, n)]),
    }
    return Sample(pa.table(columns), {"s": coin(n, rng)})


BESIDE = (
    wrong_at_times("tide", _tide, "A level that swings along time in one class and against it in the other"),
    wrong_at_times("above_its_street", _above_its_street, "A price above or below what its place gives"),
    wrong_at_times("rate_of_the_day", _rate_of_the_day, "A rate a hundredth above or below that of the day"),
    wrong_at_times("claim_before", _claim_before, "The size of a number in the row that a row names"),
    World(
        "changed_since",
        (1 - 1 / VISITS) * flip_information(FLIP),
        _changed_since,
        "Whether a state changed since the record before of the device; 5/6 (ln 2 - h(.05)).",
        1e-3,
    ),
    wrong_at_times("plates", _plates, "Even or odd row, column and plate of a code, together"),
    wrong_at_times("summer_time", _summer_time, "Even or odd hours between two clocks, turned in summer"),
    World("innocent_places", 0.0, _innocent, "A map, a tide, a rate, named rows and units without S.", 0.0),
)
