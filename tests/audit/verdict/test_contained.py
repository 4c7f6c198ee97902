"""Tests of the worst release: one that holds S itself, by any name and in any code."""

import numpy as np
import pandas as pd
import pytest

from withhold.audit.beside import Recipient
from withhold.audit.leakage.evidence import Evidence
from withhold.audit.request import read_request
from withhold.audit.run import audit_release
from withhold.audit.verdict.contained import contained
from withhold.contracts.quantity import Quantity

ROWS = 120
SEX = np.random.default_rng(0).permutation(np.repeat(["f", "m"], ROWS // 2))
AGE = pd.DataFrame({"age": np.random.default_rng(1).normal(40, 9, ROWS)})


def look(release=AGE, s=SEX, utility=None, aside=None, shared=True):
    return contained(read_request(release, s, utility, None, None, None, None, Recipient(set_aside=aside)), shared)


def test_own_column():
    held = look(AGE.assign(sex=SEX), "sex")
    assert held.own == ("sex",)
    assert not any(held.copies.values())
    (one,) = held.findings()
    assert (one.code, one.severity, one.column) == ("contains_s", "critical", "sex")
    assert "--sensitive-from" in one.text


@pytest.mark.parametrize("values", [SEX, np.where(SEX == "f", 7, 3), np.where(SEX == "f", "m", "f")])
def test_a_copy_is_found_wherever_it_is_handed_over(values):
    copy = pd.DataFrame({"gender": values})
    assert look(AGE.join(copy)).copies == {"sensitive_features": ["gender"]}
    assert look(aside=copy).copies == {"sensitive_features": ["gender"]}
    assert look(utility=copy).copies == {"sensitive_features": ["gender"]}
    assert not any(look(utility=copy, shared=False).copies.values())
    assert not any(look(AGE.assign(gender=np.roll(values, 1))).copies.values())


def test_attributes_together():
    rng = np.random.default_rng(2)
    both = pd.DataFrame({"a": rng.integers(0, 2, ROWS), "b": rng.integers(0, 3, ROWS)})
    code = AGE.assign(cell=both["a"] * 3 + both["b"])
    held = look(code, both)
    assert held.copies == {"a": [], "b": [], "'a' and 'b' together": ["cell"]}
    given = Evidence(Quantity(value=0.0, kind="lower_bound"), True, 1.0, True)
    assert held.evidence("joint", given).copied == ("cell",)
    assert held.evidence("a", given).copied == ()
    assert look(code.assign(a=both["a"], b=both["b"]), ["a", "b"]).evidence("joint", given).own == ("a", "b")


@pytest.mark.usefixtures("without_outlook", "one_plant")
@pytest.mark.parametrize(("budget", "verdict"), [(0.3, "inconclusive"), (None, None)])
def test_a_file_with_its_own_column_never_passes(budget, verdict):
    rng = np.random.default_rng(3)
    s = rng.integers(0, 2, 1500)
    release = pd.DataFrame({"x": rng.normal(size=1500), "y": rng.normal(size=1500), "sex": s})
    options = {"budget": budget, "effort": "quick", "attackers": ["logistic", "boosting", "pairs", "qda"]}
    record = audit_release(release, sensitive_features="sex", **options)
    assert record.verdict == verdict
    assert "contains_s" in [finding.code for finding in record.findings]
    # The positive control: the same columns with S from elsewhere.
    without = audit_release(release[["x", "y"]], sensitive_features=s, **options)
    assert without.verdict == (None if budget is None else "pass")


def test_a_copy_fails_though_no_attacker_sees_it():
    """A rare class: all there is to know about S is less than the budget."""
    rng = np.random.default_rng(4)
    s = (rng.permutation(1500) < 8).astype(int)
    release = pd.DataFrame({"x": rng.normal(size=1500), "ward": np.where(s == 1, "b", "a")})
    record = audit_release(release, sensitive_features=s, budget=0.05, effort="quick", attackers=["logistic"])
    assert record.sensitive["sensitive_features"].leakage_total.high < 0.05
    assert record.verdict == "fail"
    assert "'ward'" in record.statement
    assert {"contains_s", "column_determines_s"} <= {f.code for f in record.findings if f.column == "ward"}


def test_a_pixel_that_is_s_is_found():
    images = np.random.default_rng(2).integers(0, 255, (ROWS, 9, 9)).astype(np.uint8)
    assert not any(look(images).copies.values())
    images[:, 3, 8] = np.where(SEX == "f", 12, 13)
    assert look(images).copies == {"sensitive_features": ["image[row 3, column 8]"]}
