import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.data.columns.fitting import FitOptions, fit_column


def fit(array, name="x", **options):
    column = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([pa.array(array)])
    options = {key: frozenset(value) if isinstance(value, set) else value for key, value in options.items()}
    return fit_column(pa.field(name, column.type), column, FitOptions(**options))


@pytest.mark.parametrize(
    ("name", "values", "dropped"),
    [
        ("x", list(range(100)), True),  # a row number or key
        ("x", list(range(49)), False),  # too few rows to tell
        ("x", [i // 2 for i in range(100)], False),
        ("customer_id", [i // 2 for i in range(101)], True),
        ("customerId", [i // 2 for i in range(101)], True),
        ("paid", [i // 2 for i in range(101)], False),  # ends in "id" but is a word of its own
        ("order_no", [float(i) for i in range(100)], True),  # a key with missing values is read as floats
        ("x", [float(i) for i in range(100)], False),
        ("customer_id", [i + 0.5 for i in range(100)], False),
        ("x", [f"n{i}" for i in range(100)], True),
        ("x", [f"n{i // 3}" for i in range(100)], False),
        ("x", [dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(100)], False),
    ],
)
def test_what_is_dropped_as_an_identifier(name, values, dropped):
    fitted, findings = fit(values, name)
    assert (getattr(fitted, "reason", None) == "identifier") == dropped
    assert ("identifier_dropped" in [finding.code for finding in findings]) == dropped
    kept, _ = fit(values, name, keep={name})
    assert not hasattr(kept, "reason")


def _twice(values):
    return np.r_[values, RNG.choice(values, len(values) // 30)]


RNG = np.random.default_rng(0)
AMOUNTS = np.exp(RNG.normal(8.5, 1, 900)).astype(int)
NUMBERS = {
    "one after the other": np.arange(900),
    "some of them": np.sort(RNG.choice(18_000, 900, replace=False)),
    "visits of some of them": _twice(RNG.choice(18_000, 900, replace=False)),
    "of a growing stock": _twice(np.unique((np.sqrt(RNG.random(900)) * 18_000).astype(int))),
    "telephones of a town": _twice(6_125_550_000 + RNG.integers(0, 10**6, 900) - 10**9 * (RNG.random(900) < 0.1)),
    "dense and thin blocks": _twice(
        np.r_[RNG.choice(3_000, 450, replace=False), 10**6 + RNG.choice(30_000, 450, replace=False)]
    ),
    "two blocks": _twice(np.r_[RNG.choice(10_000, 450, replace=False), 10**6 + RNG.choice(10_000, 450, replace=False)]),
}


@pytest.mark.parametrize("name", ["x", "amount"])
def test_an_amount_is_no_identifier_although_nearly_all_are_different(name):
    assert len(np.unique(AMOUNTS)) > 0.95 * len(AMOUNTS)
    assert fit(AMOUNTS, name)[0].kind == "numeric"
    assert fit(AMOUNTS, f"{name}_no")[0].reason == "identifier"


@pytest.mark.parametrize("values", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_records_are_identifiers_however_they_are_given(values):
    assert fit(values)[0].reason == "identifier"


def test_amounts_of_credit_are_released(data_dir):
    amounts = pq.read_table(data_dir / "german_credit.parquet").column("credit_amount")
    assert fit(amounts.take(pa.array(RNG.permutation(1_000)[:700])))[0].kind == "numeric"


def test_declared_continuous_is_never_an_identifier():
    assert fit(list(range(100)), continuous={"x"})[0].kind == "numeric"


def test_dates_are_relative_to_the_reference_date():
    days = [dt.date(2021, 3, 1) + dt.timedelta(i % 30) for i in range(300)]
    given, _ = fit(days, reference_date=dt.date(2021, 3, 1))
    own, _ = fit(days)
    assert given.origin == (dt.date(2021, 3, 1) - dt.date(1970, 1, 1)).days
    assert given.range == (0.0, 29.0)
    assert own.origin == (dt.date(2021, 1, 1) - dt.date(1970, 1, 1)).days
    stamps = pa.chunked_array([pa.array(days).cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))])
    fitted, _ = fit(stamps, reference_date=dt.date(2021, 3, 1))
    assert fitted.grid.step == 86_400_000_000
    assert fitted.range == (0.0, 29.0 * 86_400_000_000)


def test_the_grid_is_natural():
    assert fit([0.25, 0.5, 1.75] * 10)[0].grid.decimals == 2
    assert fit([1.0, 5.0, None] * 10)[0].grid.decimals == 0
    assert fit(np.random.default_rng(0).random(50))[0].grid.decimals is None
    assert fit(np.array([0.1, 0.7] * 20, dtype="float32"))[0].grid.decimals == 1
    assert fit([7, 14, 21] * 20)[0].grid.step == 1
    assert fit([dt.time(1, 30), dt.time(2)] * 20)[0].grid.step == 60_000_000  # half hours are no natural unit
    assert fit([dt.timedelta(seconds=1), dt.timedelta(seconds=3)] * 20)[0].grid.step == 1_000_000


def test_levels_keep_the_order_of_their_type():
    ordered = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2] * 20), pa.array(["lo", "mid", "hi"]), ordered=True)
    fitted, _ = fit(pa.chunked_array([ordered]))
    assert fitted.levels == ["lo", "mid", "hi"]
    assert fit(["lo", "mid", "hi"] * 20)[0].levels == ["hi", "lo", "mid"]


def test_the_pool_is_missing_or_a_level_of_its_own_never_one_of_the_others():
    text = ["a"] * 50 + ["b"] * 9 + ["c"] * 2
    plain, findings = fit(text)
    declared, _ = fit(pa.chunked_array([pa.array(text).dictionary_encode()]))
    assert plain.stand_in == declared.stand_in == "other"
    assert (
        "2 levels of column 'x' with fewer than 10 rows each (11 rows, 18.0 %) come out as 'other'" in findings[0].text
    )
    capped, _ = fit([f"l{i:03d}" for i in range(300) for _ in range(20 if i < 256 else 12)])
    assert capped.stand_in == "other"
    assert fit([*text, *["other"] * 20])[0].stand_in == "other 2"
    ordered = pa.array(text).dictionary_encode().cast(pa.dictionary(pa.int32(), pa.string(), ordered=True))
    for values, where in (
        ([*text, None], "a"),
        ([True] * 3 + [False] * 50, False),
        (pa.chunked_array([ordered]), "a"),
    ):
        column, findings = fit(values)
        assert column.stand_in is None
        assert column.nullable
        assert "out missing" in findings[0].text
        assert column.from_cells(np.arange(column.cell_count), None).null_count == 1 + (column.missing != "never")
        assert column.from_cells(np.zeros(1, int), None).to_pylist() == [where]


def test_nothing_frequent_becomes_constant():
    fitted, findings = fit([f"l{i // 8}" for i in range(40)])
    assert (fitted.kind, findings[-1].code) == ("constant", "constant_column")
    few, findings = fit([0] * 1000 + [5] * 4)
    assert (few.kind, few.value, findings[0].code) == ("constant", 0, "constant_column")


def test_a_type_without_numbers_is_not_continuous():
    for values in (["1", "2"] * 20, pa.chunked_array([pa.array([1, 2] * 20).dictionary_encode()])):
        with pytest.raises(InvalidParameterError, match="'x' is declared continuous but"):
            fit(values, continuous={"x"})
