"""Numbers that come back are read digit by digit, and their records are linked in time."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.reading import read_column
from withhold.audit.view.units import named_subjects, names_units, unit_columns, unit_links

UNITS, RECORDS = 150, 8
OF = np.repeat(np.arange(UNITS), RECORDS)
NUMBERS = 50_000 + np.random.default_rng(0).permutation(40_000)[:UNITS]


def column(values):
    return read_column(pa.table({"c": values}), "c")


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (NUMBERS[OF], True),
        (NUMBERS[OF] / 2 + 0.25, False),
        ([f"H-{k:04d}" for k in OF], True),
        ([f"{chr(97 + k % 26)}{chr(97 + k // 26)}town" for k in OF], False),
        (np.arange(UNITS * RECORDS), False),
        (OF % 60, False),
        (np.where(np.arange(len(OF)) % 2, NUMBERS[OF], 0), False),
        (NUMBERS[OF].astype("datetime64[D]"), False),
    ],
    ids=["number", "halves", "code", "towns", "one each", "few", "half of them one value", "days"],
)
def test_units_have_several_records_each(values, named):
    assert names_units(column(values)) is named


def test_the_last_digit_is_given():
    found = dict(unit_columns([column(NUMBERS[OF])]))
    assert (found["c digit from the right 1"] == NUMBERS[OF] % 10).all()
    assert (found["c bit 0"] == NUMBERS[OF] % 2).all()


def test_records_of_a_unit_are_linked_in_the_order_of_time():
    rng = np.random.default_rng(1)
    shuffled = rng.permutation(len(OF))
    of, time = OF[shuffled], np.tile(np.arange(RECORDS), UNITS)[shuffled].astype(float)
    before, after = unit_links([column(NUMBERS[of])], time).T
    assert ((before < 0) == (time == 0)).all()
    assert ((after < 0) == (time == RECORDS - 1)).all()
    linked = before >= 0
    assert (of[before[linked]] == of[linked]).all()
    assert (time[before[linked]] == time[linked] - 1).all()
    assert (before[after[after >= 0]] == np.flatnonzero(after >= 0)).all()


def test_records_without_a_unit_are_not_linked():
    code = column([None, None, "d1", "d1"])
    assert unit_links([code], np.arange(4.0)).tolist() == [[-1, -1], [-1, -1], [-1, 3], [2, -1]]


def test_without_times_or_units_nothing_is_linked():
    assert unit_links([column(NUMBERS[OF])], None) is None
    assert unit_links([], np.arange(3.0)) is None


def test_a_column_of_the_release_names_subjects_where_it_is_the_same_in_all_records_of_one():
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "patient": NUMBERS[OF],
            "code": [f"P{k:04d}" for k in OF],
            "visit": np.arange(len(OF)),
            "home": OF // 3,
            "mean": rng.normal(size=UNITS)[OF],
            "dose": rng.normal(size=len(OF)),
        }
    )
    assert named_subjects(table, OF) == ["patient", "code"]
    assert named_subjects(table, np.arange(len(OF))) == []
    assert named_subjects(pa.table({"a": NUMBERS[OF], "b": OF % 2}), OF) == ["a"]
