"""Identifiers that repeat are told from code lists, counts and identifiers of single rows."""

import numpy as np
import pyarrow as pa
import pytest

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
