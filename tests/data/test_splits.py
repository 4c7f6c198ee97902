import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.data.splits import fold_numbers, split_rows

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(st.integers(2, 60), st.floats(0.05, 0.95), st.integers(0, 99), st.booleans(), st.booleans(), st.data())
def test_split_is_a_partition_that_parts_no_subject(n, fraction, seed, grouped, stratified, data):
    codes = st.lists(st.integers(-1, 8), min_size=n, max_size=n)
    groups = np.array(data.draw(codes)) if grouped else None
    stratify = np.array(data.draw(codes)) if stratified else None
    if groups is not None and len(set(groups)) < 2:
        with pytest.raises(DataError, match="at least 2"):
            split_rows(n, fraction, np.random.default_rng(seed), groups, stratify)
        return
    kept, held = split_rows(n, fraction, np.random.default_rng(seed), groups, stratify)
    assert sorted([*kept, *held]) == list(range(n))
    assert len(kept)
    assert len(held)
    if groups is not None:
        assert not set(groups[kept]) & set(groups[held])
    elif stratify is None:
        assert abs(len(held) - fraction * n) <= 1 or len(held) in (1, n - 1)


@QUICK
@given(st.integers(4, 60), st.integers(2, 4), st.integers(0, 99), st.booleans(), st.data())
def test_folds_part_no_subject_and_none_is_empty(n, k, seed, grouped, data):
    groups = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))) if grouped else None
    if groups is not None and len(set(groups)) < k:
        with pytest.raises(DataError, match="subjects"):
            fold_numbers(n, k, np.random.default_rng(seed), groups)
        return
    folds = fold_numbers(n, k, np.random.default_rng(seed), groups)
    assert set(folds) == set(range(k))
    if groups is None:
        assert np.ptp(np.bincount(folds)) <= 1
    else:
        assert all(len(set(folds[groups == g])) == 1 for g in set(groups))


def test_classes_are_kept_in_proportion():
    rng = np.random.default_rng(0)
    classes = (rng.random(2000) < 0.03).astype(int)
    rare = classes.sum()
    _, held = split_rows(2000, 0.3, rng, stratify=classes)
    assert abs(classes[held].sum() - 0.3 * rare) <= 1
    folds = fold_numbers(2000, 5, rng, stratify=classes)
    assert np.ptp(np.bincount(folds[classes == 1], minlength=5)) <= 1


def test_subjects_of_unequal_size_give_balanced_parts_and_classes():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(300), rng.integers(1, 12, 300))
    classes = (np.arange(300) % 4 == 0).astype(int)[groups]
    kept, held = split_rows(len(groups), 0.25, rng, groups, classes)
    assert len(held) / len(groups) == pytest.approx(0.25, abs=0.02)
    assert classes[held].mean() == pytest.approx(classes[kept].mean(), abs=0.03)
    folds = fold_numbers(len(groups), 5, rng, groups, classes)
    assert np.ptp(np.bincount(folds)) < 0.02 * len(groups)
    assert np.ptp([classes[folds == j].mean() for j in range(5)]) < 0.03


SIZES = np.r_[np.ones(150, int), np.repeat(2, 40), np.repeat(7, 15), np.repeat(60, 4)]


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("side", ["held out", "first fold"])
def test_a_subject_is_held_as_often_as_any_other_whatever_its_number_of_rows(stratified, side):
    groups = np.repeat(np.arange(len(SIZES)), SIZES)
    classes = np.random.default_rng(0).integers(0, 3, len(SIZES))[groups] if stratified else None
    share, seeds, times = 0.3 if side == "held out" else 0.25, 200, np.zeros(len(SIZES))
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        if side == "held out":
            rows = split_rows(len(groups), share, rng, groups, classes)[1]
        else:
            rows = np.flatnonzero(fold_numbers(len(groups), 4, rng, groups, classes) == 0)
        times[np.unique(groups[rows])] += 1
    for size in np.unique(SIZES):
        drawn = seeds * (size == SIZES).sum()
        error = (share * (1 - share) / drawn) ** 0.5
        assert times[size == SIZES].sum() / drawn == pytest.approx(share, abs=3 * error)


def test_subjects_with_several_rows_are_as_frequent_in_both_parts():
    groups = np.repeat(np.arange(len(SIZES)), SIZES)
    kept, held = (np.unique(groups[rows]) for rows in split_rows(len(groups), 0.3, np.random.default_rng(0), groups))
    assert (SIZES[held] > 1).mean() == pytest.approx((SIZES[kept] > 1).mean(), abs=0.03)


def test_many_different_sets_of_subjects_are_held():
    groups = np.repeat(np.arange(20), np.arange(1, 21))  # every subject has a number of rows of its own
    drawn = {tuple(np.unique(groups[split_rows(210, 0.3, np.random.default_rng(i), groups)[1]])) for i in range(50)}
    assert len(drawn) > 45


def test_every_row_is_held_as_often_as_any_other():
    counts = np.zeros(10)
    for seed in range(1000):
        counts[split_rows(10, 0.3, np.random.default_rng(seed))[1]] += 1
    np.testing.assert_allclose(counts / 1000, 0.3, atol=0.06)  # four standard deviations


def test_bad_arguments_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidParameterError, match="fraction must be above 0 and below 1"):
        split_rows(10, 1.0, rng)
    with pytest.raises(InvalidParameterError, match="at least 2"):
        fold_numbers(10, 1, rng)
    with pytest.raises(DataError, match="one value per row"):
        split_rows(10, 0.5, rng, groups=np.arange(9))
    with pytest.raises(DataError, match="at least 5"):
        fold_numbers(4, 5, rng)
