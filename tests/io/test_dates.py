"""Columns whose values all agree on a local form are dates; where no value decides between two forms, that is asked."""

from datetime import date, datetime

import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.contracts.wording import on_command_line
from withhold.io import csv_files
from withhold.io.reading import Reading


@pytest.fixture
def csv(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 256)

    def write(cells):
        path = tmp_path / "a.csv"
        path.write_text("n,day\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
        return path

    return write


FIRST, LAST = date(2024, 12, 31), date(2024, 2, 1)


@pytest.mark.parametrize(
    "cells",
    [
        ["31.12.2024", "01.02.2024"],
        ["31.12.2024", "1.2.2024"],
        ["12/31/2024", "02/01/2024"],
        ["31/12/2024", "01/02/2024"],
        ["31-12-2024", "1-2-2024"],
        ["12-31-2024", "2-1-2024"],
        ["2024/12/31", "2024/2/1"],
        ["2024.12.31", "2024.02.01"],
        ["2024-12-31", "2024-02-01"],
    ],
)
def test_forms(csv, read, cells):
    table = read(csv([cells[0]] * 60 + ["", cells[1]]))
    assert table.schema.field("day").type == pa.date32()
    assert table.column("day").to_pylist() == [FIRST] * 60 + [None, LAST]


def test_a_time_of_day_in_some_rows(csv, read):
    table = read(csv(["31.12.2024"] * 60 + ["1.2.2024 8:30", "01.02.2024 18:30:15"]))
    assert table.column("day").to_pylist()[59:] == [
        datetime(2024, 12, 31), datetime(2024, 2, 1, 8, 30), datetime(2024, 2, 1, 18, 30, 15),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "late", ["32.12.2024", "30.02.2024", "31.13.2024", "soon", "31.12.24", "2024-12-31", "1/2/2024"]
)
def test_one_other_value_leaves_text(csv, read, late):
    table = read(csv(["31.12.2024"] * 60 + [late]))
    assert table.column("day").to_pylist() == ["31.12.2024"] * 60 + [late]


@pytest.mark.parametrize("late", ["31.12.2024", "1.2.2024"])
def test_a_column_that_begins_with_text_or_nothing(csv, read, late):
    assert pa.types.is_string(read(csv(["soon"] * 60 + [late])).schema.field("day").type)
    assert pa.types.is_date(read(csv([""] * 60 + [late])).schema.field("day").type)


@pytest.mark.parametrize("mark", ["/", "-"])
def test_no_value_decides(csv, read, mark):
    path = csv([f"01{mark}02{mark}2024", f"03{mark}04{mark}2024"] * 20)
    words = r"may be day.month.year or month.day.year: no value decides."
    with on_command_line(), pytest.raises(DataError, match=words) as caught:
        read(path)
    for remedy in (f"--date day=%d{mark}%m{mark}%Y", f"--date day=%m{mark}%d{mark}%Y", "--text day"):
        assert remedy in str(caught.value)
    day_first = read(path, reading=Reading(dates=(("day", f"%d{mark}%m{mark}%Y"),)))
    assert day_first.column("day").to_pylist()[:2] == [date(2024, 2, 1), date(2024, 4, 3)]
    assert read(path, reading=Reading(text=("day",))).column("day").to_pylist()[0] == f"01{mark}02{mark}2024"
    same = read(csv([f"01{mark}01{mark}2024", f"04{mark}04{mark}2024"]))
    assert same.column("day").to_pylist() == [date(2024, 1, 1), date(2024, 4, 4)]


def test_a_form_that_is_said(csv, read):
    path = csv(["31-Dec-24", "1-Feb-70", ""])
    reading = Reading(dates=(("day", "%d-%b-%y"),))
    assert read(path, reading=reading).column("day").to_pylist() == [date(2024, 12, 31), date(1970, 2, 1), None]
    timed = Reading(dates=(("day", "%d.%m.%Y %H.%M"),))
    assert read(csv(["1.2.2024 8.30"]), reading=timed).column("day").to_pylist() == [datetime(2024, 2, 1, 8, 30)]
    with pytest.raises(DataError, match="holds '1-Feb-1970', which is no date of the form %d-%b-%y"):
        read(csv(["31-Dec-24", "1-Feb-1970"]), reading=reading)


def test_a_fitted_schema_holds(csv, read):
    path = csv(["31.12.2024", "1.2.2024"])
    assert pa.types.is_date(read(path, {"day": pa.date32()}).schema.field("day").type)
    assert pa.types.is_string(read(path, {"day": pa.string()}).schema.field("day").type)
