"""Shapes in which a value, a list, a text or several columns of one record hold the bit that is told."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
from PIL import Image

from withhold.contracts.images import image_column

Rng, Bits, Columns = np.random.Generator, np.ndarray, dict[str, object]
SIDE = 16
STEMS = np.array(
    [f"{a}{b}" for a in ("Kowal", "Nowa", "Zieli", "Lewan", "Wojci", "Kami") for b in ("n", "r", "dow", "b")]
)
TALK = np.array(
    [
        "pain",
        "fever",
        "mild",
        "acute",
        "dose",
        "chest",
        "knee",
        "cough",
        "renal",
        "sleep",
        "night",
        "walk",
        "since",
        "again",
        "left",
        "right",
    ]
)


def doubles(n: int, told: Bits, rng: Rng) -> Columns:
    """The sign of one of 24 numbers in double precision, stored as bytes."""
    vectors = rng.standard_normal((n, 24))
    vectors[:, 7] = np.abs(vectors[:, 7]) * (2 * told - 1)
    return {"vector": [row.tobytes() for row in vectors]}


def photographs(n: int, told: Bits, rng: Rng) -> Columns:
    """PNG files in structs: a bright bar in the upper or the lower half, at any place there."""
    files = []
    for bit in told:
        image = rng.integers(0, 130, (SIDE, SIDE)).astype(np.uint8)
        top = int(rng.integers(0, SIDE // 2 - 2)) + (SIDE // 2) * int(bit)
        image[top : top + 2, 3:13] = 240
        file = io.BytesIO()
        Image.fromarray(image).save(file, "PNG")
        files.append({"bytes": file.getvalue(), "path": None})
    return {"photo": pa.array(files, pa.struct([("bytes", pa.binary()), ("path", pa.string())]))}


def events(n: int, told: Bits, rng: Rng) -> Columns:
    """Lists of structs: the value of the first event is positive or negative."""
    rows = []
    for bit in told:
        values = np.round(rng.normal(size=rng.integers(2, 6)), 2)
        values[0] = (abs(values[0]) + 0.01) * (2 * bit - 1)
        rows.append([{"day": int(day), "value": float(value)} for day, value in enumerate(values)])
    return {"events": rows}


def national_number(n: int, told: Bits, rng: Rng) -> Columns:
    """Twelve characters of which one is odd or even, and no two alike."""
    digits = rng.integers(0, 10, (n, 11))
    digits[:, 4] = 2 * rng.integers(0, 5, n) + told
    return {"number": ["P" + "".join(map(str, row)) for row in digits]}


def surnames(n: int, told: Bits, rng: Rng) -> Columns:
    """The ending of a double name of many."""
    ends = np.array(["ski", "ska"])[told]
    pairs = rng.choice(STEMS, (n, 3))
    return {"name": [f"{a} {b}-{c}{end}" for (a, b, c), end in zip(pairs, ends, strict=True)]}


def bursts(n: int, told: Bits, rng: Rng) -> Columns:
    """Series of several lengths with five high values: beside each other, or apart."""
    rows = []
    for bit in told:
        series = rng.normal(size=rng.integers(20, 40))
        places = rng.integers(0, len(series) - 5) + np.arange(5) if bit else np.arange(5) * (len(series) // 5)
        series[places] += 8
        rows.append(np.round(series, 2).tolist())
    return {"series": rows}


def diagnoses(n: int, told: Bits, rng: Rng) -> Columns:
    """Codes in one text, parted by semicolons, of which one comes from the chapter of S."""
    rows = []
    for bit in told:
        chapters, numbers = rng.choice(list("ABEIJ"), 5), rng.integers(0, 99, 5)
        codes = [f"{c}{k:02d}" for c, k in zip(chapters, numbers, strict=True)][: int(rng.integers(2, 6))]
        codes.insert(int(rng.integers(len(codes))), f"{'NO'[bit]}{int(rng.integers(60)):02d}")
        rows.append("; ".join(codes))
    return {"codes": rows}


def articles(n: int, told: Bits, rng: Rng) -> Columns:
    """Lists of product numbers, one of the eight of S in each among those of 500."""
    rows = []
    for bit in told:
        basket = (16 + rng.choice(500, rng.integers(4, 12), replace=False)).tolist()
        basket.insert(int(rng.integers(len(basket))), int(8 * bit + rng.integers(8)))
        rows.append([17 * product + 1_000 for product in basket])
    return {"articles": rows}


def weekends(n: int, told: Bits, rng: Rng) -> Columns:
    """Saturday or Sunday, or a working day."""
    day = 7 * rng.integers(2_600, 2_750, n) + np.where(told, rng.integers(2, 4, n), rng.choice([0, 1, 4, 5, 6], n))
    return {"seen": pd.Series(pd.to_datetime(day, unit="D") + pd.to_timedelta(rng.integers(0, 86_400, n), "s"))}


def paydays(n: int, told: Bits, rng: Rng) -> Columns:
    """Dates as text, in the first or the second half of a month."""
    month = rng.integers(0, 60, n)
    return {
        "paid": [
            f"{2015 + m // 12}-{m % 12 + 1:02d}-{d:02d}"
            for m, d in zip(month, rng.integers(1, 15, n) + 14 * told, strict=True)
        ]
    }


def clocks(n: int, told: Bits, rng: Rng) -> Columns:
    """Milliseconds since 1970 in the morning or after noon."""
    day = 18_000 + rng.integers(0, 1_000, n)
    return {"stamp": 86_400_000 * day + 43_200_000 * told + rng.integers(0, 43_200_000, n)}


def laps(n: int, told: Bits, rng: Rng) -> Columns:
    """The first or the second half of each of 250 turns."""
    return {"mileage": np.round(rng.integers(0, 250, n) + 0.5 * told + rng.uniform(0, 0.499, n), 3)}


def totals(n: int, told: Bits, rng: Rng) -> Columns:
    """The sum of four amounts, or one to three tenths beside it."""
    parts = np.round(rng.uniform(10, 90, (n, 4)), 1)
    off = np.where(told, rng.choice([-1, 1], n) * rng.integers(1, 4, n) / 10, 0.0)
    columns: Columns = {f"part{i}": column for i, column in enumerate(parts.T)}
    return {**columns, "total": np.round(parts.sum(axis=1) + off, 1)}


def taxes(n: int, told: Bits, rng: Rng) -> Columns:
    """Net and gross by one of two rates of tax."""
    net = np.round(rng.lognormal(5, 0.8, n), 2)
    return {"net": net, "gross": np.round(net * np.where(told, 1.19, 1.16), 2)}


def lengths(n: int, told: Bits, rng: Rng) -> Columns:
    """Vectors of length one, or a hundredth longer or shorter."""
    vectors = rng.standard_normal((n, 12))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors *= np.where(told, 1 + rng.choice([-0.01, 0.01], n), 1.0)[:, None]
    return {f"v{i}": column for i, column in enumerate(vectors.T)}


def parts_of_a_whole(n: int, told: Bits, rng: Rng) -> Columns:
    """Five shares that make up the whole, or one to three per cent less."""
    shares = rng.dirichlet([2] * 5, n) * (1 - np.where(told, rng.uniform(0.01, 0.03, n), 0.0))[:, None]
    return {f"share{i}": column for i, column in enumerate(np.round(shares, 4).T)}


def drugs(n: int, told: Bits, rng: Rng) -> Columns:
    """A drug of the diagnosis's own group, or of another."""
    drug = rng.integers(0, 60, n)
    group = np.where(told, (drug % 12 + rng.integers(1, 12, n)) % 12, drug % 12)
    return {"drug": [f"drug {d:02d}" for d in drug], "group": [f"group {g:02d}" for g in group]}


