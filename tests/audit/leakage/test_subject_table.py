"""A table of subjects tells what no record does; there is none where subjects have one record or several classes."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.attackers.registry import choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage import subject_summary
from withhold.audit.leakage.subject_summary import describe
from withhold.audit.leakage.subject_table import attack_subjects
from withhold.audit.view.view import AttackView

SUBJECTS, VISITS = 300, 4
GROUPS = np.repeat(np.arange(SUBJECTS), VISITS)
RNG = np.random.default_rng(0)
S = RNG.integers(0, 2, SUBJECTS)


def attack(table, codes=S[GROUPS], groups=GROUPS, keys=None):
    n = len(groups)
    everywhere = np.ones(n, bool)
    fold = groups % 3
    design = Design(fold, groups, (0, 1, 2), everywhere, everywhere, EFFORTS["quick"], 0)
    view, panel = AttackView.fit(table), choose_panel(["logistic", "boosting"])
    return attack_subjects(view.by_subject, keys, codes, 2, panel, design, view.time)


def test_the_spread_within_a_subject_is_read():
    spread = np.where(S, 0.2, 1.0)[GROUPS]
    found = attack(pa.table({"z": spread * RNG.normal(size=len(GROUPS)) + RNG.normal(size=SUBJECTS)[GROUPS]}))
    assert found.best().mean() > 0.2
    assert found.rows.tolist() == list(range(0, len(GROUPS), VISITS))
    assert (found.truth == S).all()


def test_a_value_that_comes_twice_within_a_subject_is_read():
    amounts = RNG.lognormal(size=(SUBJECTS, VISITS))
    amounts[S == 1, 2] = amounts[S == 1, 0]
    assert attack(pa.table({"amount": amounts.ravel()})).best().mean() > 0.5


def test_the_name_of_a_subject_is_read():
    names = np.array([f"{'FM'[s]}{i:04d}" for i, s in enumerate(S)])[GROUPS]
    noise = pa.table({"z": RNG.normal(size=len(GROUPS))})
    assert attack(noise, keys=pa.table({"patient": names})).best().mean() > 0.5
    assert attack(noise).best().mean() < 0.05


@pytest.mark.parametrize(
    ("codes", "groups"),
    [(RNG.integers(0, 2, len(GROUPS)), GROUPS), (S[GROUPS], np.arange(len(GROUPS))), (S[GROUPS], GROUPS // 100)],
)
def test_where_there_is_no_table_of_subjects_nobody_attacks_one(codes, groups):
    assert attack(pa.table({"z": RNG.normal(size=len(GROUPS))}), codes, groups) is None


def test_statistics_are_those_of_each_subject():
    values, of = RNG.normal(size=(30, 2)).astype(np.float32), RNG.permutation(np.arange(30) % 7)
    when = RNG.permutation(30).astype(float)
    table = describe(values, of, when)
    for subject in range(7):
        rows = np.flatnonzero(of == subject)
        mine = values[rows[np.argsort(when[rows])], 0].astype(float)
        assert table[subject, :4] == pytest.approx([mine.mean(), mine.std(), mine.min(), mine.max()], abs=1e-6)
        assert table[subject, 4] == pytest.approx(np.abs(np.diff(mine)).mean(), abs=1e-6)
        assert (table[subject, 5] > 0) == (np.polyfit(np.arange(len(mine)), mine, 1)[0] > 0)


def test_values_that_come_again_are_counted_of_all_records_where_the_first_ones_hold_one(monkeypatch):
    monkeypatch.setattr(subject_summary, "PROBED", 40)
    of, when, never = np.repeat(np.arange(25), 4), np.arange(100.0), np.arange(100, dtype=np.float32)
    early, late = never.copy(), never.copy()
    early[[3, 83, 87]] = early[[0, 80, 84]]  # one in the first 40 records, two beyond
    late[[83, 87]] = late[[80, 84]]
    always = np.repeat(np.arange(25, dtype=np.float32), 4)
    again = np.bincount([0, 20, 21], minlength=25)
    without = describe(never[:, None], of, when).shape[1]
    counted = describe(early[:, None], of, when)
    assert counted.shape[1] == without + 1
    assert counted[:, 4].tolist() == again.tolist()
    for column in (late, always):  # nothing in the first records, or in every one: a column that says nothing
        assert describe(column[:, None], of, when).shape[1] == without


@pytest.mark.parametrize("kind", ["trend", "switches"])
def test_a_course_over_time_is_read_whatever_the_order_of_rows(kind):
    rng = np.random.default_rng(5)
    visit = np.tile(np.arange(VISITS), SUBJECTS)
    if kind == "trend":
        value = np.where(S, 1, -1)[GROUPS] * (visit - 1.5) + 0.5 * rng.normal(size=len(GROUPS))
        value += 3 * rng.normal(size=SUBJECTS)[GROUPS]
    else:
        value = np.where(S[GROUPS], visit % 2, visit // 2) ^ rng.integers(0, 2, SUBJECTS)[GROUPS]
    days = np.datetime64("2026-01-01") + 30 * visit + rng.integers(0, 9, len(GROUPS))
    shuffled = rng.permutation(len(GROUPS))
    table = pa.table({"value": value[shuffled].astype(float), "day": days[shuffled]})
    found = attack(table, S[GROUPS][shuffled], GROUPS[shuffled])
    assert found.best().mean() > 0.2
    assert attack(table.drop_columns(["day"]), S[GROUPS][shuffled], GROUPS[shuffled]).best().mean() < 0.1


def test_an_hour_of_its_own_is_read():
    rng = np.random.default_rng(6)
    own = rng.integers(4, 20, SUBJECTS)[GROUPS]
    hour = np.where(S[GROUPS], own, rng.integers(4, 20, len(GROUPS)))
    moment = np.datetime64("2026-01-01T00:00:00") + 86_400 * rng.permutation(len(GROUPS)) + 3_600 * hour
    assert attack(pa.table({"at": moment})).best().mean() > 0.2


def test_of_a_flag_the_mean_says_how_it_spreads():
    """Mean, step and trend; a number that takes a third value has its spread and ends beside them."""
    flag = RNG.integers(0, 2, len(GROUPS)).astype(np.float32)
    number = np.where(np.arange(len(GROUPS)) % 7, flag, 2.0).astype(np.float32)
    times = np.arange(len(GROUPS), dtype=float)
    of_flag, of_number = (describe(one[:, None], GROUPS, times) for one in (flag, number))
    assert of_flag.shape[1] == 3 + 5
    assert of_number.shape[1] >= 6 + 5


def test_who_changes_from_visit_to_visit_is_still_told_by_a_flag():
    """Half of the visits of everybody are flagged, in one class every other one: the step tells, the mean does not."""
    places = np.tile(np.arange(VISITS), SUBJECTS)
    flag = np.where(S[GROUPS] == 1, places % 2, places // (VISITS // 2)).astype(np.float32)
    found = attack(pa.table({"flag": flag, "noise": RNG.normal(size=len(GROUPS))}))
    assert found.best().mean() > 0.5
