"""What analyses of a release would get wrong is named, the worst first, and nothing else is."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.fidelity.fidelity import measure_fidelity
from withhold.audit.findings.fidelity import fidelity_findings

N = 1000


def original() -> pa.Table:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, N)
    return pa.table(
        {
            "age": age,
            "older": np.where(age > 50, "yes", "no"),
            "site": rng.choice(["a", "b", "c"], N),
            "dose": rng.normal(size=N),
        }
    )


def changed(**columns: object) -> pa.Table:
    table = original()
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    return table


def found(release: pa.Table) -> dict[str, object]:
    return {one.code: one for one in fidelity_findings(measure_fidelity(original(), release))}


def test_an_unchanged_table_has_no_finding():
    assert found(original()) == {}


def test_the_worst_column_stands_first():
    dose = np.where(np.arange(N) < 300, 9.0, original()["dose"].to_numpy())
    one = found(changed(dose=dose, site=["a"] * N))
    assert one["marginal_moved"].text.index("'site'") < one["marginal_moved"].text.index("'dose'")
    assert one["marginal_moved"].severity == "warning"
    assert "'a' in 'site' from" in one["levels_lost"].text
    assert "to none" in one["levels_lost"].text


def test_a_small_move_is_information():
    site = original()["site"].to_pylist()
    moved = ["a" if value != "a" and k < 200 else value for k, value in enumerate(site)]
    one = found(changed(site=moved))
    assert (one["marginal_moved"].severity, one["marginal_moved"].column) == ("info", "site")


def test_missing_values_that_appear():
    dose = [None if k % 2 else value for k, value in enumerate(original()["dose"].to_pylist())]
    one = found(changed(dose=dose))
    assert one["missing_moved"].text == "The share of missing values changed: in 'dose' from none to 50 % of rows."
    assert "marginal_moved" not in one


def test_a_broken_relation_is_named_with_its_strength():
    shuffled = np.random.default_rng(1).permutation(original()["older"].to_pylist())
    one = found(changed(older=shuffled))
    assert set(one) == {"pairs_broken"}
    assert "1 of 6 pairs of columns is related" in one["pairs_broken"].text
    assert "'age' and 'older' (Cramer's V 0.9" in one["pairs_broken"].text


def test_many_columns_are_counted_after_the_worst():
    raw = pa.table({f"c{k}": np.arange(N) % 2 for k in range(6)})
    released = pa.table({f"c{k}": np.where(np.arange(N) < 300 + 50 * k, 1, np.arange(N) % 2) for k in range(6)})
    texts = {one.code: one.text for one in fidelity_findings(measure_fidelity(raw, released))}
    assert texts["marginal_moved"].endswith("and 3 more columns.")
    assert texts["marginal_moved"].index("'c5'") < texts["marginal_moved"].index("'c4'")


def examples():
    before = original()
    after = changed(
        site=["a"] * N,
        dose=[None if k % 2 else value for k, value in enumerate(before["dose"].to_pylist())],
        older=np.random.default_rng(1).permutation(before["older"].to_pylist()),
    )
    codes = ["marginal_moved", "missing_moved", "levels_lost", "pairs_broken"]
    return dict.fromkeys(codes, scene(after, original=before))