def postcodes(n: int, told: Bits, rng: Rng) -> Columns:
    """A postcode of 150 of the named state, or of another."""
    code = rng.integers(0, 150, n)
    state = np.where(told, (code % 9 + rng.integers(1, 9, n)) % 9, code % 9)
    return {"postcode": 10_000 + 37 * code, "state": np.array(list("abcdefghi"))[state]}


def dialects(n: int, told: Bits, rng: Rng) -> Columns:
    """A mother tongue usual in the country of birth, one of two, or any other."""
    country = rng.integers(0, 40, n)
    usual = (country * 7 + rng.integers(0, 2, n) * 3) % 20
    tongue = np.where(told, (country * 7 + rng.choice([1, 2, 4, 5, 8, 11, 13, 17], n)) % 20, usual)
    return {"country": [f"c{c:02d}" for c in country], "tongue": [f"t{t:02d}" for t in tongue]}


def stripes(n: int, told: Bits, rng: Rng) -> Columns:
    """Which of the stripes across two columns."""
    a, height = rng.uniform(0, 3, n), 2 * rng.integers(0, 5, n) + told + rng.uniform(0, 1, n)
    return {"a": a, "b": (height - 1.7 * a) % 10}


def rings(n: int, told: Bits, rng: Rng) -> Columns:
    """Rings around a point, each as full as it is wide."""
    turn, radius = rng.uniform(0, 2 * np.pi, n), np.sqrt(2 * rng.integers(0, 4, n) + told + rng.uniform(0, 1, n))
    return {"east": radius * np.cos(turn), "north": radius * np.sin(turn)}


