"""A table of subjects tells what no record does; there is none where subjects have one record or several classes."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.attackers.registry import choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.subject_table import attack_subjects, describe
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
    return attack_subjects(AttackView.fit(table).dense, keys, codes, 2, choose_panel(["logistic", "boosting"]), design)


def test_the_spread_within_a_subject_is_read():
    spread = np.where(S, 0.2, 1.0)[GROUPS]
    found = attack(pa.table({"z": spread * RNG.normal(size=len(GROUPS)) + RNG.normal(size=SUBJECTS)[GROUPS]}))
    assert found.best().mean() > 0.2
    assert found.rows.tolist() == list(range(0, len(GROUPS), VISITS))
    assert (found.truth == S).all()


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
    table = describe(values, of, np.arange(30))
    for subject in range(7):
        mine = values[of == subject, 0]
        assert table[subject, :4] == pytest.approx([mine.mean(), mine.std(), mine.min(), mine.max()], abs=1e-6)
