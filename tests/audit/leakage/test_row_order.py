import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.utils import shuffle

from withhold.audit.design import Design
from withhold.audit.effort import find_effort
from withhold.audit.leakage.row_order import attack_order, longer_periods, patterns, stretches
from withhold.audit.run import audit_release

N = 3_000


def design(n: int, groups: np.ndarray | None = None) -> Design:
    rng, everyone = np.random.default_rng(1), np.ones(n, bool)
    fold = rng.integers(5, size=n) if groups is None else groups % 5
    return Design(fold, groups, tuple(range(5)), everyone, everyone, find_effort("quick"), 0)


def households(rng: np.random.Generator) -> np.ndarray:
    """Three rows each with one value."""
    return np.repeat(rng.integers(2, size=N // 3), 3)


@pytest.mark.parametrize(
    ("s", "least"),
    [
        ((np.arange(N) % 3 == 0).astype(int), 0.6),
        ((np.arange(N) % 11 == 4).astype(int), 0.25),
        ((np.arange(N) >= N // 2).astype(int), 0.6),
        (households(np.random.default_rng(0)), 0.2),
        (np.tile(np.random.default_rng(0).random(96) < 0.3, 32)[:N].astype(int), 0.4),
        (np.tile(np.arange(250) < 80, 12).astype(int), 0.5),
    ],
    ids=["case and two controls", "every eleventh", "one after the other", "households", "wells of plates", "seasons"],
)
def test_each_order_is_read(s, least):
    found = attack_order(s, 2, design(N))
    assert found.best().mean() > least


@pytest.mark.parametrize(
    "shuffled",
    [
        lambda s: pd.Series(s).sample(frac=1, random_state=42).to_numpy(),
        lambda s: shuffle(s, random_state=0),
        lambda s: s[np.random.default_rng(1234).permutation(N)],
    ],
    ids=["pandas", "scikit-learn", "numpy"],
)
def test_a_shuffle_with_a_common_seed_is_taken_back(shuffled):
    s = shuffled((np.arange(N) >= N // 2).astype(int))
    assert attack_order(s, 2, design(N)).best().mean() > 0.6


def test_a_random_order_tells_nothing():
    s = np.random.default_rng(3).integers(3, size=N)
    assert abs(attack_order(s, 3, design(N)).best().mean()) < 0.003


def test_neighbours_of_one_subject_are_no_help_where_subjects_stay_together():
    """Who has a subject's other records is judged apart; here only other subjects are known."""
    subject = np.repeat(np.arange(N // 3), 3)
    found = attack_order(households(np.random.default_rng(0)), 2, design(N, subject))
    assert abs(found.best().mean()) < 0.01
    assert len(found.parts) == 5


def test_an_unknown_class_is_no_neighbour():
    *_, beside = patterns(np.array([-1, 1, -1, -1, 0]), np.array([1, 4]))
    assert beside[2] == beside[3]
    assert len(set(beside[[0, 1, 2]].tolist())) == 3


def test_a_long_period_is_found_among_rows_of_unknown_class():
    s = np.tile(np.random.default_rng(0).integers(3, size=384), 10)
    half = np.random.default_rng(1).permutation(len(s))[:1920]
    assert longer_periods(s, half)[0] == 384
    assert longer_periods(np.ones(400, int), np.arange(400)) == [], "one class has no pattern"


def test_few_rows_have_no_order():
    assert attack_order(np.arange(10) % 2, 2, design(10)) is None


@pytest.mark.usefixtures("without_outlook", "one_plant")
def test_a_release_in_a_telling_order_fails():
    """Its columns tell nothing."""
    rng, n = np.random.default_rng(0), 600
    s = (np.arange(n) % 3 == 0).astype(int)
    table, useful = pa.table({"x": rng.normal(size=n)}), rng.integers(2, size=n)
    record = audit_release(table, sensitive_features=s, utility=useful, budget=0.1, effort="quick")
    assert record.verdict == "fail"
    assert record.sensitive["sensitive_features"].leakage.attacker in ("order", "periods")
    assert "order" in record.panel


@pytest.mark.parametrize("arranged", [False, True])
def test_an_order_of_subjects_is_read_by_subject(arranged: bool) -> None:
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(240), rng.integers(1, 12, 240))
    classes = np.tile([0, 0, 1], 80) if arranged else rng.permutation(np.tile([0, 0, 1], 80))
    everyone = np.ones(len(who), bool)
    folds = rng.integers(0, 3, 240)[who]
    design = Design(folds, who, (0, 1, 2), everyone, everyone, find_effort("quick"), 0)
    found = attack_order(classes[who], 2, design)
    assert found is not None
    assert (found.best().mean() > 0.5) == arranged
    assert (found.best().mean() < 0.01) != arranged


def test_a_stretch_whose_class_is_known_somewhere_is_known() -> None:
    rows, of = stretches(np.array([-1, -1, 1, -1, 0]), np.array([4, 2, 2, 2, 4]))
    assert (rows.tolist(), of.tolist()) == ([0, 2, 4], [0, 1, 1, 1, 2])
    rows, of = stretches(np.array([0, 1, 1]), np.array([4, 4, 4]))
    assert rows.tolist() == of.tolist() == [0, 1, 2]
