"""What is attacked beside the release: more is learned from more, nothing from a copy or from a scored record."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.design import Design
from withhold.audit.effort import find_effort
from withhold.audit.request import cap_rows
from withhold.audit.run import audit_release
from withhold.audit.view.auxiliary import Surface, read_surfaces, with_columns
from withhold.contracts.audit_record import AuditRecord, SensitiveResult
from withhold.contracts.errors import DataError

pytestmark = pytest.mark.usefixtures("without_outlook", "one_plant")
LIGHT = ("logistic", "boosting")


def noisy(n: int = 1500) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Return S, what is behind the release, and ten draws of noise as large as hides it."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 3))
    x[:, 0] += 1.2 * s
    return s, x, [x + 2.5 * rng.normal(size=x.shape) for _ in range(10)]


def audit(release: np.ndarray, s: object, **more: object) -> tuple[AuditRecord, SensitiveResult]:
    record = audit_release(release, sensitive_features=s, effort="quick", attackers=LIGHT, **more)  # type: ignore[arg-type]
    return record, record.sensitive["joint" if "joint" in record.sensitive else "sensitive_features"]


def test_ten_draws_give_away_what_one_hides() -> None:
    s, _, draws = noisy()
    record, result = audit(draws[0], s, also={f"draw {i}": one for i, one in enumerate(draws[1:])}, budget=0.08)
    mean = result.surfaces["also: mean of 10 versions"]
    assert mean.low is not None
    assert mean.low > result.leakage.value + 0.02
    assert result.leakage_total.value == pytest.approx(mean.value, abs=0.01)
    assert result.balanced_accuracy is not None
    assert result.balanced_accuracy > 0.62
    assert record.verdict != "pass"


def test_many_versions_are_averaged_in_what_they_share() -> None:
    rng = np.random.default_rng(0)
    release = pa.table({"a": rng.normal(size=50), "b": np.arange(50.0)})
    versions = {f"v{i}": pa.table({"a": rng.normal(size=50), "b": np.arange(50.0)}) for i in range(4)}
    versions["v0"] = versions["v0"].append_column("c", pa.array(rng.normal(size=50)))

    def made(names: list[str]) -> dict[str, list[str]]:
        found = read_surfaces(release, {name: versions[name] for name in names}, None, None, lambda table: table)
        return {one.name: one.table.column_names for one in found}

    assert made(["v0", "v1"]) == {
        "also: 2 other versions": ["a", "b", "v0: a", "v0: c", "v1: a"],
        "also: mean of 3 versions": ["mean of a", "b"],
    }
    assert made(["v0", "v1", "v2", "v3"]) == {
        "also: 4 other versions": ["mean of a", "b", "v0: c"],
        "also: mean of 5 versions": ["mean of a", "b"],
    }


def test_the_same_draw_ten_times_gives_nothing_more() -> None:
    s, _, draws = noisy(600)
    copies = {f"draw {i}": draws[0].copy() for i in range(9)}
    _, alone = audit(draws[0], s)
    _, result = audit(draws[0], s, also=copies)
    assert list(result.surfaces) == ["also: 9 other versions"]
    assert result.leakage_total == alone.leakage_total


def test_a_view_of_the_release_counts() -> None:
    s, x, draws = noisy(900)
    record, result = audit(draws[0], s, surfaces={"representation": x, "nothing": np.zeros((900, 1))}, budget=0.05)
    assert result.surfaces["representation"].value > result.leakage.value + 0.05
    assert result.surfaces["nothing"].value < 0.01
    assert record.verdict == "fail"
    assert "representation" in " ".join(record.threat_model)


def test_draws_to_learn_from_help_and_are_never_scored() -> None:
    rng = np.random.default_rng(1)
    s, _, draws = noisy(400)
    _, result = audit(draws[0], s, redrawn=draws[1:6])
    learned = result.surfaces["redrawn: 5 more draws to learn from"]
    assert learned.n == 400
    assert learned.value < 0.12  # what one draw of a record can tell at most, not what six can
    # A table of names: each record has its own value, in every draw; S can only be known by having seen the record.
    names = rng.permutation(400)[:, None].astype(float)
    _, result = audit(names, s, redrawn=[names] * 3)
    high = result.surfaces["redrawn: 3 more draws to learn from"].value
    assert high < 0.01


def test_a_draw_stands_in_the_fold_of_its_record() -> None:
    surface = Surface("drawn", pa.table({"a": np.arange(12)}), draws=2)
    fold = np.array([0, 1, 0, 1])
    every = np.ones(4, bool)
    design = surface.design(Design(fold, None, (0, 1), every, every, find_effort("quick"), 0))
    for number, train, test in design.folds(np.ones(12, bool)):
        assert set(test) == set(np.flatnonzero(fold == number))
        assert set(train % 4) == set(np.flatnonzero(fold != number))
        assert len(train) == 6
    assert design.groups is not None
    assert design.groups.tolist() == [0, 1, 2, 3] * 3
    assert surface.take(np.array([1, 3])).table.column("a").to_pylist() == [1, 3, 5, 7, 9, 11]
    wide = with_columns(surface, pa.table({"u": [5, 6, 7, 8]}))
    assert wide.table.column("u").to_pylist() == [5, 6, 7, 8] * 3


def test_several_attributes_without_a_joint_table_have_surfaces_too() -> None:
    rng = np.random.default_rng(0)
    s, x, draws = noisy(300)
    both = pa.table({"s": s, "t": rng.normal(size=300)})
    record = audit_release(
        draws[0], sensitive_features=both, effort="quick", attackers=["logistic"], surfaces={"behind": x},
        redrawn=draws[1:2],
    )  # fmt: skip
    joint = record.sensitive["joint"]
    assert set(joint.surfaces) == {"behind", "redrawn: 1 more draws to learn from"}
    assert joint.surfaces["behind"].kind == "estimate"
    assert joint.surfaces["behind"].value > joint.leakage.value


def test_rows_that_are_not_judged_are_left_out_of_every_table(monkeypatch: pytest.MonkeyPatch) -> None:
    s, x, draws = noisy(600)
    few = replace(find_effort("quick"), most_rows=300)
    monkeypatch.setattr("withhold.audit.run.cap_rows", lambda request, effort, seed: cap_rows(request, few, seed))
    seen = []
    record, result = audit(draws[0], s, surfaces={"behind": x}, redrawn=[draws[1]], exposure=seen.append)
    assert record.n == result.surfaces["behind"].n == 300
    rows = seen[0].column("row").to_numpy()
    assert len(set(rows)) == 300
    assert rows.max() > 300
    assert result.surfaces["behind"].value > 0.05  # still aligned


def test_a_version_that_holds_s_fails_by_name() -> None:
    s, _, draws = noisy(300)
    words = pa.array(np.where(s == 1, "east", "west"))
    earlier = pa.table({"ward": words, "x0": draws[1][:, 0]})
    record, _ = audit(draws[0], s, also={"may": earlier}, budget=0.3)
    assert record.verdict == "fail"
    assert "may: ward" in record.statement


def test_tables_of_other_records_are_refused() -> None:
    release = pa.table({"a": [1.0, 2.0]})
    with pytest.raises(DataError, match="may has 1 row, but the release has 2"):
        read_surfaces(release, {"may": pa.table({"a": [1.0]})}, None, None, lambda table: table)
    with pytest.raises(DataError, match="further draw"):
        read_surfaces(release, None, None, [pa.table({"b": [1.0, 2.0]})], lambda table: table)
