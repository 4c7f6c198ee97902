from dataclasses import replace

import numpy as np

from withhold.audit.effort import EFFORTS
from withhold.audit.request import cap_rows, make_design, read_request

QUICK = EFFORTS["quick"]


def request(n, groups=None, fit=None):
    rng = np.random.default_rng(0)
    return read_request(rng.normal(size=(n, 2)), rng.integers(0, 2, n), None, groups, None, fit, None)


def test_short_releases_are_judged_whole():
    whole = request(50)
    assert cap_rows(whole, QUICK, 0) == (whole, [])


def test_long_releases_are_sampled_by_subject_and_said_to_be():
    groups = np.repeat(np.arange(50), 4)
    part, findings = cap_rows(request(200, groups), replace(QUICK, most_rows=100), 0)
    assert 90 < part.n <= 100
    assert (np.bincount(part.groups)[np.unique(part.groups)] == 4).all()
    assert findings[0].code == "rows_sampled"


def test_folds_hold_classes_and_parts_in_proportion():
    fit = np.arange(300) < 100
    made = make_design(request(300, fit=fit), QUICK, 0)
    for k in range(QUICK.folds):
        assert abs((made.fold[fit] == k).mean() - 1 / QUICK.folds) < 0.05


def test_few_subjects_get_fewer_folds():
    made = make_design(request(40, np.repeat(np.arange(5), 8)), EFFORTS["thorough"], 0)
    assert len(made.scored_folds) == 2
