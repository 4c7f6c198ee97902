"""What is foretold of tables whose truth is known."""

import numpy as np
import pytest

from withhold.audit.planning.outlook import foretell, judged_attribute
from withhold.audit.request import read_request

N = 1_200


def told(sensitive, utility=None, **options):
    rng = np.random.default_rng(1)
    release = {"a": S + 0.5 * rng.normal(size=N), "b": rng.normal(size=N), "c": np.where(S == 1, "x", "y")}
    import pandas as pd

    request = read_request(pd.DataFrame(release), sensitive, utility, None, None, np.arange(N) % 10 < 7, None)
    return foretell(request, "quick", **options)


S = np.random.default_rng(0).integers(0, 2, N)
PERMUTED = np.random.default_rng(2).permutation(S)


def test_columns_that_tell_are_ranked():
    (raw,) = told(S).raw.values()
    assert [one.column for one in raw.columns] == ["c", "a"]
    assert raw.together.low > 0.3
    assert raw.balanced_accuracy > 0.9


def test_of_permuted_s_nothing_is_told():
    (raw,) = told(PERMUTED).raw.values()
    assert raw.columns == []
    assert raw.together.low <= 0.0


def test_u_that_is_s_tells_all_of_it_and_u_beside_it_nothing():
    assert told(S, S, read_raw=False).utility.low > 0.5
    beside = told(S, PERMUTED, read_raw=False)
    assert beside.utility.low <= 0.0
    assert beside.raw == {}


def test_u_that_is_not_handed_over_takes_no_room():
    assert told(S, S, read_raw=False).power.told > 0.5
    assert told(S, S, read_raw=False, utility_in_release=False).power.told == 0.0


def test_several_attributes_are_judged_together():
    rng = np.random.default_rng(0)
    request = read_request(
        rng.normal(size=(N, 2)), np.column_stack([S, rng.integers(0, 2, N)]), None, None, None, None, None
    )
    assert judged_attribute(request.sensitive).n_classes == 4
    raw = foretell(request, "quick").raw
    assert list(raw) == [*request.sensitive.names, "joint"]
    assert raw["joint"].entropy == pytest.approx(2 * np.log(2), abs=0.01)
    assert (raw["joint"].classes, raw["joint"].columns) == (4, [])


@pytest.mark.parametrize("values", [np.random.default_rng(5).normal(size=N)])
def test_numbers_have_a_limit_too(values):
    found = told(values, read_raw=False)
    assert found.power.detection_limit(found.rows) > 0.05


def test_what_rows_decide_is_the_same_where_columns_are_read_too(monkeypatch):
    for name, most in (("MOST_READ", 1_000), ("MOST_PLANTED", 400)):
        monkeypatch.setattr(f"withhold.audit.planning.outlook.{name}", most)
    assert told(S).power.losses == told(S, read_raw=False).power.losses
