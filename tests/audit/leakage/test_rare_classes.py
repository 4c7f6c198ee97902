import numpy as np
import pytest

from withhold.audit.leakage.rare_classes import attackable
from withhold.contracts.errors import DataError
from withhold.data.attribute import Attribute
from withhold.data.attributes import read_attributes


def classes(codes):
    codes = np.asarray(codes)
    return Attribute(
        "s", "categorical", codes, np.full(len(codes), np.nan), tuple(f"c{i}" for i in range(codes.max() + 1))
    )


def test_rare_classes_are_pooled_and_said_to_be():
    got, findings = attackable(classes([0] * 50 + [1] * 50 + [2] * 3 + [3] * 4))
    assert np.bincount(got.codes).tolist() == [50, 50, 7]
    assert [f.code for f in findings] == ["classes_pooled"]


def test_one_rare_class_alone_stays():
    got, findings = attackable(classes([0] * 50 + [1] * 50 + [2] * 3))
    assert got.n_classes == 3
    assert not findings


def test_two_classes_are_never_pooled():
    assert attackable(classes([0] * 50 + [1]))[0].n_classes == 2


def test_many_classes_become_fifty():
    got, _ = attackable(classes(np.repeat(np.arange(200), 20)))
    assert got.n_classes == 50


def test_absent_levels_vanish():
    assert attackable(classes([0] * 20 + [2] * 20))[0].levels == ("c0", "c2")


def test_missing_rows_stay_missing():
    assert attackable(classes([0] * 20 + [-1] * 5 + [1] * 20))[0].codes[20] == -1


@pytest.mark.parametrize("codes", [[0] * 10, list(range(10)), [-1] * 9 + [0]])
def test_nothing_to_attack(codes):
    with pytest.raises(DataError, match="'s'"):
        attackable(classes(codes))


def test_a_text_that_was_taken_for_a_missing_value_is_said():
    s = read_attributes(["nan"] * 30 + ["f", "m"] * 30 + [None] * 5)[0]
    (found,) = attackable(s.take(np.arange(20, 90)))[1]
    assert (found.code, found.severity) == ("text_taken_for_missing", "warning")
    assert found.text.startswith("10 rows say 'nan'")
    assert attackable(read_attributes(["f", "m"] * 30 + [None] * 5)[0])[1] == []
