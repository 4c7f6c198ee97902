"""How far a release can stand for its original: known distances, and tables of every kind."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import ks_2samp, pearsonr
from scipy.stats.contingency import association

from withhold.audit.fidelity import fidelity
from withhold.audit.fidelity.fidelity import measure_fidelity
from withhold.audit.run import audit_release
from withhold.contracts.fidelity_record import FidelityResult

N = 2000


def people(seed: int = 0, n: int = N) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    job = np.where(age > 60, "retired", rng.choice(["clerk", "nurse", "cook"], n))
    pay = np.where(rng.random(n) < 0.6, 0, 40 * age + rng.normal(0, 300, n)).round(2)
    weight = np.where(rng.random(n) < 0.3, np.nan, 50 + age / 4 + rng.normal(size=n))
    day = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    return pd.DataFrame({"age": age, "job": job, "pay": pay, "weight": weight, "day": day})


def compare(before: pd.DataFrame, after: pd.DataFrame) -> FidelityResult:
    found = measure_fidelity(*(pa.Table.from_pandas(one, preserve_index=False) for one in (before, after)))
    assert found is not None
    assert FidelityResult.model_validate_json(found.model_dump_json()) == found
    return found


def test_a_copy_is_usable_whole():
    found = compare(people(), people())
    assert (found.usable, found.compared) == (5, 5)
    assert found.column_shapes == found.all_pair_trends == found.pair_trends == 1.0
    assert found.impossible_pairs in (0.0, None)
    assert not any(one.issues for one in found.columns.values())


def test_fresh_rows_of_the_same_people_are_usable():
    found = compare(people(0, 20_000), people(1, 20_000))
    assert found.usable == found.compared
    assert found.broken_pairs == 0


def test_distances_are_those_of_scipy():
    before, after = people(0), people(1)
    after["age"] = np.minimum(after["age"], 60)
    found = compare(before, after).columns
    assert found["age"].distance == pytest.approx(ks_2samp(before["age"], after["age"]).statistic, abs=1e-4)
    assert found["weight"].distance == pytest.approx(
        ks_2samp(before["weight"].dropna(), after["weight"].dropna()).statistic, abs=1e-4
    )
    shares = [one["job"].value_counts(normalize=True) for one in (before, after)]
    assert found["job"].distance == pytest.approx(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2, abs=1e-4)
    assert (found["day"].kind, found["job"].kind, found["age"].kind) == ("date", "category", "number")


def test_few_whole_numbers_are_categories():
    """As a code or a count, each value counts: a distance between ranks would hide that two were exchanged."""
    before = pd.DataFrame({"ward": np.arange(N) % 20, "bed": np.arange(N) % 21, "with_gaps": [1.0, None] * (N // 2)})
    found = compare(before, before.assign(ward=(before["ward"] // 2 * 2)))
    assert [found.columns[name].kind for name in before] == ["category", "number", "category"]
    assert found.columns["ward"].distance == 0.5


def test_pairs_are_those_of_scipy():
    before, after = people(0), people(1)
    after["weight"] = np.random.default_rng(0).permutation(after["weight"].to_numpy())
    pairs = {tuple(pair.columns): pair for pair in compare(before, after).pairs}
    both = [one[["age", "weight"]].dropna() for one in (before, after)]
    r = [pearsonr(one["age"], one["weight"])[0] for one in both]
    assert pairs["age", "weight"].before == pytest.approx(r[0], abs=1e-4)
    assert pairs["age", "weight"].score == pytest.approx(1 - abs(r[0] - r[1]) / 2, abs=1e-4)
    assert pairs["age", "weight"].broken
    assert not pairs["age", "job"].broken


def test_the_strength_of_two_categories_has_no_bias():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, 500), rng.integers(0, 6, 500)
    table = pd.DataFrame({"a": a.astype(str), "b": b.astype(str)})
    pair = compare(table, table).pairs[0]
    assert association(pd.crosstab(a, b).to_numpy(), method="cramer") > 0.06  # by chance alone
    assert pair.before < 0.06


def test_a_heap_that_grows_is_a_level():
    before = people()
    after = before.assign(pay=np.where(np.arange(N) < 1400, 0, before["pay"]))
    column = compare(before, after).columns["pay"]
    assert column.levels[0].level == "0"
    assert column.levels[0].before == pytest.approx((before["pay"] == 0).mean(), abs=1e-4)
    assert column.levels[0].after == pytest.approx((after["pay"] == 0).mean(), abs=1e-4)
    assert column.moved == pytest.approx(column.levels[0].after - column.levels[0].before, abs=1e-3)


def test_a_number_cut_to_few_values_moves_though_its_range_does_not():
    """Positive control of cells: between the quantiles, not only at the ends."""
    before = people()[["pay"]].assign(pay=np.random.default_rng(0).normal(size=N))
    after = before.round(0)
    column = compare(before, after).columns["pay"]
    assert column.moved > 0.3
    assert not column.usable


def test_values_beyond_the_original_count_as_moved():
    before = pd.DataFrame({"x": np.linspace(0, 1, N)})
    after = before.assign(x=np.where(np.arange(N) >= 1800, 5.0, before["x"]))
    assert compare(before, after).columns["x"].moved == pytest.approx(0.1, abs=0.002)


def test_missing_values_that_moved():
    before = people()
    after = before.assign(weight=np.where(np.arange(N) % 5 == 0, before["weight"], np.nan))
    column = compare(before, after).columns["weight"]
    assert column.missing_before == pytest.approx(before["weight"].isna().mean(), abs=1e-4)
    assert column.missing_after == pytest.approx(after["weight"].isna().mean(), abs=1e-4)
    assert "missing_moved" in column.issues


def test_who_is_at_fault_for_a_broken_pair():
    """One column drawn anew breaks every pair; the others are usable together."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=N)
    before = pd.DataFrame({name: base + rng.normal(size=N) for name in "abcd"})
    found = compare(before, before.assign(c=rng.permutation(before["c"].to_numpy())))
    assert found.broken_pairs == 3
    assert [name for name, one in found.columns.items() if not one.usable] == ["c"]
    assert next(iter(found.columns)) == "c"
    assert found.usable == 3


