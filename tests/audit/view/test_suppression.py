"""No small count follows from the total and the counts that are shown."""

from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.audit.view.suppression import LEAST_RECORDS, suppress

SMALL = LEAST_RECORDS - 1
COUNTS = st.lists(st.one_of(st.integers(0, 12), st.just(SMALL), st.integers(0, 3000)), min_size=2, max_size=12)


def other_reading(numbers, shown, cell):
    """Whether another count in `cell` fits the total: hidden cells hold 0 to 9, or anything if one had to be added."""
    hidden = [i for i, one in enumerate(shown) if one is None]
    total = sum(numbers) - sum(one for one in shown if one is not None)
    added = any(numbers[i] >= LEAST_RECORDS for i in hidden)
    for guess in range(LEAST_RECORDS):
        rest = total - guess
        if guess != numbers[cell] and rest >= 0 and (added or rest <= SMALL * (len(hidden) - 1)) and len(hidden) > 1:
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(COUNTS)
def test_no_hidden_small_count_is_determined(numbers):
    shown = suppress(numbers)
    assert all(one is None or one == number for one, number in zip(shown, numbers, strict=True))
    assert all(one is None or one >= LEAST_RECORDS for one in shown)
    hidden = [number for one, number in zip(shown, numbers, strict=True) if one is None]
    if any(one is not None for one in shown) and hidden:
        assert len(hidden) >= 2
        assert sum(hidden) >= LEAST_RECORDS
    if sum(numbers) >= LEAST_RECORDS and not (max(numbers) < LEAST_RECORDS and min(numbers) == SMALL):
        for cell, number in enumerate(numbers):
            if number < LEAST_RECORDS:
                assert other_reading(numbers, shown, cell)


@given(st.lists(st.integers(LEAST_RECORDS, 500), max_size=8))
def test_nothing_is_hidden_without_need(numbers):
    assert suppress(numbers) == numbers


def test_the_check_can_fail():
    alone = [980, 30, None]
    assert not other_reading([980, 30, 5], alone, 2)
    assert not other_reading([980, 9, 9], [980, None, None], 1)


def test_the_next_smallest_is_hidden_and_equal_nines_need_a_third():
    assert suppress([980, 20, 30, 5]) == [980, None, 30, None]
    assert suppress([980, 40, 9, 9]) == [980, None, None, None]
    assert suppress([980, 40, 3, 2]) == [980, None, None, None]
    assert suppress([980, 40, 8, 9]) == [980, 40, None, None]
    assert suppress([500, 400, 0]) == [500, None, None]
