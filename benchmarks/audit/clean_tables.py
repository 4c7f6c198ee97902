"""Tables as they come, and an S that has nothing to do with them."""

from typing import Any

import numpy as np
import pandas as pd

SIZES = (200, 700, 1_800, 4_000)
CITIES = [
    f"{first}{last}" for first in ("Ash", "Bel", "Cor", "Dun", "Elm", "Far", "Gos") for last in ("ton", "ford", "by")
]
WORDS = [
    "fine",
    "tired",
    "cough",
    "fever",
    "pain",
    "none",
    "mild",
    "night",
    "stairs",
    "sleep",
    "better",
    "worse",
    "again",
    "left",
    "right",
    "since",
]
Rng = np.random.Generator


def ages(rng: Rng, n: int) -> np.ndarray:
    """Whole years, heaped at tens as people give them."""
    years = np.clip(np.round(rng.gamma(9, 5, n)), 16, 95).astype(int)
    return np.where(rng.random(n) < 0.15, years // 10 * 10, years)


def amounts(rng: Rng, n: int) -> np.ndarray:
    """Incomes: skewed, a tenth zero, most rounded to hundreds or thousands."""
    money = rng.lognormal(10, 0.7, n)
    step = rng.choice([1, 100, 1000, 5000], n, p=[0.1, 0.3, 0.4, 0.2])
    return np.where(rng.random(n) < 0.1, 0.0, np.round(money / step) * step)


def dates(rng: Rng, n: int, unit: str = "D") -> pd.Series:
    """Days, or seconds in office hours, of four years."""
    days = pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 1461, n), "D")
    return pd.Series(days if unit == "D" else days + pd.to_timedelta(rng.integers(8 * 3600, 18 * 3600, n), "s"))


def levels(rng: Rng, n: int, of: list[str], skew: float = 1.0) -> np.ndarray:
    """Categories, the first the commonest."""
    weights = 1.0 / np.arange(1, len(of) + 1) ** skew
    return rng.choice(np.array(of, dtype=object), n, p=weights / weights.sum())


def gaps(rng: Rng, column: Any, share: float) -> pd.Series:
    """Take a share of the values out."""
    return pd.Series(column).where(rng.random(len(column)) >= share)


def survey(rng: Rng, n: int) -> dict[str, Any]:
    """Persons and what they answered; U depends on the columns, the original holds one that tells S."""
    age, money = ages(rng, n), amounts(rng, n)
    frame = pd.DataFrame(
        {
            "age": age,
            "income": money,
            "married": levels(rng, n, ["yes", "no", "widowed"]),
            "children": rng.poisson(1.2, n),
            "region": levels(rng, n, CITIES[:7]),
            "height": np.round(rng.normal(172, 9, n)),
        }
    )
    s = rng.integers(0, 2, n)
    rich = np.where(age + rng.normal(0, 12, n) > 45, "yes", "no")
    original = frame.assign(height=np.round(rng.normal(166, 7, n) + 12 * s))
    return {
        "release": frame,
        "sensitive_features": np.array(["f", "m"])[s],
        "utility": pd.Series(rich, name="u"),
        "original": original,
    }


