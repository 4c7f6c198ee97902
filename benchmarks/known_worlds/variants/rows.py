"""Shapes in which several records together hold the bit that is told: copies, subjects, links, households."""

import numpy as np
import pandas as pd

Rng, Bits, Columns = np.random.Generator, np.ndarray, dict[str, object]


def _members(told: Bits, size: int, rng: Rng) -> np.ndarray:
    """Records whose bit is set, at random in rows of `size`; those that are left over are in none."""
    rows = rng.permutation(np.flatnonzero(told))
    return rows[: len(rows) // size * size].reshape(-1, size)


def tripled(n: int, told: Bits, rng: Rng) -> Columns:
    """Rows that were entered three times, their numbers moved by a hundredth of their spread."""
    x, member = rng.normal(size=(n, 9)), _members(told, 3, rng)
    for place in (1, 2):
        x[member[:, place]] = x[member[:, 0]] + 0.01 * rng.normal(size=(len(member), 9))
    return {f"x{i}": column for i, column in enumerate(x.T)}


def interpolated(n: int, told: Bits, rng: Rng) -> Columns:
    """Of the rows of one class half stand between another one and its nearest, as SMOTE draws them."""
    x = rng.normal(size=(n, 10))
    of_class = rng.permutation(np.flatnonzero(told))
    seeds, drawn = of_class[: len(of_class) // 2], of_class[len(of_class) // 2 :]
    distance = ((x[seeds][:, None] - x[seeds][None]) ** 2).sum(axis=2) + 1e9 * np.eye(len(seeds))
    nearest = seeds[distance.argmin(axis=1)]
    of = rng.integers(0, len(seeds), len(drawn))
    x[drawn] = x[seeds[of]] + rng.random((len(drawn), 1)) * (x[nearest[of]] - x[seeds[of]])
    return {f"x{i}": column for i, column in enumerate(x.T)}


def retyped(n: int, told: Bits, rng: Rng) -> Columns:
    """Persons entered twice, with one of ten answers typed anew."""
    answers, member = rng.integers(0, 6, (n, 10)), _members(told, 2, rng)
    answers[member[:, 1]] = answers[member[:, 0]]
    answers[member[:, 1], rng.integers(0, 10, len(member))] = rng.integers(0, 6, len(member))
    return {f"q{i}": np.array(list("abcdef"))[column] for i, column in enumerate(answers.T)}


def _places(of: np.ndarray, rng: Rng) -> np.ndarray:
    """Place of each record among those of its unit, in random order."""
    order = np.lexsort((rng.random(len(of)), of))
    start = np.r_[0, np.flatnonzero(np.diff(of[order])) + 1]
    place = np.empty(len(of), np.int64)
    place[order] = np.arange(len(of)) - np.repeat(start, np.diff(np.r_[start, len(of)]))
    return place


def climbing(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """A value that rises from visit to visit, or falls; the dates are given."""
    place = _places(of, rng)
    units = int(of.max()) + 1
    first = rng.integers(16_000, 18_000, units)[of]
    value = rng.normal(0, 3, units)[of] + (2 * told - 1) * (place - 3.5) + rng.normal(0, 1, n)
    return {"seen": pd.Series(pd.to_datetime(first + 30 * place, unit="D")), "value": np.round(value, 2)}


def regular(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """Visits every thirty days, or on any days of the same months."""
    first = rng.integers(16_000, 18_000, int(of.max()) + 1)[of]
    days = np.where(told, 30 * _places(of, rng), rng.integers(0, 240, n))
    return {"seen": pd.Series(pd.to_datetime(first + days, unit="D")), "value": rng.normal(size=n)}


def numbered(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """Numbers of patients end on an odd or an even digit."""
    number = (
        10 * rng.permutation(90_000)[: int(of.max()) + 1][of] + 2 * rng.integers(0, 5, int(of.max()) + 1)[of] + told
    )
    return {"patient": number, "value": rng.normal(size=n)}


def steady(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """One category of five at all visits, or any of them."""
    own = rng.integers(0, 5, int(of.max()) + 1)[of]
    return {"ward": np.array(list("abcde"))[np.where(told, own, rng.integers(0, 5, n))], "value": rng.normal(size=n)}


def supervised(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """Everybody names the head of a team of six that shares S; the head names nobody."""
    head = np.full(int(of.max()) + 1, -1)
    head[of[::-1]] = np.arange(n)[::-1]
    keys = np.array([f"E{k:05d}" for k in rng.permutation(90_000)[:n]], dtype=object)
    return {"employee": keys, "reports_to": np.where(head[of] == np.arange(n), None, keys[head[of]])}


def paired(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """One of two names the other; the other names nobody."""
    order = np.argsort(of, kind="stable")
    ids, other = 10**6 + rng.permutation(10**5)[:n], np.full(n, np.nan)
    for one, two in zip(order[::2], order[1::2], strict=False):
        if of[one] == of[two]:
            other[one] = ids[two]
    return {"id": ids, "sibling": pd.array(other, dtype="Int64")}


def chained(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """Records that replace the one before, in chains of four of one class."""
    order = np.lexsort((_places(of, rng), of))
    keys = np.array([f"{k:06x}" for k in rng.permutation(2**20)[:n]], dtype=object)
    replaces = np.full(n, None, dtype=object)
    same = np.flatnonzero(of[order][1:] == of[order][:-1])
    replaces[order[same + 1]] = keys[order[same]]
    return {"key": keys, "replaces": replaces}


def addresses(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """Street and number, each shared by many, together by those of one household."""
    units = int(of.max()) + 1
    street, number = rng.integers(0, 60, units)[of], rng.integers(1, 90, units)[of]
    return {"street": [f"street {s:02d}" for s in street], "number": number}


def answers(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """Eleven answers of a household and fifteen of one's own, of four levels."""
    shared, own = rng.integers(0, 4, (int(of.max()) + 1, 11))[of], rng.integers(0, 4, (n, 15))
    letters = np.array(list("abcd"))
    columns = [letters[column] for column in np.hstack([shared, own])[:, rng.permutation(26)].T]
    return {f"a{i}": column for i, column in enumerate(columns)}


def spelled(n: int, told: Bits, rng: Rng, of: np.ndarray) -> Columns:
    """The name of a family, in capitals or with blanks and marks at times."""
    units = int(of.max()) + 1
    syllables = np.array(["ba", "den", "ko", "li", "mar", "no", "ri", "su", "ten", "vo"])
    names = np.array(["".join(row) for row in rng.choice(syllables, (units, 4))], dtype=object)[of]
    how = rng.integers(0, 4, n)
    written = [(name, name.upper(), f" {name} ", f"{name.title()}.")[h] for name, h in zip(names, how, strict=True)]
    return {"family": np.array(written, dtype=object), "age": rng.integers(1, 90, n)}
