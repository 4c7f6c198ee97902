"""What is possible with a table: finite X exactly, other X by a model, missing values and numbers handled and said."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.data.attributes import read_attributes
from withhold.information.bounds.certificate import Certificate, check_certificate
from withhold.workflow.bounds import bounds_file, bounds_of
from withhold.workflow.request import BoundsRequest


def people(n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, n)
    return s, np.where(rng.random(n) < 0.85, s, 1 - s)


def test_finite_x_is_exact() -> None:
    s, u = people()
    record = bounds_of(pa.table({"x": u + 2 * s}), read_attributes(s), read_attributes(u), [0.0, 0.05, 0.2])
    assert record.mutual_information["u_x"] == pytest.approx(record.entropy["u"])
    assert record.lower_bound[0] == pytest.approx((1 - 2 * 0.15) * np.log(2), abs=0.03)
    for low, bound, reached in zip(
        record.lower_bound_interval, record.lower_bound, record.achievable_bound, strict=True
    ):
        assert low[0] <= bound <= reached + 1e-9
        assert low[0] <= low[1]
    assert any("finite table" in note for note in record.notes)
    joint = np.zeros((2, 2))
    np.add.at(joint, (u, s), 1 / len(u))
    proof = Certificate(record.certificates[1]["slope"], np.array(record.certificates[1]["prices"]), np.arange(2))
    assert check_certificate(proof, joint, 0.05) == pytest.approx(record.lower_bound[1], abs=1e-9)


def test_other_x_is_estimated_and_said() -> None:
    s, u = people()
    x = u + 0.1 * np.random.default_rng(1).standard_normal(len(u))
    record = bounds_of(pa.table({"x": x}), read_attributes(s), read_attributes(u), [0.0])
    assert 0.6 < record.mutual_information["u_x"] < record.entropy["u"]
    assert record.lower_bound[0] > 0.3
    assert any("boosted trees" in note for note in record.notes)


@pytest.mark.parametrize("known", [0, 1, 5])
def test_a_column_that_hardly_anybody_has_is_borne(known: int) -> None:
    s, u = people(1200)
    gaps = [1.5 * i for i in range(known)] + [None] * (1200 - known)
    x = u + 0.1 * np.random.default_rng(1).standard_normal(1200)
    table = pa.table({"x": x, "fax": pa.array(gaps, pa.float64()), "note": pa.nulls(1200)})
    record = bounds_of(table, read_attributes(s), read_attributes(u), [0.0])
    assert record.mutual_information["u_x"] > 0.5


def test_says_when_x_tells_too_little() -> None:
    s, u = people()
    noise = np.random.default_rng(2).standard_normal(len(u))
    record = bounds_of(pa.table({"x": noise}), read_attributes(s), read_attributes(u), [0.0])
    assert record.vacuous
    assert record.lower_bound == [0.0]
    assert any("says nothing" in note for note in record.notes)


def test_numbers_are_binned_and_missing_rows_left_out() -> None:
    s, u = people(1000)
    wage = u + np.random.default_rng(3).standard_normal(1000)
    wage[:10] = np.nan
    record = bounds_of(pa.table({"x": u}), read_attributes(s), read_attributes(wage), [0.0])
    assert record.n == 990
    assert any("bins" in note for note in record.notes)


def test_a_file_needs_a_utility(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,s\n1,0\n2,1\n")
    with pytest.raises(InvalidParameterError, match="utility"):
        bounds_file(BoundsRequest(path, ("s",), ()))


def test_identifiers_are_refused_and_few_rows_pointed_out() -> None:
    s, u = people(1000)
    names = np.array([f"person {i}" for i in range(1000)])
    with pytest.raises(DataError, match="identifier"):
        bounds_of(pa.table({"x": u}), read_attributes(s), read_attributes(names))
    few = bounds_of(pa.table({"x": u[:50]}), read_attributes(s[:50]), read_attributes(u[:50]))
    assert any("build nothing" in note for note in few.notes)


def test_few_different_numbers_are_classes() -> None:
    """Yes and no with gaps come as floats from pandas: nine tenths zeros are no bin of equal mass."""
    rng = np.random.default_rng(0)
    s = np.where(rng.random(2000) < 0.1, 1.0, 0.0)
    s[::50] = np.nan
    table = pa.table({"s": pa.array(s, from_pandas=True), "u": pa.array(s, from_pandas=True)})
    attributes = [read_attributes(table.select([name])) for name in "su"]
    found = bounds_of(pa.table({"x": rng.normal(size=2000)}), *attributes, [0.0])
    share = np.nanmean(s)
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert found.entropy["s"] == pytest.approx(entropy, abs=0.01)
    assert any("2 different values" in note for note in found.notes)


def test_a_common_value_does_not_swallow_the_others() -> None:
    rng = np.random.default_rng(0)
    hours = np.where(rng.random(2000) < 0.9, 0.0, rng.random(2000))
    attribute = read_attributes(pa.table({"u": hours}))
    other = read_attributes(pa.table({"s": np.where(hours > 0, "a", "b")}))
    found = bounds_of(pa.table({"x": rng.normal(size=2000)}), other, attribute, [0.0])
    assert found.entropy["u"] > 0.3