def visits(rng: Rng, n: int) -> dict[str, Any]:
    """Visits of patients in the order of their dates; what belongs to a patient is the same in all his rows."""
    who = rng.integers(0, max(20, n // 4), n)
    patients = int(who.max()) + 1
    day = dates(rng, n).sort_values(ignore_index=True)
    frame = pd.DataFrame(
        {
            "admitted": day,
            "days": rng.poisson(3, n) + 1,
            "diagnosis": levels(rng, n, [f"{c}{k}" for c in "EIJ" for k in range(10, 25)]),
            "glucose": gaps(rng, np.round(rng.normal(6, 1.5, n), 1), 0.2),
            "born": (1940 + rng.integers(0, 60, patients))[who],
            "clinic": levels(rng, n, ["north", "south", "east"]),
        }
    )
    return {
        "release": frame,
        "sensitive_features": np.array(["a", "b"])[rng.integers(0, 2, patients)[who]],
        "groups": who,
    }


def wide(rng: Rng, n: int) -> dict[str, Any]:
    """150 columns of six common factors: some rounded, some skewed, some cut into levels, some with gaps."""
    dense = rng.standard_normal((n, 6)) @ rng.standard_normal((6, 150)) / 2 + rng.standard_normal((n, 150))
    frame = pd.DataFrame(dense, columns=[f"q{i}" for i in range(150)])
    for i, name in enumerate(frame):
        kind = i % 5
        if kind == 1:
            frame[name] = np.round(2 * frame[name]).astype(int)
        elif kind == 2:
            frame[name] = np.exp(frame[name])
        elif kind == 3:
            frame[name] = pd.cut(
                frame[name], [-np.inf, -1, 0, 1, np.inf], labels=["low", "less", "more", "high"]
            ).astype(str)
        elif kind == 4:
            frame[name] = gaps(rng, np.round(frame[name], 2), 0.1)
    return {"release": frame, "sensitive_features": rng.integers(0, 2, n)}


def texts(rng: Rng, n: int) -> dict[str, Any]:
    """Text: places, occupations of many levels, short notes, codes with leading zeros."""
    jobs = [
        f"{a} {b}"
        for a in ("senior", "junior", "chief", "deputy")
        for b in ("clerk", "nurse", "cook", "driver", "tailor")
    ]
    notes = [" ".join(rng.choice(WORDS, rng.integers(1, 4))) for _ in range(n)]
    frame = pd.DataFrame(
        {
            "city": levels(rng, n, CITIES),
            "job": levels(rng, n, jobs, 0.5),
            "note": gaps(rng, notes, 0.3),
            "area": [f"{k:05d}" for k in rng.integers(501, 560, n)],
            "hours": rng.choice([20, 30, 38, 40], n, p=[0.2, 0.2, 0.2, 0.4]),
        }
    )
    return {"release": frame, "sensitive_features": levels(rng, n, ["red", "green", "blue"], 0.7)}


def embedding(rng: Rng, n: int) -> dict[str, Any]:
    """A dense representation in single precision."""
    codes = rng.standard_normal((n, 6)) @ rng.standard_normal((6, 32)) + 0.3 * rng.standard_normal((n, 32))
    return {"release": np.tanh(codes).astype(np.float32), "sensitive_features": rng.integers(0, 4, n)}


def events(rng: Rng, n: int) -> dict[str, Any]:
    """Orders with their times, prices that end in .99 and rare kinds."""
    times = dates(rng, n, "s").sort_values(ignore_index=True)
    frame = pd.DataFrame(
        {
            "placed": times,
            "shipped": times + pd.to_timedelta(rng.integers(1, 9, n), "D"),
            "price": np.round(rng.lognormal(3, 0.8, n)) - 0.01,
            "pieces": rng.geometric(0.6, n),
            "kind": levels(rng, n, [f"kind {k}" for k in range(30)], 1.5),
            "gift": rng.random(n) < 0.2,
        }
    )
    return {"release": frame, "sensitive_features": np.where(rng.random(n) < 0.2, "private", "firm")}


def sparse(rng: Rng, n: int) -> dict[str, Any]:
    """Laboratory values most of which were not taken; S is coded 1.0 and 2.0, with gaps."""
    frame = pd.DataFrame(
        {f"lab{i}": gaps(rng, np.round(rng.lognormal(1, 0.5, n), 1), 0.1 + 0.08 * i) for i in range(11)}
    )
    frame["seen"] = levels(rng, n, ["once", "twice", "often"])
    code = pd.Series(rng.integers(1, 3, n).astype(float), name="code")
    return {"release": frame, "sensitive_features": gaps(rng, code, 0.05), "sensitive_kinds": {"code": "categorical"}}


def skewed(rng: Rng, n: int) -> dict[str, Any]:
    """Heavy tails, many zeros, huge counts; S is an amount."""
    frame = pd.DataFrame(
        {
            "gain": np.where(rng.random(n) < 0.9, 0.0, np.round(rng.gamma(2, 2000, n))),
            "debt": amounts(rng, n),
            "clicks": np.round(rng.pareto(1.2, n) * 10).astype(int),
            "share": np.round(rng.beta(0.4, 0.4, n), 2),
            "heavy": rng.standard_t(2, n),
            "group": levels(rng, n, ["A", "B", "C", "D"]),
        }
    )
    return {"release": frame, "sensitive_features": pd.Series(amounts(rng, n), name="wealth")}


def windows(rng: Rng, n: int) -> dict[str, Any]:
    """Features of windows of sensors, subject by subject as they are stored; S belongs to the subject."""
    who = np.sort(rng.integers(0, max(12, n // 12), n))
    base = rng.standard_normal((int(who.max()) + 1, 10))
    frame = pd.DataFrame(
        (0.7 * base[who] + rng.standard_normal((n, 10))).astype(np.float32), columns=[f"f{i}" for i in range(10)]
    )
    frame["activity"] = levels(rng, n, ["walk", "sit", "stand", "run"], 0.5)
    return {"release": frame, "sensitive_features": rng.integers(0, 2, len(base))[who], "groups": who}


def households(rng: Rng, n: int) -> dict[str, Any]:
    """Members of households beside each other; weights and rent of the household are the same for all of them."""
    home = np.repeat(np.arange(n), rng.integers(1, 5, n))[:n]
    homes = int(home.max()) + 1
    frame = pd.DataFrame(
        {
            "rent": np.round(rng.lognormal(6.5, 0.4, homes), -1)[home],
            "weight": np.round(rng.uniform(0.5, 2, homes), 2)[home],
            "age": ages(rng, n),
            "hours": gaps(rng, rng.integers(0, 60, n), 0.3),
            "school": levels(rng, n, ["primary", "middle", "high", "college"], 0.3),
        }
    )
    sick = np.where(frame.age + rng.normal(0, 15, n) > 55, "yes", "no")
    return {
        "release": frame,
        "sensitive_features": rng.integers(0, 3, homes)[home],
        "groups": home,
        "utility": pd.Series(sick, name="u"),
    }


TABLES = (survey, visits, wide, texts, embedding, events, sparse, skewed, windows, households)
