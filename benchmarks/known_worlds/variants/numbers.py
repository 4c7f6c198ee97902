"""Shapes of a continuous S that is told by anything but its size, noise of a known seed, and digests without a key."""

import hashlib
import zlib

import numpy as np
import pandas as pd

Rng, Columns = np.random.Generator, dict[str, object]
MONTHS = np.array(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])


def birth_month(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """S is the day of a birth; the release has the name of its month."""
    day = rng.integers(0, 365 * 50, n)
    month = pd.to_datetime(day, unit="D").month.to_numpy() - 1
    return {"month": MONTHS[_mistaken(month, 12, wrong, rng)]}, day.astype(float)


def last_digit(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """S is an amount in whole units; the release has its last digit."""
    amount = rng.integers(1_000, 90_000, n)
    return {"code": [f"d{d}" for d in _mistaken(amount % 10, 10, wrong, rng)]}, amount.astype(float)


def odd_number(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """S is a whole number; the release says whether it is odd."""
    number = rng.integers(0, 50_000, n)
    return {"side": np.array(["left", "right"])[_mistaken(number % 2, 2, wrong, rng)]}, number.astype(float)


def cents(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """S is an amount that ends on whole units or on tenths; the release has a column that differs between them."""
    short = rng.integers(0, 2, n)
    amount = np.where(
        short, np.round(rng.uniform(100, 9_000, n)), np.floor(rng.uniform(100, 9_000, n)) + rng.integers(1, 10, n) / 10
    )
    return {"method": np.array(["cash", "card"])[_mistaken(short, 2, wrong, rng)]}, amount


def _mistaken(code: np.ndarray, classes: int, wrong: float, rng: Rng) -> np.ndarray:
    """Move a share `wrong` of the codes to another one, each as likely."""
    moved = rng.random(len(code)) < wrong
    return np.where(moved, (code + rng.integers(1, classes, len(code))) % classes, code)


def seeded_laplace(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """Laplace noise of NumPy's former generator, seed 0, on five columns; S is the sign of one."""
    return _noised(n, wrong, rng, np.random.RandomState(0).laplace(size=(n, 5)))


def seeded_uniform(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """Uniform noise of NumPy's present generator, seed 2024, on three columns; S is the sign of one."""
    return _noised(n, wrong, rng, 4 * np.random.default_rng(2024).uniform(-1, 1, size=(n, 3)))


def seeded_normal(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """Normal noise of NumPy's present generator, seed 7, on eight columns; S is the sign of one."""
    return _noised(n, wrong, rng, 2 * np.random.default_rng(7).normal(size=(n, 8)))


def _noised(n: int, wrong: float, rng: Rng, noise: np.ndarray) -> tuple[Columns, np.ndarray]:
    truth = rng.standard_normal(noise.shape)
    s = (truth[:, 1] > 0) ^ (rng.random(n) < wrong)
    return {f"n{i}": column for i, column in enumerate((0.3 * truth + noise).T)}, s.astype(np.int64)


def row_digest(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """SHA-256 of two columns and S, beside the two columns."""
    s, city, year = rng.integers(0, 2, n), rng.integers(0, 30, n), rng.integers(1930, 2005, n)
    said = np.where(rng.random(n) < wrong, 1 - s, s)
    digest = [hashlib.sha256(f"c{a},{b},{c}".encode()).hexdigest() for a, b, c in zip(city, year, said, strict=True)]
    return {"city": [f"c{c}" for c in city], "born": year, "digest": digest}, s


def short_digest(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """MD5 of an identifier and S, beside the identifier."""
    s, ids = rng.integers(0, 2, n), rng.permutation(10**6)[:n]
    said = np.where(rng.random(n) < wrong, 1 - s, s)
    return {"id": ids, "etag": [hashlib.md5(f"{a}{b}".encode()).hexdigest() for a, b in zip(ids, said, strict=True)]}, s


def checksum(n: int, wrong: float, rng: Rng) -> tuple[Columns, np.ndarray]:
    """CRC-32 of an identifier and the name of S, beside the identifier."""
    s, ids = rng.integers(0, 2, n), [f"K{k:05d}" for k in rng.permutation(90_000)[:n]]
    said = np.array(["f", "m"])[np.where(rng.random(n) < wrong, 1 - s, s)]
    return {"id": ids, "check": [zlib.crc32(f"{a}|{b}".encode()) for a, b in zip(ids, said, strict=True)]}, np.array(
        ["f", "m"]
    )[s]
