"""Variants of every kind of leak: three shapes of each, of other sizes, weaker by half, beside other columns."""

from dataclasses import replace

from known_worlds.variants import beside, columns, numbers, rows
from known_worlds.variants.variant import WEAK, Variant

WIDE, MIXED = "60 columns", "mixed types"


def _of(kind: str, *shapes, n: tuple[int, ...] = (1_200, 3_000, 2_000, 4_000), **about) -> list[Variant]:
    """One shape small, one beside noise, one weaker by half, one beside other types."""
    plain = [Variant(kind, shape, size, **about) for shape, size in zip(shapes, n, strict=False)]
    changes: tuple[dict, ...] = ({}, {"beside": WIDE}, {"wrong": WEAK}, {"beside": MIXED})
    return [replace(one, **change) for one, change in zip(plain, changes, strict=False)]


VARIANTS = [
    *_of(
        "parts",
        columns.doubles,
        columns.national_number,
        columns.events,
        columns.photographs,
        n=(1_200, 3_000, 2_000, 1_500),
    ),
    *_of("words", columns.surnames, columns.bursts, columns.diagnoses, columns.articles),
    *_of("copies", rows.tripled, rows.tripled, rows.retyped, rows.interpolated),
    *_of(
        "subjects",
        rows.climbing,
        rows.regular,
        rows.steady,
        rows.numbered,
        n=(4_800, 8_000, 8_000, 6_400),
        size=8,
        grouped=True,
    ),
    *_of("links", rows.paired, rows.chained, rows.supervised, rows.paired, size=2),
    *_of("households", rows.answers, rows.addresses, rows.answers, rows.spelled, size=4),
    *_of("calendar", columns.weekends, columns.laps, columns.clocks, columns.paydays),
    *_of("relations", columns.totals, columns.taxes, columns.lengths, columns.parts_of_a_whole),
    *_of(
        "categories", columns.drugs, columns.postcodes, columns.drugs, columns.dialects, n=(2_000, 4_000, 3_000, 4_000)
    ),
    *_of("cells", columns.stripes, columns.rings, columns.markers, columns.clubs, n=(2_000, 4_000, 2_500, 3_000)),
    *_of(
        "images",
        columns.even_pixels,
        columns.compressed,
        columns.smoothed,
        columns.saturated,
        n=(1_000, 1_500, 2_000, 1_500),
    ),
    *_of("numbers", numbers.odd_number, numbers.birth_month, numbers.cents, numbers.last_digit, numeric=True),
    *_of(
        "seeds", numbers.seeded_laplace, numbers.seeded_uniform, numbers.seeded_normal, numbers.row_digest, numeric=True
    ),
    *_of("waves", beside.tides, beside.seasons, beside.shifts, beside.swinging, n=(1_500, 4_000, 3_000, 4_000)),
    *_of(
        "neighbours",
        beside.streets,
        beside.daily_level,
        beside.streets,
        beside.daily_level,
        n=(1_500, 3_000, 3_000, 4_000),
    ),
    *_of("joined", beside.named_amount, beside.same_team, beside.named_amount, beside.same_team),
    *_of("before", beside.meters, beside.states, beside.meters, beside.states, n=(1_600, 3_200, 3_200, 4_000)),
    *_of("apart", beside.clocks_apart, beside.seats, beside.seats, beside.clocks_apart),
    Variant("cells", beside.triples, 3_000, beside=WIDE),
    Variant("seeds", numbers.short_digest, 1_000, numeric=True),
    Variant("seeds", numbers.checksum, 2_000, numeric=True, beside=MIXED),
]
# Chains of four and teams of six are longer than pairs; months and digits have more classes than two.
UNITS = {"supervised": 6, "chained": 4}
CLASSES = {"birth_month": 12, "last_digit": 10}
VARIANTS = [
    replace(
        one,
        size=UNITS.get(one.shape.__name__, one.size),
        classes=CLASSES.get(one.shape.__name__, one.classes),
    )
    for one in VARIANTS
]
BY_NAME = {one.name: one for one in VARIANTS}