def test_a_relation_turned_around_is_broken_though_as_strong():
    a = np.arange(N) % 2
    before = pd.DataFrame({"a": a.astype(str), "b": a.astype(str)})
    pair = compare(before, before.assign(b=(1 - a).astype(str))).pairs[0]
    assert pair.before == pair.after
    assert pair.broken
    assert pair.impossible == 1.0


def test_impossible_pairs_beside_chance():
    before = people()[["job"]].assign(town=lambda t: t["job"].str[0])
    after = before.assign(town=np.random.default_rng(0).permutation(before["town"].to_numpy()))
    found = compare(before, after)
    assert found.impossible_pairs > 0.5
    assert found.impossible_rows == found.impossible_pairs
    assert found.impossible_pairs_by_chance == 0.0


def test_shares_of_fewer_than_ten_rows_are_hidden():
    before = pd.DataFrame({"x": [None] * 4 + ["a"] * 96, "y": ["rare"] * 3 + ["b"] * 97})
    after = pd.DataFrame({"x": ["a"] * 100, "y": ["rare"] * 30 + ["b"] * 70})
    found = compare(before, after).columns
    assert found["x"].missing_before is None
    assert {one.level: one.before for one in found["y"].levels} == {"rare": None, "b": None}


ODD = {
    "one constant column": ({"a": [1] * 50}, {"a": [1] * 50}),
    "a constant that varies now": ({"a": [1] * 50, "b": list(range(50))}, {"a": list(range(50)), "b": [1] * 50}),
    "nothing known": ({"a": [None] * 50, "b": ["x"] * 50}, {"a": [None] * 50, "b": [None] * 50}),
    "emptied": ({"a": list(range(50)), "b": ["x", "y"] * 25}, {"a": [None] * 50, "b": [None] * 50}),
    "filled": ({"a": [None] * 50}, {"a": list(range(50))}),
    "numbers as text": ({"a": list(range(50))}, {"a": [str(k) for k in range(50)]}),
    "numbers as ranges": ({"a": list(range(50)), "b": [0.5] * 50}, {"a": ["0-49"] * 50, "b": ["low"] * 50}),
    "text as numbers": ({"a": ["x", "7"] * 25}, {"a": [7, 8] * 25}),
    "dates as text": ({"a": [dt.date(2020, 1, 1 + k % 28) for k in range(50)]}, {"a": ["2020-01-01"] * 50}),
    "dates as numbers": ({"a": [dt.date(2020, 1, 1 + k % 28) for k in range(50)]}, {"a": list(range(50))}),
    "dates as times": ({"a": [dt.date(2020, 1, 1)] * 50}, {"a": [dt.datetime(2020, 1, 1)] * 50}),
    "infinite": ({"a": [np.inf, -np.inf, 0.0, 1.0, np.nan] * 10}, {"a": [1.0, np.inf, -np.inf, 2.0, 0.0] * 10}),
    "as far as floats reach": ({"a": [1e308, -1e308] * 25, "b": ["x", "y"] * 25},) * 2,
    "long identifiers": ({"a": [2**62 + k for k in range(50)], "b": [f"id{k}" for k in range(50)]},) * 2,
    "lists and structs": ({"a": [[1, 2]] * 50, "b": [{"x": k, "y": "z"} for k in range(50)]},) * 2,
    "of several types": ({"a": [True, False] * 25}, {"a": ["yes", "no"] * 25}),
    "bytes": ({"a": [b"x", b"y"] * 25},) * 2,
    "durations": ({"a": [dt.timedelta(days=k) for k in range(50)]},) * 2,
    "times": ({"a": [dt.time(k % 24) for k in range(50)], "b": ["x", "y"] * 25},) * 2,
    "no rows": ({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())},) * 2,
}


