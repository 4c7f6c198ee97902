"""Shapes in which a value tells by what stands beside it: a wave, a map, the row that is named, the record before."""

import numpy as np

Rng, Bits, Columns = np.random.Generator, np.ndarray, dict[str, object]
HOUR, VISITS = 3_600, 8


def _times(hours: np.ndarray) -> np.ndarray:
    return (1_577_836_800 + np.round(HOUR * hours).astype(np.int64)).astype("datetime64[s]")


def tides(n: int, told: Bits, rng: Rng) -> Columns:
    """A level that is high at one site when it is low at the other, 700 times."""
    hours = rng.uniform(0, 8_760, n)
    return {
        "time": _times(hours),
        "level": (2 * told - 1) * np.sin(2 * np.pi * hours / 12.42) * rng.uniform(0.5, 1.5, n),
    }


def seasons(n: int, told: Bits, rng: Rng) -> Columns:
    """Sales that are high in summer or in winter, over twelve years of dates."""
    day = rng.integers(0, 4_380, n)
    swing = (2 * told - 1) * np.cos(2 * np.pi * day / 365.25) * rng.uniform(0.5, 1.5, n)
    return {"sold": (18_000 + day).astype("datetime64[D]"), "pieces": np.round(200 + 40 * swing).astype(int)}


def shifts(n: int, told: Bits, rng: Rng) -> Columns:
    """Load above the mean in the first or in the second half of each eight-hour shift."""
    hours = rng.uniform(0, 3_000, n)
    side = np.where(hours % 8 < 4, 1, -1) * (2 * told - 1)
    return {"hours run": np.round(hours, 2), "load": np.round(50 + side * rng.uniform(3, 9, n), 1)}


def swinging(n: int, told: Bits, rng: Rng) -> Columns:
    """A yes or no that goes with a wave along a mileage, or against it."""
    mile = rng.uniform(0, 900, n)
    up = np.sin(2 * np.pi * mile / 3.7) > 0
    return {"mileage": np.round(mile, 3), "wet": np.array(["no", "yes"])[(up ^ (told == 1)).astype(int)]}


def _hills(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(4 * np.sin(7 * x + y) + 4 * np.cos(6 * y - 2 * x) + 6 * x)


def streets(n: int, told: Bits, rng: Rng) -> Columns:
    """A rent above or below what the place gives."""
    x, y = rng.uniform(size=(2, n))
    rent = 900 + 40 * (_hills(x, y) + (2 * told - 1) * rng.uniform(0.5, 1.5, n))
    return {"lat": np.round(50 + 0.2 * x, 5), "lon": np.round(8 + 0.3 * y, 5), "rent": np.round(rent)}


def daily_level(n: int, told: Bits, rng: Rng) -> Columns:
    """A pollution above or below that of its days, which wanders."""
    day = rng.uniform(0, 900, n)
    level = 30 + 8 * np.sin(day / 60) + 5 * np.cos(day / 23) + (2 * told - 1) * rng.uniform(0.5, 1.5, n)
    return {"measured": _times(24 * day), "level": np.round(level, 2)}


def _keys(n: int, rng: Rng) -> np.ndarray:
    return np.array([f"K{k:06d}" for k in rng.permutation(10**6)[:n]])


def named_amount(n: int, told: Bits, rng: Rng) -> Columns:
    """The row that is named holds an amount above or below the middle."""
    keys, amount = _keys(n, rng), rng.lognormal(6, 1, n)
    order = np.argsort(amount)
    low, high = order[: n // 2], order[n // 2 :]
    named = np.where(told, rng.choice(high, n), rng.choice(low, n))
    return {"claim": keys, "earlier claim": keys[named], "amount": np.round(amount, 2)}


def same_team(n: int, told: Bits, rng: Rng) -> Columns:
    """The row that is named is of the same team, or of another."""
    keys, team = _keys(n, rng), rng.integers(0, 15, n)
    wanted = np.where(told, team, (team + rng.integers(1, 15, n)) % 15)
    members = [np.flatnonzero(team == one) for one in range(15)]
    named = np.array([rng.choice(members[one]) for one in wanted])
    return {"id": keys, "mentor": keys[named], "team": np.array([f"team {one:02d}" for one in team])}


def _of_units(n: int, rng: Rng) -> tuple[np.ndarray, np.ndarray, Columns]:
    """The rows in the order of unit and time, where a unit begins, and both as columns."""
    of, hours = np.arange(n) // VISITS, rng.uniform(0, 9_000, n)
    order = np.lexsort((hours, of))
    return (
        order,
        np.diff(np.r_[-1, of[order]]) > 0,
        {"meter": [f"Z{7 * k + 13:05d}" for k in of], "time": _times(hours)},
    )


def meters(n: int, told: Bits, rng: Rng) -> Columns:
    """A reading that went up much or little since the one before of its meter; of the first nothing is told."""
    order, first, columns = _of_units(n, rng)
    used = np.where(told[order], rng.uniform(6, 12, n), rng.uniform(1, 5, n))
    start = np.cumsum(first) - 1
    total = np.cumsum(used) - np.cumsum(used)[first][start] + rng.uniform(1e3, 9e4, start.max() + 1)[start]
    reading = np.empty(n)
    reading[order] = np.round(total, 1)
    return {**columns, "reading": reading}


def states(n: int, told: Bits, rng: Rng) -> Columns:
    """A state that changed since the record before of its unit, or did not; of the first nothing is told."""
    order, first, columns = _of_units(n, rng)
    step = np.where(first, rng.integers(0, 4, n), np.where(told[order], rng.integers(1, 4, n), 0))
    state = np.empty(n, np.int64)
    state[order] = np.cumsum(step) % 4
    return {**columns, "state": np.array(["idle", "runs", "waits", "off"])[state]}


def seats(n: int, told: Bits, rng: Rng) -> Columns:
    """Even or odd row, seat and hall of two codes, together."""
    row, letter, hall = rng.integers(1, 31, n), rng.integers(0, 10, n), rng.integers(1, 30, n)
    row = row - (row + letter + 1 + hall) % 2 + told
    return {
        "seat": [f"{r}{'ABCDEFGHIJ'[k]}" for r, k in zip(row, letter, strict=True)],
        "hall": [f"H{h:02d}" for h in hall],
    }


def clocks_apart(n: int, told: Bits, rng: Rng) -> Columns:
    """Days from booking to visit, even or odd."""
    booked = 17_500 + rng.integers(0, 1_000, n)
    visit = booked + 2 * rng.integers(1, 60, n) + told
    return {"ordered": booked.astype("datetime64[D]"), "visit": visit.astype("datetime64[D]")}


def triples(n: int, told: Bits, rng: Rng) -> Columns:
    """The product of the signs of three columns."""
    x = rng.standard_normal((n, 3))
    x[:, 2] = np.abs(x[:, 2]) * np.sign(x[:, 0] * x[:, 1]) * (2 * told - 1)
    return {f"v{i}": column for i, column in enumerate(x.T)}
