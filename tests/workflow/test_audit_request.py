"""Options of an audit that make no sense together are refused before a file is read."""

from pathlib import Path

import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.workflow.audit_request import AuditRequest

FILE = Path("release.parquet")


def test_a_key_needs_a_second_file() -> None:
    with pytest.raises(InvalidParameterError, match="--also"):
        AuditRequest(FILE, ("sex",), key="id")
    assert AuditRequest(FILE, ("sex",), key="id", also=(Path("may.parquet"),)).also
    assert AuditRequest(FILE, ("sex",), continuous=("age",), categorical=("zip",)).kinds == {
        "age": "continuous",
        "zip": "categorical",
    }
