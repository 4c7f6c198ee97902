"""Tests of putting a release together."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.controls import Identity
from withhold.workflow import release
from withhold.workflow.release import as_table, assemble, features_of, in_order, unfitted, utility_for_fit
from withhold.workflow.request import Request
from withhold.workflow.roles import assign


class Keeping(Identity):
    """A method that keeps what tells one attribute."""

    needs_y = True


TABLE = pa.table({"age": [1, 2], "sex": ["f", "m"], "id": [7, 8], "job": ["a", "b"], "income": ["lo", "hi"]})
ROLES = assign(TABLE.column_names, "t", sensitive=["sex"], utility=["income"], groups="id")


def test_columns_stand_where_they_stood_and_s_is_gone() -> None:
    features = pa.table({"age": [3, 4], "job": ["b", "b"]})
    release = assemble(features, TABLE, ROLES)
    assert release.column_names == ["age", "job", "income"]
    assert release.column("income").to_pylist() == ["lo", "hi"]
    assert assemble(features, TABLE, ROLES, drop_utility=True).column_names == ["age", "job"]
    kept = assign(TABLE.column_names, "t", sensitive=["sex"], utility=["income"], groups="id", keep=["id"])
    assert assemble(features, TABLE, kept).column_names == ["age", "id", "job", "income"]


def test_a_representation_comes_first() -> None:
    assert assemble(pa.table({"z0": [0.5, 0.5]}), TABLE, ROLES).column_names == ["z0", "income"]


def test_a_clash_of_names_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="income"):
        assemble(pa.table({"income": [0.5, 0.5]}), TABLE, ROLES)


def test_rows_come_back_in_order_with_dictionaries_of_their_own() -> None:
    first = pa.table({"c": pa.array(["x", "y"]).dictionary_encode()})
    second = pa.table({"c": pa.array(["y", "z"]).dictionary_encode()})
    whole = in_order([first, second], [np.array([1, 3]), np.array([0, 2])])
    assert whole.column("c").to_pylist() == ["y", "x", "z", "y"]


def test_an_embedding_is_given_as_an_array() -> None:
    table = pa.table({"x0": [0.5, 1.5], "x1": [2.5, 3.5], "s": ["a", "b"]})
    roles = assign(table.column_names, "t", sensitive=["s"])
    array = features_of(table, roles)
    assert isinstance(array, np.ndarray)
    assert as_table(array, roles, Identity()).column_names == ["x0", "x1"]
    assert isinstance(features_of(TABLE, ROLES), pa.Table)


def test_a_method_that_needs_the_utility_gets_it_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Request(Path("t"), ("sex",), ("income",), method="identity")
    assert utility_for_fit(asked, TABLE) is None
    monkeypatch.setattr(release, "method_class", lambda name: Keeping)
    assert utility_for_fit(asked, TABLE).column_names == ["income"]
    unfitted(asked)
    with pytest.raises(InvalidParameterError, match=r"identity needs to know .* --utility COL"):
        unfitted(Request(Path("t"), ("sex",), method="identity"))
    with pytest.raises(InvalidParameterError, match="one --utility column"):
        unfitted(Request(Path("t"), ("sex",), ("income", "job"), method="identity"))
    monkeypatch.setattr(Keeping, "several_y", True)
    unfitted(Request(Path("t"), ("sex",), ("income", "job"), method="identity"))
