"""Options of an audit that make no sense together are refused before a file is read."""

from pathlib import Path

import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.workflow.request import AuditRequest, Request

FILE = Path("release.parquet")


def test_a_key_needs_a_second_file() -> None:
    with pytest.raises(InvalidParameterError, match="--also"):
        AuditRequest(FILE, ("sex",), key="id")
    assert AuditRequest(FILE, ("sex",), key="id", also=(Path("may.parquet"),)).also
    assert AuditRequest(FILE, ("sex",), continuous=("age",), categorical=("zip",)).kinds == {
        "age": "continuous",
        "zip": "categorical",
    }


def test_a_column_has_one_kind() -> None:
    for make in (AuditRequest, Request):
        with pytest.raises(InvalidParameterError, match="The column 'age' must be declared once"):
            make(Path("r.csv"), ("s",), continuous=("b", "age"), categorical=("age",))
