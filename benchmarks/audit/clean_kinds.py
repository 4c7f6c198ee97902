"""Releases of every kind that has a reader of its own, and an S that has nothing to do with them."""

import hashlib
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from clean_tables import WORDS, Rng, ages, amounts, dates, gaps, levels

from withhold.contracts.images import image_column


def keyed(rng: Rng, n: int) -> dict[str, Any]:
    """Rows that name rows, codes, times in seconds, digests with a key, cities and their regions."""
    ids = rng.permutation(9 * n)[:n] + 100_000
    city = rng.integers(0, 40, n)
    frame = pd.DataFrame(
        {
            "id": ids,
            "mother": gaps(rng, ids[rng.integers(0, n, n)], 0.3),
            "order": [f"{a}-{b:06d}" for a, b in zip(rng.choice(list("ABC"), n), rng.permutation(n), strict=True)],
            "entered": 1_600_000_000 + rng.integers(0, 9 * 10**7, n),
            "digest": [hashlib.sha256(rng.bytes(16)).hexdigest() for _ in range(n)],
            "city": [f"city {c:02d}" for c in city],
            "region": [f"region {c % 6}" for c in city],
            "age": ages(rng, n),
        }
    )
    return {"release": frame, "sensitive_features": np.array(["f", "m"])[rng.integers(0, 2, n)]}


def lists(rng: Rng, n: int) -> dict[str, Any]:
    """Vectors of which some are missing, baskets, series of several lengths, floats as bytes, answers in a map."""
    vectors: list[Any] = np.round(rng.normal(size=(n, 12)), 3).tolist()
    for row in rng.integers(0, n, 3):
        vectors[row] = None
    baskets = [[f"p{p:02d}" for p in rng.choice(60, rng.integers(1, 7), replace=False)] for _ in range(n)]
    series = [np.round(np.cumsum(rng.normal(size=rng.integers(5, 20))), 2).tolist() for _ in range(n)]
    answers = [
        [(f"q{q}", float(round(rng.normal(), 1))) for q in rng.choice(8, rng.integers(3, 8), replace=False)]
        for _ in range(n)
    ]
    table = pa.table(
        {
            "vector": pa.array(vectors, pa.list_(pa.float32())),
            "basket": baskets,
            "series": series,
            "stored": [row.tobytes() for row in rng.normal(size=(n, 8)).astype("<f4")],
            "answers": pa.array(answers, pa.map_(pa.string(), pa.float64())),
            "age": ages(rng, n),
        }
    )
    return {"release": table, "sensitive_features": rng.integers(0, 3, n)}


def pictures(rng: Rng, n: int) -> dict[str, Any]:
    """Photographs of one size beside the site and the age of a person."""
    grid = np.linspace(-1, 1, 14)
    waves = np.sin(3 * grid[:, None] * rng.normal(size=(n, 1, 1)) + 3 * grid * rng.normal(size=(n, 1, 1)))
    images = np.clip(120 + 50 * waves + rng.normal(0, 15, (n, 14, 14)), 0, 255).astype(np.uint8)
    table = pa.table({"photo": image_column(images), "site": levels(rng, n, ["a", "b", "c"]), "age": ages(rng, n)})
    return {"release": table, "sensitive_features": levels(rng, n, ["healthy", "ill"], 0.6)}


def letters(rng: Rng, n: int) -> dict[str, Any]:
    """Letters about patients, some of them long, with the dates of visits; S belongs to the patient."""
    who = rng.integers(0, max(20, n // 3), n)
    frame = pd.DataFrame(
        {
            "letter": [" ".join(rng.choice(WORDS, rng.integers(4, 25))) + "." for _ in range(n)],
            "subject": [f"Re: {a} {b}" for a, b in rng.choice(WORDS, (n, 2))],
            "sent": dates(rng, n),
            "pages": rng.geometric(0.5, n),
            "pulse": gaps(rng, np.round(rng.normal(75, 12, n)), 0.1),
        }
    )
    return {
        "release": frame,
        "sensitive_features": np.array(["a", "b"])[rng.integers(0, 2, int(who.max()) + 1)[who]],
        "groups": who,
    }


def accounts(rng: Rng, n: int) -> dict[str, Any]:
    """Totals, a body-mass index, prices with tax, dates; S is a number."""
    net, weight, height = amounts(rng, n), np.round(rng.normal(75, 14, n), 1), np.round(rng.normal(1.7, 0.1, n), 2)
    parts = np.round(rng.dirichlet([2, 2, 2], n), 3)
    frame = pd.DataFrame(
        {
            "net": net,
            "gross": np.round(net * 1.19, 2),
            "weight": weight,
            "height": height,
            "bmi": np.round(weight / height**2, 1),
            **{f"share{i}": column for i, column in enumerate(parts.T)},
            "booked": dates(rng, n),
        }
    )
    return {"release": frame, "sensitive_features": pd.Series(rng.gamma(9, 5, n), name="score")}


KINDS = (keyed, lists, pictures, letters, accounts)
