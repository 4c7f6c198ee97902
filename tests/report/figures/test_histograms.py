import re

import pytest

from withhold.contracts.audit_record import Histogram
from withhold.report.figures.columns import histogram


def draw(raw: list[int | None], release: list[int | None]) -> str:
    return histogram("x", Histogram(labels=[f"c{i}" for i in range(len(raw))], raw=raw, release=release))


@pytest.mark.parametrize(
    ("raw", "release", "words"), [(None, 50, "before hidden"), (50, None, "after hidden"), (None, None, "hidden")]
)
def test_suppressed_cells_say_so(raw: int | None, release: int | None, words: str) -> None:
    assert f">{words}<" in draw([100, raw], [90, release])


def test_full_cells_say_nothing() -> None:
    assert "<em>" not in draw([100, 50], [90, 60])


def test_many_cells_stand_upright_with_the_ends_named() -> None:
    drawn = draw([20] * 32, [30] * 31 + [None])
    assert re.findall(r">(c\d+)<", drawn) == ["c0", "c31"]


def test_everything_suppressed_is_still_a_drawing() -> None:
    assert "<svg" in draw([None] * 3, [None] * 3)
    assert "<svg" in draw([None] * 30, [None] * 30)


def test_description_holds_the_counts() -> None:
    assert "c0: 100 before, hidden after" in draw([100], [None])