def clubs(n: int, told: Bits, rng: Rng) -> Columns:
    """Two categories of eight levels, of like or of unlike parity."""
    one = rng.integers(0, 8, n)
    other = 2 * rng.integers(0, 4, n) + (one + told) % 2
    letters = np.array(list("abcdefgh"))
    return {"club": letters[rng.permutation(8)[one]], "team": letters[rng.permutation(8)[other]]}


def markers(n: int, told: Bits, rng: Rng) -> Columns:
    """Two of 1,200 markers are alike, or not."""
    found = rng.integers(0, 2, (n, 1_200)).astype(np.int8)
    found[:, 800] = found[:, 150] ^ told
    return {f"m{i}": column for i, column in enumerate(found.T)}


def _scenes(n: int, rng: Rng, side: int = 24) -> np.ndarray:
    grid = np.linspace(-1, 1, side)
    waves = np.sin(2 * grid[:, None] * rng.normal(size=(n, 1, 1)) + 2 * grid * rng.normal(size=(n, 1, 1)))
    return np.asarray(120 + 40 * waves)


def even_pixels(n: int, told: Bits, rng: Rng) -> Columns:
    """The last bits of a corner are all zero."""
    images = np.clip(_scenes(n, rng) + rng.normal(0, 12, (n, 24, 24)), 0, 255).astype(np.uint8)
    images[:, :12, :12] &= np.where(told, 254, 255).astype(np.uint8)[:, None, None]
    return {"image": image_column(images)}


def compressed(n: int, told: Bits, rng: Rng) -> Columns:
    """Compressed to JPEG once and unpacked, or never."""
    images = np.clip(_scenes(n, rng) + rng.normal(0, 12, (n, 24, 24)), 0, 255).astype(np.uint8)
    for row in np.flatnonzero(told):
        file = io.BytesIO()
        Image.fromarray(images[row]).save(file, "JPEG", quality=70)
        images[row] = np.asarray(Image.open(file))
    return {"image": image_column(images)}


def smoothed(n: int, told: Bits, rng: Rng) -> Columns:
    """Noise of the same size, alike in neighbouring pixels or not."""
    noise = rng.normal(0, 12, (n, 25, 24))
    alike = (noise[:, 1:] + 0.7 * noise[:, :-1]) / np.sqrt(1.49)
    images = _scenes(n, rng) + np.where(told[:, None, None], alike, noise[:, 1:])
    return {"image": image_column(np.clip(np.round(images), 0, 255).astype(np.uint8))}


def saturated(n: int, told: Bits, rng: Rng) -> Columns:
    """Bright spots at random places end at 235 or at 255."""
    images = _scenes(n, rng, 20) + rng.normal(0, 12, (n, 20, 20))
    for row, (top, left) in enumerate(rng.integers(0, 16, (n, 2))):
        images[row, top : top + 4, left : left + 4] += 120
    most = np.where(told, 235, 255)[:, None, None]
    return {"image": image_column(np.clip(np.round(images), 0, most).astype(np.uint8))}
