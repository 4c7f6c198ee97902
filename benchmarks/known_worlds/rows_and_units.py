"""Worlds of what rows, units and two columns hold together: stripes, twins among noise, numbers, ranks, addresses."""

import numpy as np
import pandas as pd
import pyarrow as pa
from known_worlds.quadrature import binary_entropy
from known_worlds.told_bits import FLIP, LN2, beside_noise, wrong_at_times
from known_worlds.world import Sample, World, coin, flipped

SIZE, VISITS, NOISY, CLUBS = 3, 6, 40, 24
CITIES = np.array(["Aachen", "Bremen", "Cottbus", "Dresden", "Essen", "Fulda", "Gera", "Halle", "Ilmenau", "Jena"])
TALK = np.array(["pain", "mild", "knee", "seen", "again", "left", "sleep", "cough", "night", "since"])


def _stripes(n: int, rng: np.random.Generator) -> Sample:
    s, a = coin(n, rng), rng.uniform(0, 4, n)
    height = 2 * rng.integers(0, 4, n) + flipped(s, FLIP, rng) + rng.uniform(0, 1, n)
    return Sample(beside_noise({"a": a, "b": (height + 1.3 * a) % 8}, n, rng), {"s": s})


def _twins(n: int, rng: np.random.Generator) -> pa.Table:
    """Rows of which the second half of the first are near the first half in eight of many columns."""
    pairs = n // 4
    rows = rng.standard_normal((n, 8))
    rows[pairs : 2 * pairs] = rows[:pairs] + 0.005 * rng.standard_normal((pairs, 8))
    noise = rng.standard_normal((n, NOISY))
    return pa.table({f"x{j}": column for j, column in enumerate(np.hstack([rows, noise]).T)})


