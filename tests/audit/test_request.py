import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from withhold.audit.beside import Recipient
from withhold.audit.request import attribute_table, read_request, stratum
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.data.attributes import read_attributes
from withhold.data.frames import to_frame

TABLE = pd.DataFrame({"z": np.arange(6.0), "sex": list("fmfmfm"), "pay": [0, 1, 0, 1, 1, 0], "who": list("aabbcc")})


def read(release=TABLE, s="sex", utility=None, groups=None, original=None, fit=None, kinds=None):
    return read_request(release, s, utility, groups, original, fit, kinds)


def test_what_is_judged_is_not_attacked():
    request = read(utility="pay", groups="who", original=TABLE)
    assert request.release.column_names == ["z"]
    assert request.original.column_names == ["z"]
    assert request.groups.tolist() == [0, 0, 1, 1, 2, 2]
    assert request.utility.names == ("pay",)
    assert request.own == ("sex",)


def test_s_may_stand_in_the_original_only():
    request = read(release=TABLE[["z"]], original=TABLE)
    assert request.sensitive.names == ("sex",)
    assert request.original.column_names == ["z", "pay", "who"]
    assert request.own == ()


def test_a_release_that_holds_the_values_of_s_is_read_not_refused():
    assert read(s=TABLE["sex"].to_numpy()).release.column_names == ["z", "sex", "pay", "who"]


def test_rows_without_a_subject_are_their_own():
    groups = read(groups=np.array(["a", None, None, "a", "b", "b"], dtype=object)).groups
    assert len(np.unique(groups)) == 4


def test_take_takes_everything():
    request = read(utility="pay", groups="who", original=TABLE, fit=np.arange(6) < 3).take(np.array([1, 4]))
    assert request.n == 2
    assert request.release.num_rows == request.original.num_rows == 2
    assert request.fit_rows.tolist() == [True, False]


def test_a_row_has_one_sanitiser_and_it_had_not_seen_the_row():
    release = TABLE.drop(columns="sex")
    made = read_request(release, TABLE["sex"], None, None, None, None, None, makers=[0, 1, 2, 0, 1, 2])
    assert made.take(np.array([1, 5])).makers.tolist() == [1, 2]
    with pytest.raises(InvalidParameterError, match="leave fit_rows out"):
        read_request(release, TABLE["sex"], None, None, None, np.arange(6) < 3, None, makers=[0, 1, 2, 0, 1, 2])
    with pytest.raises(DataError, match="makers"):
        read_request(release, TABLE["sex"], None, None, None, None, None, makers=[0, 1])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"s": "sx"}, DataError, "sx"),
        ({"groups": "whom"}, DataError, "whom"),
        ({"groups": [1, 2]}, DataError, "the release has 6"),
        ({"s": np.array([0, 1])}, DataError, "the release has 6"),
        ({"fit": [True]}, DataError, "fit_rows"),
        ({"original": TABLE[:3]}, DataError, "original"),
        ({"utility": "sex"}, InvalidParameterError, "sex"),
        ({"kinds": {"sx": "categorical"}}, InvalidParameterError, "'sx'"),
        ({"release": TABLE[:3], "s": "sex"}, DataError, "at least 4"),
    ],
)
def test_errors_name_what_is_wrong(options, error, words):
    with pytest.raises(error, match=words):
        read(**options)


def test_attribute_table_and_stratum():
    both = read_attributes(pd.DataFrame({"a": ["x", None, "y"], "b": [0.5, 1.5, np.nan]}))
    assert attribute_table(both).to_pydict() == {"a": ["x", None, "y"], "b": [0.5, 1.5, None]}
    assert stratum(both[0], np.array([True, False, False])).tolist() == [1, -2, 2]
    assert stratum(both[1], None)[2] == -1


def test_views_of_text_are_read_as_text():
    table = pa.table({"a": pa.array(["x", "y"] * 4, pa.string_view()), "b": range(8)})
    request = read_request(table, [0, 1] * 4, None, None, table, None, None)
    assert request.take(np.array([1, 0])).release.column("a").to_pylist() == ["y", "x"]


@pytest.mark.parametrize(
    "index",
    [["r1", "r3", "r2", "r4", "r5"], [7, 3, 5, 1, 0], [1, "a", 2.5, None, "b"], pd.date_range("2020", periods=5)],
)
def test_row_labels_of_pandas_are_attacked(index):
    frame = pd.DataFrame({"a": range(5)}, index=index)
    for original in (None, frame):
        found = read_request(frame, list("xyxyx"), None, None, original, None, None)
        assert found.release.column_names == ["a", "__index_level_0__"]
    assert found.original.column_names == ["a", "__index_level_0__"]


def test_names_of_row_labels_do_not_clash_and_positions_are_none():
    labels = pd.MultiIndex.from_arrays([range(5), list("abcde")], names=["a", "b"])
    frame = pd.DataFrame({"a": range(5)}, index=labels)
    release = read_request(frame, list("xyxyx"), None, None, None, None, None).release
    assert release.column_names == ["a", "__index_level_0__", "b"]
    positions = pd.DataFrame({"a": range(9)})[4:]
    assert read_request(positions, list("xyxyx"), None, None, None, None, None).release.column_names == ["a"]


def test_attributes_that_were_read_already_are_taken_as_they_are():
    table = pd.DataFrame({"z": np.arange(8.0), "s": list("ab" * 4), "u": np.arange(8)})
    given, useful = read_attributes("s", to_frame(table)), read_attributes("u", to_frame(table))
    apart = read_request(table, given, useful, None, None, None, None)
    assert (apart.release.column_names, apart.own) == (["z", "s"], ())  # a column of that name may be a copy
    held = read_request(table, given, useful, None, None, None, None, Recipient(own=["s"]))
    assert (held.release.column_names, held.own) == (["z"], ("s",))
    assert held.sensitive is given
