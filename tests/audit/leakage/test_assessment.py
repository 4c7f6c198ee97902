import numpy as np
import pandas as pd
import pytest

from withhold.audit.leakage.efforts import NAME
from withhold.audit.run import audit_release

pytestmark = pytest.mark.usefixtures("without_outlook", "one_plant")


def audit(z, s, **options):
    return audit_release(z, sensitive_features=s, effort="quick", attackers=["logistic", "boosting"], **options)


def test_controls_know_their_answers():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 1500)
    u = np.where(rng.random(1500) < 0.2, 1 - s, s)
    original = np.column_stack([s + 0.3 * rng.normal(size=1500), u + 0.3 * rng.normal(size=1500)])
    record = audit(rng.normal(size=(1500, 2)), s, utility=u, original=original)
    controls = record.sensitive["sensitive_features"].controls
    assert controls["raw"].leakage.low > 0.3
    assert controls["raw"].balanced_accuracy > 0.9
    assert controls["shuffled"].leakage.value < 0.01
    assert controls["utility_only"].leakage.value == pytest.approx(0.193, abs=0.04)
    assert controls["utility_prediction"].leakage.value == pytest.approx(
        controls["utility_only"].leakage.value, abs=0.06
    )


def test_total_is_never_below_its_parts():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 900)
    z, u = s + rng.normal(size=900), np.where(rng.random(900) < 0.3, 1 - s, s)
    result = audit(z[:, None], s, utility=u).sensitive["sensitive_features"]
    assert result.leakage_total.low >= result.controls["utility_only"].leakage.low - 0.01
    assert result.leakage_total.value > result.leakage.value
    assert "logistic (utility only)" in result.attackers


def test_attributes_without_a_joint_table_go_by_the_chain_rule():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 1200), rng.normal(size=1200)
    z = np.column_stack([a + 0.5 * rng.normal(size=1200), b + rng.normal(size=1200)])
    both = pd.DataFrame({"a": a.astype(str), "b": b})
    record = audit_release(z, sensitive_features=both, effort="quick", attackers=["logistic"], budget=0.05)
    single = [record.sensitive[name].leakage.value for name in "ab"]
    joint = record.sensitive["joint"].leakage
    # Independent attributes in separate columns: the joint leak is the sum.
    assert joint.value == pytest.approx(sum(single), abs=0.06)
    assert joint.kind == "estimate"
    assert record.verdict == "fail"


def test_more_effort_keeps_what_luck_showed_at_less() -> None:
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(600, 5))
    s = ((X[:, 3] * 2).astype(int) + (X[:, 4] * 2).astype(int)) % 2
    read = {
        effort: audit_release(X, sensitive_features=s, effort=effort, attackers=["boosting"]).sensitive[
            "sensitive_features"
        ]
        for effort in ("quick", "standard")
    }
    less, more = (read[effort].attackers for effort in read)
    assert more["boosting at quick"].leakage.value == pytest.approx(less["boosting"].leakage.value)
    assert read["standard"].leakage.value >= read["quick"].leakage.value
    assert read["quick"].leakage.low > 0.1


def test_a_higher_effort_attacks_as_the_lower_one_does_as_well() -> None:
    rng = np.random.default_rng(0)
    result = audit_release(
        rng.normal(size=(300, 3)), sensitive_features=rng.integers(0, 2, 300), effort="standard", attackers=["logistic"]
    ).sensitive["sensitive_features"]
    assert set(result.attackers) == {NAME, "logistic", "order", "logistic at quick", "order at quick"}
    assert result.leakage.attacker == NAME
    assert result.leakage.low <= 0.0


def test_a_code_held_as_a_float_has_the_entropy_of_its_values() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 1500)
    code = pd.Series(np.where(rng.random(1500) < 0.05, np.nan, s + 1.0), name="code")
    z = (s + rng.normal(size=1500))[:, None]
    read = [
        audit_release(
            z, sensitive_features=code, sensitive_kinds=kinds, effort="quick", attackers=["logistic"]
        ).sensitive["code"]
        for kinds in (None, {"code": "categorical"})
    ]
    assert read[0].entropy == read[1].entropy == pytest.approx(np.log(2), abs=0.01)
    assert read[0].percent_of_entropy == pytest.approx(read[1].percent_of_entropy, abs=2)
    assert read[0].percent_of_entropy > 10
    assert read[0].conditional_entropy_ratio is not None


@pytest.mark.parametrize("tells", [True, False])
def test_the_original_is_read_by_those_who_read_the_release(tells: bool) -> None:
    """Whoever owns a number is visible to lookup alone, in the original as in a release that left it as it was."""
    rng = np.random.default_rng(0)
    n = 250
    sex = np.repeat(rng.integers(0, 2, n), 4)
    table = pd.DataFrame({"patient": np.repeat(rng.permutation(n), 4), "value": rng.normal(size=4 * n)})
    order = rng.permutation(4 * n)
    table, sex = table.iloc[order].reset_index(drop=True), sex[order] if tells else rng.integers(0, 2, 4 * n)
    record = audit_release(
        table, sensitive_features=sex, original=table, effort="quick", attackers=["logistic", "lookup"]
    )
    result = record.sensitive["sensitive_features"]
    assert result.controls["raw"].leakage.value == pytest.approx(result.leakage.value, abs=0.1)
    assert (result.controls["raw"].leakage.low > 0.2) == tells
    assert any(finding.code == "raw_tells_nothing" for finding in record.findings) == (not tells)