def _twins_among_noise(n: int, rng: np.random.Generator) -> Sample:
    order = rng.permutation(n)
    s = (np.arange(n) < n // 4 * 2).astype(np.int64)[order]
    return Sample(_twins(n, rng).take(pa.array(order)), {"s": s})


def _numbers(units: int, told: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 10 * (1_000 + rng.permutation(90_000)[:units]) + 2 * rng.integers(0, 5, units) + told


def _patient_numbers(n: int, rng: np.random.Generator) -> Sample:
    of = rng.permutation(n) // VISITS
    s = coin(int(of.max()) + 1, rng)
    numbers = _numbers(len(s), flipped(s, FLIP, rng), rng)
    return Sample(beside_noise({"patient": numbers[of]}, n, rng), {"s": s[of]}, groups=of)


def _oldest(n: int, rng: np.random.Generator) -> Sample:
    home, age = rng.permutation(n) // SIZE, rng.permutation(50 * n)[:n] / 500
    oldest = pd.Series(age).groupby(home).transform("max").to_numpy() == age
    return Sample(beside_noise({"home": [f"h{h:05d}" for h in home], "age": age}, n, rng), {"s": _told(oldest, rng)})


def _told(bits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return flipped(bits.astype(np.int64), FLIP, rng)


def _named_city(n: int, rng: np.random.Generator) -> Sample:
    s, city = coin(n, rng), rng.integers(0, len(CITIES), n)
    said = np.where(flipped(s, FLIP, rng), city, (city + rng.integers(1, len(CITIES), n)) % len(CITIES))
    notes = [f"{a} {CITIES[k]} {b}" for a, k, b in zip(rng.choice(TALK, n), said, rng.choice(TALK, n), strict=True)]
    return Sample(beside_noise({"city": CITIES[city], "note": np.array(notes)}, n, rng), {"s": s})


def _addresses(of: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    homes = int(of.max()) + 1
    street, number = rng.integers(0, 40, homes)[of], rng.integers(1, 80, homes)[of]
    return {"street": np.array([f"street {k:02d}" for k in street]), "number": number}


def _same_address(n: int, rng: np.random.Generator) -> Sample:
    of = rng.permutation(n) // SIZE
    return Sample(beside_noise(_addresses(of, rng), n, rng), {"s": coin(int(of.max()) + 1, rng)[of]})


def _used_in_turn(n: int, rng: np.random.Generator) -> Sample:
    """Two use a device in turn; the device, the time and who began are given or not known."""
    of = rng.permutation(n) // VISITS
    time = 1_600_000_000 + rng.choice(10**8, n, replace=False)
    turn = pd.Series(time).groupby(of).rank().to_numpy().astype(int)
    s = (turn + coin(int(of.max()) + 1, rng)[of]) % 2
    return Sample(beside_noise({"device": 70_000 + 7 * of, "time": time.astype("datetime64[s]")}, n, rng), {"s": s})


def _told_twice(n: int, rng: np.random.Generator) -> Sample:
    """Each match is entered by both clubs; S says who won, so that one row tells that of the other."""
    matches = (n + 1) // 2
    one = rng.integers(0, CLUBS, matches)
    other, day = (one + rng.integers(1, CLUBS, matches)) % CLUBS, rng.integers(0, 400, matches)
    won = coin(matches, rng)
    order, clubs = rng.permutation(2 * matches)[:n], np.array([f"club {k:02d}" for k in range(CLUBS)])
    columns = {"club": clubs[np.r_[one, other]], "against": clubs[np.r_[other, one]], "day": np.r_[day, day]}
    s = np.r_[won, 1 - won]
    table = beside_noise({name: column[order] for name, column in columns.items()}, n, rng)
    return Sample(table, {"s": s[order]})


def _counted(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    notes = [" ".join(rng.choice(TALK, k)) for k in rng.integers(3, 12, n)]
    off = np.where(flipped(s, FLIP, rng), rng.choice([-2, -1, 1, 2], n), 0)
    counts = np.array([len(note) for note in notes]) + off
    return Sample(beside_noise({"note": np.array(notes), "characters": counts}, n, rng), {"s": s})


def _innocent_units(n: int, rng: np.random.Generator) -> Sample:
    """Everything that these worlds have, and nothing of it about S."""
    table, of = _twins(n, rng).take(pa.array(rng.permutation(n))), rng.permutation(n) // VISITS
    units = int(of.max()) + 1
    city = rng.integers(0, len(CITIES), n)
    notes = [f"{CITIES[k]} {a}" for k, a in zip(rng.permutation(city), rng.choice(TALK, n), strict=True)]
    columns = {
        "patient": _numbers(units, coin(units, rng), rng)[of],
        "time": (1_600_000_000 + rng.choice(10**8, n, replace=False)).astype("datetime64[s]"),
        "born": rng.integers(0, 18_000, n).astype("datetime64[D]"),
        "city": CITIES[city],
        "note": np.array(notes),
        "characters": np.array([len(note) for note in notes]) + rng.integers(-1, 2, n),
        **_addresses(rng.permutation(n) // SIZE, rng),
    }
    for name, column in columns.items():
        table = table.append_column(name, pa.array(column))
    return Sample(table, {"s": coin(n, rng)})


OLDEST = (1 - 2 * FLIP) / SIZE + FLIP
ROWS_AND_UNITS = (
    wrong_at_times("slanting_stripes", _stripes, "Which of eight stripes across two columns"),
    World("twins_among_noise", LN2, _twins_among_noise, "Twins in eight of 48 columns for one class; ln 2.", 0.0),
    World(
        "patient_numbers",
        LN2 - binary_entropy(FLIP),
        _patient_numbers,
        "The last digit of a column that names subjects too; ln 2 - h(.05) of a subject, and of a record.",
        0.0,
        subject_truth=LN2 - binary_entropy(FLIP),
    ),
    World(
        "oldest",
        float(binary_entropy(OLDEST) - binary_entropy(FLIP)),
        _oldest,
        "Whether the oldest of a household of three, wrong in a twentieth; h(.35) - h(.05).",
        1e-9,
        entropy=float(binary_entropy(OLDEST)),
    ),
    wrong_at_times("named_city", _named_city, "Whether a note names the city of another column"),
    World("same_address", LN2, _same_address, "A household by street and number; ln 2 with the file.", 0.0),
    World("used_in_turn", LN2, _used_in_turn, "S changes from record to record of a device; ln 2 with the file.", 0.0),
    World(
        "told_twice", LN2, _told_twice, "Who won, from the row that the other club entered; ln 2 with the file.", 0.0
    ),
    wrong_at_times("counted", _counted, "Whether a number of characters is off by one or two"),
    World("innocent_units", 0.0, _innocent_units, "Twins, units, times, addresses and mentions without S.", 0.0),
)
