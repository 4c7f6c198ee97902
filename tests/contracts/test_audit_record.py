"""What a reader of records may rely on: nothing unnamed, nothing that is no number, the same after JSON."""

from html import unescape

import pytest
from pydantic import ValidationError

from withhold.contracts.audit_record import SCHEMA_VERSION, AuditRecord, SensitiveResult, Splits
from withhold.contracts.quantity import Quantity

LEAK = Quantity(value=0.02, low=0.01, high=0.03, kind="lower_bound", against=("mlp",))


def record(**more: object) -> AuditRecord:
    result = SensitiveResult(
        kind="categorical", entropy=0.69, leakage=LEAK, leakage_total=LEAK, percent_of_entropy=2.9, verdict="pass"
    )
    given = {
        "verdict": "pass",
        "statement": "No attacker <learned> more.",
        "budget": 0.05,
        "n": 100,
        "level": 0.95,
        "panel": ["mlp"],
        "effort": "quick",
        "splits": Splits(audit=100, folds=5),
        "sensitive": {"<sex>": result},
    }
    return AuditRecord(**{**given, **more})  # type: ignore[arg-type]


def test_json_and_back() -> None:
    before = record()
    assert AuditRecord.model_validate_json(before.model_dump_json()) == before
    assert before.model_dump()["schema_version"] == SCHEMA_VERSION
    assert before.claim == "tested_attackers"


@pytest.mark.parametrize(
    "wrong",
    [
        {"surprise": 1},
        {"verdict": "safe"},
        {"level": float("nan")},
        {"budget": float("inf")},
        {"claim": "proven"},
        {"splits": {"audit": 1, "folds": 2, "source": "guessed"}},
    ],
)
def test_what_is_no_record(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        record(**wrong)


def test_the_notebook_page_escapes_names_and_words() -> None:
    page = record()._repr_html_()
    assert "<sex>" not in page
    assert "<sex>" not in unescape(page)
    assert "&lt;sex&gt;" in unescape(page)
    assert "0.020 [0.010," in page
