import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.attackers.registry import choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.attack import Panel
from withhold.audit.people.membership import BOTH, RELEASE, membership

N = 900
PANEL = Panel(choose_panel(["logistic", "boosting"]), [])


def numbers(X, names="abcdef"):
    return pa.table({names[j]: X[:, j] for j in range(X.shape[1])})


def plain(n=N, groups=None):
    everywhere = np.ones(n, bool)
    return Design(np.zeros(n, np.int64), groups, (0,), everywhere, everywhere, EFFORTS["quick"], 0)


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, 6)), rng.random(N) < 0.6, rng


def test_what_was_learned_by_heart_is_told_apart(parts):
    X, fit, rng = parts
    noise = rng.normal(size=X.shape) * np.where(fit, 0.05, 0.5)[:, None]
    found = membership(numbers(X + noise), numbers(X), fit, PANEL, plain())
    assert found.attacks[BOTH].low > 0.3
    assert found.excess.low > 0.3
    assert found.balanced_accuracy > 0.9
    assert found.control.low <= 0.0
    assert found.control_balanced_accuracy < 0.56
    assert found.attacker.endswith(BOTH)
    assert (found.members, found.others) == (int(fit.sum()), int((~fit).sum()))


def test_a_map_that_fits_its_rows_is_seen_in_another_space(parts):
    X, fit, rng = parts
    turn = rng.normal(size=(6, 4))
    noise = rng.normal(size=(N, 4)) * np.where(fit, 0.05, 0.5)[:, None]
    found = membership(numbers(X @ turn + noise, "wxyz"), numbers(X), fit, PANEL, plain())
    assert found.excess.low > 0.2


def test_the_same_treatment_tells_nothing(parts):
    X, fit, rng = parts
    found = membership(numbers(X + 0.5 * rng.normal(size=X.shape)), numbers(X), fit, PANEL, plain())
    assert found.leakage.low <= 0.0
    assert found.excess.low <= 0.0
    assert found.entropy == pytest.approx(0.67, abs=0.02)


def test_parts_that_differ_anyway_are_not_held_against_the_release(parts):
    X, fit, rng = parts
    moved = X + np.where(fit, 1.0, 0.0)[:, None]
    found = membership(numbers(moved + 0.5 * rng.normal(size=X.shape)), numbers(moved), fit, PANEL, plain())
    assert found.attacks[RELEASE].low > 0.2
    assert found.control.low > 0.2
    assert found.excess.low <= 0.0


def test_without_original_and_with_subjects(parts):
    X, fit, _ = parts
    person = np.arange(N) // 3
    by_person = np.repeat(fit[: N // 3], 3)
    # Three copies a subject: had they been divided, a copy would tell.
    copies = numbers(np.repeat(X[: N // 3], 3, axis=0))
    found = membership(copies, None, by_person, PANEL, plain(groups=person))
    assert found.leakage.low <= 0.0
    assert found.control is None
    assert found.excess is None


def test_one_part_only(parts):
    X, _, _ = parts
    assert membership(numbers(X), None, np.ones(N, bool), PANEL, plain()) is None
