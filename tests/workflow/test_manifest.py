"""Tests of reading records back."""

import json
from pathlib import Path

import pytest

from withhold.contracts.audit_record import AuditRecord, Splits
from withhold.contracts.errors import DataError
from withhold.contracts.run_record import DataSummary, MethodSummary, RunRecord
from withhold.workflow.manifest import private_manifest, read_record, read_run, shared_manifest


@pytest.fixture
def record() -> RunRecord:
    audit = AuditRecord(
        verdict=None,
        statement="No budget.",
        budget=None,
        n=3,
        level=0.95,
        panel=[],
        effort="quick",
        splits=Splits(audit=3, folds=2),
        sensitive={},
    )
    data = DataSummary(rows=3, columns=2, digest="0", sensitive=["s"])
    method = MethodSummary(name="leace", settings={}, output="auto")
    return RunRecord(version="0", created="now", data=data, method=method, audit=audit, noise="none")


def test_all_three_forms_are_read(record: RunRecord, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(record.model_dump_json())
    (tmp_path / "alone.json").write_text(record.audit.model_dump_json())
    for room in ("share", "private"):
        (tmp_path / room).mkdir()
    (tmp_path / "share/audit.json").write_text(record.audit.model_dump_json())
    (tmp_path / "share/manifest.json").write_text(shared_manifest(record))
    (tmp_path / "private/manifest.json").write_text(private_manifest({}, {}, {}, {"seed": 0}))
    assert read_record(tmp_path / "run.json") == record
    assert read_record(tmp_path / "alone.json") == record.audit
    assert read_record(tmp_path / "share/audit.json") == record  # the manifest beside it completes it
    assert read_run(tmp_path) == (record, {"seed": 0})
    # The version before had one manifest, with what was asked in it.
    (tmp_path / "private/manifest.json").unlink()
    (tmp_path / "share/manifest.json").write_text(
        json.dumps({**json.loads(shared_manifest(record)), "request": {"a": 1}})
    )
    assert read_run(tmp_path) == (record, {"a": 1})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema_version": 99}, "99"),
        ({"schema_version": None}, "schema_version"),
        ({"statement": 7}, "statement"),
        ({"sensitive": {"s": {}}}, "complete record"),
    ],
    ids=["newer", "none", "type", "fields"],
)
def test_incomplete_or_newer_records(record: RunRecord, tmp_path: Path, change: dict, words: str) -> None:
    content = {**json.loads(record.audit.model_dump_json()), **change}
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=words):
        read_record(tmp_path / "a.json")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"error": {"code": 3}}', "{}"])
def test_what_is_no_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DataError):
        read_record(tmp_path / "a.json")
    with pytest.raises(DataError, match=r"^File not found: .*absent\.json"):
        read_record(tmp_path / "absent.json")
