"""The records of threats travel in JSON like the rest, and refuse what is no number."""

import pytest
from pydantic import ValidationError

from withhold.contracts.quantity import Quantity
from withhold.contracts.threats import DriftNote, LinkageResult, MembershipResult, SubjectResult

RATE = Quantity(value=0.2, low=0.1, high=0.3, kind="lower_bound", unit="fraction")


def test_json_and_back() -> None:
    for record in (
        LinkageResult(found=RATE, chance=0.01, candidates=100),
        MembershipResult(leakage=RATE, members=10, others=10),
        SubjectResult(leakage=RATE, subjects=10, rows_per_subject=2.0),
    ):
        assert type(record).model_validate_json(record.model_dump_json()) == record


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(ValidationError):
        DriftNote(column="a", kind="range", share=share, text="out of range")