@pytest.mark.parametrize("name", ODD)
def test_any_table_has_an_answer(name: str):
    before, after = (pa.table(columns) for columns in ODD[name])
    found = measure_fidelity(before, after, trained_rows=100)
    assert found is not None
    FidelityResult.model_validate_json(found.model_dump_json())
    for column in found.columns.values():
        assert column.distance is None or 0 <= column.distance <= 1
        assert column.moved is None or column.distance <= column.moved <= 1
    if before.equals(after):
        assert found.usable == found.compared


def test_what_lost_every_value_or_its_type_is_not_usable():
    for name in ("emptied", "numbers as ranges", "dates as text", "a constant that varies now"):
        found = measure_fidelity(*(pa.table(columns) for columns in ODD[name]))
        assert found.usable == 0, name
    assert measure_fidelity(*(pa.table(columns) for columns in ODD["numbers as text"])).usable == 1
    assert measure_fidelity(*(pa.table(columns) for columns in ODD["dates as times"])).usable == 1


def test_nothing_shared_and_what_is_absent():
    assert measure_fidelity(pa.table({"a": [1]}), pa.table({"z0": [1]})) is None
    found = measure_fidelity(pa.table({"a": [1, 2], "b": [1, 2]}), pa.table({"a": [1, 2]}))
    assert found.absent == ["b"]


def test_long_and_wide_tables_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fidelity, "MOST_ROWS", 300)
    monkeypatch.setattr(fidelity, "MOST_COLUMNS", 3)
    before = people().assign(name=[f"n{k}" for k in range(N)])
    found = compare(before, before)
    assert found.pairs_compared == 3
    assert (found.rows, found.pair_rows) == (N, 300)
    assert len(found.notes) == 3
    assert compare(before, before) == found
    assert found.usable == found.compared == 6


@pytest.mark.usefixtures("brief_audit")
def test_the_record_holds_the_utility_attribute_too():
    table = people().drop(columns=["day"]).assign(sick=np.arange(N) % 3 == 0)
    release = table.assign(sick=np.arange(N) % 20 == 0, job="cook")
    s = np.random.default_rng(0).integers(0, 2, N)
    options = {"effort": "quick", "attackers": ["logistic"]}
    record = audit_release(release, sensitive_features=s, utility="sick", original=table, **options)
    assert set(record.fidelity.columns) == {"age", "job", "pay", "weight", "sick"}
    assert not record.fidelity.columns["sick"].usable
    assert record.fidelity.columns["sick"].prediction is not None
    assert record.fidelity.prediction_loss is not None
    assert {"marginal_moved", "levels_lost"} <= {one.code for one in record.findings}
    without = audit_release(
        release, sensitive_features=s, utility="sick", original=table, utility_in_release=False, **options
    )
    assert "sick" not in without.fidelity.columns


@pytest.mark.usefixtures("brief_audit")
def test_no_fidelity_without_names():
    z = np.random.default_rng(0).normal(size=(200, 3))
    s = np.arange(200) % 2
    options = {"effort": "quick", "attackers": ["logistic"]}
    assert audit_release(z, sensitive_features=s, original=z, **options).fidelity is None
    assert audit_release(pd.DataFrame({"z": z[:, 0]}), sensitive_features=s, **options).fidelity is None


@pytest.mark.usefixtures("brief_audit")
def test_no_fidelity_of_a_representation_beside_its_utility_attribute():
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"age": rng.normal(size=200), "sick": np.arange(200) % 2})
    release = pd.DataFrame({"z0": rng.normal(size=200), "sick": np.arange(200) % 2})
    options = {"utility": "sick", "original": original, "effort": "quick", "attackers": ["logistic"]}
    assert audit_release(release, sensitive_features=rng.integers(0, 2, 200), **options).fidelity is None


def test_what_analyses_lose_bars_no_pass():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=1500), "y": rng.choice(["a", "b"], 1500)})
    release = table.assign(x=table["x"] + 2, y="a")
    options = {"effort": "quick", "budget": 0.1, "attackers": ["logistic", "pairs"]}
    record = audit_release(release, original=table, sensitive_features=rng.integers(0, 2, 1500), **options)
    assert record.verdict == "pass"
    assert record.fidelity.usable == 0
    assert {"marginal_moved", "levels_lost"} <= {one.code for one in record.findings}
