"""Labels beside rows: an index that contradicts is refused, one that says nothing is not."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from withhold.audit.run import audit_release
from withhold.contracts.errors import DataError
from withhold.data.labels import check_same_index, label_table
from withhold.methods.controls import Identity

X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) ** 2})
S = pd.Series(np.arange(40) % 2, name="s")


def test_a_shuffled_attribute_never_reaches_a_method_or_the_audit():
    shuffled = S.sample(frac=1, random_state=0)
    with pytest.raises(DataError, match="the labels of X in another order"):
        Identity().fit(X, sensitive_features=shuffled)
    with pytest.raises(DataError, match=r"sensitive_features.loc\[release.index\]"):
        audit_release(X, sensitive_features=shuffled)
    with pytest.raises(DataError, match="original"):
        audit_release(X, sensitive_features=S, original=X[::-1])


def test_rows_of_another_selection_are_refused():
    with pytest.raises(DataError, match="other labels"):
        check_same_index(X.iloc[5:25], S.iloc[10:30], "s")


def test_an_index_that_says_nothing_is_matched_by_position():
    part = X.sample(frac=0.7, random_state=0).index
    check_same_index(X.loc[part].reset_index(drop=True), S.loc[part], "s")
    check_same_index(X.iloc[20:30], S.iloc[20:30].reset_index(drop=True), "s")
    check_same_index(X.iloc[5:25], S.iloc[5:25], "s")
    check_same_index(X, S.to_numpy()[::-1], "s")


def test_one_row_too_few_at_either_end_is_no_index_that_was_reset():
    for a, b in ((X.iloc[:-1], S.iloc[1:]), (X.iloc[1:], S.iloc[:-1]), (X.drop(index=3), S.iloc[:-1])):
        with pytest.raises(DataError, match="other labels"):
            check_same_index(a, b, "s")
    with pytest.raises(DataError, match=r"reset both indexes"):
        audit_release(X.iloc[:-1], sensitive_features=S.iloc[1:])


def test_arrays_of_pandas_are_labels():
    table = label_table(pd.Categorical(["a", "b", "a"]), "s")
    assert table.column("s").to_pylist() == ["a", "b", "a"]
    assert label_table(pd.array([1, None], dtype="Int64"), "s").column("s").to_pylist() == [1, None]


def test_no_rows_are_no_crash():
    assert label_table(np.zeros(0), "s").num_rows == 0


@pytest.mark.parametrize("kind", ["array", "series"])
@pytest.mark.parametrize("given", [audit_release, Identity().fit])
def test_labels_that_are_not_utf8_are_refused(kind, given):
    bad = pa.array([b"th\xe9", b"x"] * 20).view(pa.string())
    bad = bad if kind == "array" else pd.Series(pd.arrays.ArrowExtensionArray(bad))
    for roles in ({"sensitive_features": bad}, {"sensitive_features": S, "groups": bad}):
        with pytest.raises(DataError, match="holds text that is not UTF-8"):
            given(X, **roles)
