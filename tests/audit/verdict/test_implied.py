"""The proof bites where the attackers are blind, and stays silent where U tells nothing of S."""

import numpy as np
import pytest

from withhold.audit.run import audit_release
from withhold.audit.verdict.implied import implied_findings, implied_leakage
from withhold.contracts.quantity import Quantity

BLIND = Quantity(value=0.0, low=0.0, high=0.01, kind="lower_bound")


def world(n: int, flip: float) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, n)
    return np.where(rng.random(n) < flip, 1 - s, s), s, rng


def test_a_release_that_tells_u_must_leak_what_u_tells() -> None:
    u, s, rng = world(20_000, 0.1)
    found = implied_leakage("u", u, s, u, BLIND, rng)
    assert found is not None
    truth = 0.368064  # I(U;S) of the symmetric source
    assert found.leakage.value == pytest.approx(truth, abs=0.02)
    assert found.leakage.low is not None
    assert 0.25 < found.leakage.low < truth
    assert found.floor == pytest.approx(truth, abs=0.02)
    assert found.below_bound
    assert [f.code for f in implied_findings({"s": found})] == ["below_bound"]


def test_attackers_who_found_it_leave_no_finding() -> None:
    u, s, rng = world(8000, 0.1)
    seen = Quantity(value=0.37, low=0.36, high=0.38, kind="lower_bound")
    found = implied_leakage("u", u, s, u, seen, rng)
    assert found is not None
    assert not found.below_bound
    assert implied_findings({"s": found}) == []


@pytest.mark.parametrize("seed", range(5))
def test_independence_implies_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, s = rng.integers(0, 3, (2, 3000))
    found = implied_leakage("u", u, s, u, BLIND, rng)
    assert found is not None
    assert found.leakage.low == 0.0
    assert not found.below_bound


def test_subjects_and_few_rows_prove_nothing() -> None:
    u, s, rng = world(8000, 0.0)
    found = implied_leakage("u", u, s, u, BLIND, rng, independent=False)
    assert found is not None
    assert found.leakage.low is None
    assert not found.below_bound
    assert implied_leakage("u", u[:50], s[:50], u[:50], BLIND, rng) is None


def test_the_audit_reports_it() -> None:
    u, s, _ = world(1500, 0.05)
    record = audit_release(
        u.astype(float)[:, None], sensitive_features=s, utility=u, effort="quick", attackers=["logistic"]
    )
    one = record.implied[next(iter(record.implied))]
    assert one.kept.value > 0.5
    assert not one.below_bound
    assert one.leakage.low is not None
    assert one.leakage.low > 0.1
