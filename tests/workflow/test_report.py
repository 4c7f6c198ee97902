from pathlib import Path

import pytest

from withhold.contracts.audit_record import AuditRecord, Splits
from withhold.contracts.errors import InvalidParameterError
from withhold.workflow.report import report_file


@pytest.fixture
def record(tmp_path: Path) -> Path:
    found = AuditRecord(
        verdict=None, statement="No budget.", budget=None, n=100, level=0.95, panel=["logistic"], effort="quick",
        splits=Splits(audit=100, folds=2), sensitive={},
    )  # fmt: skip
    path = tmp_path / "audit.json"
    path.write_text(found.model_dump_json())
    return path


def test_the_page_of_a_record_is_written(record: Path, tmp_path: Path) -> None:
    digest = report_file(record, tmp_path / "page.html")
    assert len(digest) == 64
    assert "No budget." in (tmp_path / "page.html").read_text()


def test_an_earlier_page_stays(record: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("earlier")
    with pytest.raises(InvalidParameterError, match="overwrite=True"):
        report_file(record, page)
    assert page.read_text() == "earlier"
    report_file(record, page, overwrite=True)
    assert page.read_text() != "earlier"


def test_a_title_is_given_to_the_page_not_to_the_record(record: Path, tmp_path: Path) -> None:
    before = record.read_text()
    report_file(record, tmp_path / "page.html", title="Stays of 2024")
    assert "Stays of 2024" in (tmp_path / "page.html").read_text()
    assert record.read_text() == before
