import copy
import pickle
import warnings

import numpy as np
import pytest

from withhold.contracts.errors import DataError, FittedRecordsWarning
from withhold.methods.cadp.fitted_rows import FittedRows


def drawn(n, values, seed=0):
    return np.random.default_rng(seed).integers(values, size=(n, 1)).astype(np.uint8)


def distinct(n, first=0):
    return np.arange(first, first + n, dtype="<u4").view(np.uint8).reshape(n, 4)


def test_rows_of_the_fit_are_refused_and_others_are_not():
    fitted = FittedRows(distinct(400))
    fitted.check(distinct(400, first=400), "CADP")
    with pytest.raises(DataError, match=r"100 of 100 records to release have the values of rows that trained the flow"):
        fitted.check(distinct(100), "CADP")
    with pytest.raises(DataError, match="20 of 400 records"):  # also a part of them
        fitted.check(distinct(400, first=380), "CADP")


def test_few_that_may_be_chance_are_warned_of():
    fitted = FittedRows(distinct(400))
    with pytest.warns(FittedRecordsWarning, match="2 of 2,000 records to release have the values"):
        fitted.check(distinct(2000, first=398), "CADP")


@pytest.mark.parametrize("n", [1, 100])
def test_nothing_is_said_of_a_single_record(n):
    fitted = FittedRows(distinct(400))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.check(distinct(n, first=399), "CADP")
    assert fitted.among(distinct(n, first=399)) == 1


def test_records_that_all_look_alike_are_no_sign():
    fitted = FittedRows(drawn(500, values=100))
    assert fitted.repeated > 0.9
    others = drawn(500, values=100, seed=1)
    assert fitted.among(others) > 450
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FittedRecordsWarning)  # somewhat more than expected is no refusal
        fitted.check(others, "CADP")


def test_copies_and_pickles_hold_nothing_of_the_rows():
    fitted = FittedRows(distinct(50))
    for other in (copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
        assert other.among(distinct(50)) == 0
        other.check(distinct(50), "CADP")
    assert copy.copy({"rows": fitted})["rows"].among(distinct(50)) == 50
