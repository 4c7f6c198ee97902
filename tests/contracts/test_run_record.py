"""The record of a run travels as JSON and holds nothing that was not declared."""

import pytest
from pydantic import ValidationError

from withhold.contracts.audit_record import AuditRecord, Splits
from withhold.contracts.run_record import DataSummary, MethodSummary, RunRecord

AUDIT = AuditRecord(
    verdict=None,
    statement="",
    budget=None,
    n=1,
    level=0.95,
    panel=[],
    effort="quick",
    splits=Splits(audit=1, folds=2),
    sensitive={},
)
RUN = RunRecord(
    version="1",
    created="2026-01-01T00:00:00+00:00",
    data=DataSummary(name="a.csv", rows=1, columns=2, digest="ab", sensitive=["sex"]),
    method=MethodSummary(name="leace", settings={"svd_tol": 0.01, "keep": ["id"]}, output="auto"),
    audit=AUDIT,
    noise="none",
)


def test_json_and_back() -> None:
    assert RunRecord.model_validate_json(RUN.model_dump_json()) == RUN


def test_a_secret_has_no_place() -> None:
    for part in (RUN, RUN.method, RUN.data):
        with pytest.raises(ValidationError, match="noise_key"):
            type(part)(**part.model_dump(), noise_key="00")
