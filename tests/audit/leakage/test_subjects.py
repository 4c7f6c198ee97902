import numpy as np
import pytest

from withhold.audit.attackers.logistic import Logistic
from withhold.audit.attackers.quadratic import Quadratic
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.parts import Judge
from withhold.audit.leakage.subjects import constant_within, subject_level, subject_log_ratios, why_no_subjects

SUBJECTS, RECORDS = 400, 15


def attacked(shift, *, copies=False, seed=0):
    """Records of subjects whose class moves every record a little; copies are the same record again and again."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(SUBJECTS), RECORDS)
    s = rng.integers(0, 2, SUBJECTS)[person]
    noise = rng.normal(size=(SUBJECTS, 2))[person] if copies else rng.normal(size=(len(person), 2))
    X = (noise + shift * (2 * s - 1)[:, None] / np.sqrt(2)).astype(np.float32)
    everyone = np.ones(len(s), bool)
    design = Design(person % 3, person, (0, 1, 2), everyone, everyone, EFFORTS["quick"], 0)
    found = cross_fit(PlantedInputs(X, X, X), s, 2, [Logistic, Quadratic], design, "test")
    return found, person, Judge(0.95, 0, person, {"audit": everyone})


def test_a_record_tells_little_and_a_subject_much():
    # Each record shifts the log-odds by a Gaussian of variance 4 shift^2: .05 nat at .32; fifteen of them tell
    # E[log 2 - log(1 + exp(-L))] = .438 nat, L normal with mean 3.07 and variance 6.14.
    found, person, judge = attacked(0.32)
    records = judge.worst(judge.read(found))
    subjects = subject_level(found, person, judge)
    assert 0.03 < records.value < 0.07
    assert subjects.leakage.value > 0.3
    assert subjects.leakage.low <= 0.438
    assert subjects.balanced_accuracy > 0.85
    assert (subjects.subjects, subjects.rows_per_subject) == (SUBJECTS, RECORDS)
    assert subjects.entropy == pytest.approx(np.log(2), abs=0.01)


def test_copies_of_one_record_tell_no_more_than_one():
    found, person, judge = attacked(0.32, copies=True)
    subjects = subject_level(found, person, judge)
    # Summed without calibration the fifteen copies would claim fifteen times what they tell, and lose nats.
    assert subjects.leakage.value < 0.09
    assert subjects.leakage.low < 0.05


def test_noise_tells_nothing():
    found, person, judge = attacked(0.0)
    assert subject_level(found, person, judge).leakage.low <= 0.0


def test_where_it_does_not_apply():
    found, person, judge = attacked(0.32)
    assert subject_level(found, None, judge) is None
    assert subject_level(found, np.arange(len(person)), judge) is None
    mixed = np.arange(len(person)) % SUBJECTS
    assert not constant_within(mixed[found.rows], found.truth)
    assert subject_level(found, mixed, judge) is None
    assert subject_log_ratios(found.take(np.ones(len(found.rows), bool)), person) is None  # inner parts were dropped


def test_where_it_does_not_apply_the_reason_is_said():
    found, person, judge = attacked(0.32)
    two = np.zeros(len(person), np.int64)
    two[found.rows] = found.truth
    reasons = {
        "No column was named": None,
        "Every subject has one record": np.arange(len(person)),
        "differs between the records": np.arange(len(person)) % SUBJECTS,
        "Fewer than 10 subjects": two,
    }
    for words, groups in reasons.items():
        assert subject_level(found, groups, judge) is None
        assert words in why_no_subjects(found, groups)
