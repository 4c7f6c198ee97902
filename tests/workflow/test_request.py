"""Options that make no sense, alone or together, are refused before a file is read, in words that can be typed."""

import re
from pathlib import Path

import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.wording import on_command_line
from withhold.workflow.request import AuditRequest, Request

FILE = Path("release.parquet")


def test_a_key_needs_a_second_file() -> None:
    with pytest.raises(InvalidParameterError, match=r"key matches the rows of two files.* also"):
        AuditRequest(FILE, ("sex",), key="id")
    assert AuditRequest(FILE, ("sex",), key="id", also=(Path("may.parquet"),)).also
    assert AuditRequest(FILE, ("sex",), continuous=("age",), categorical=("zip",)).kinds == {
        "age": "continuous",
        "zip": "categorical",
    }


def test_a_column_has_one_kind() -> None:
    for make in (AuditRequest, Request):
        with pytest.raises(InvalidParameterError, match="'age' cannot be both continuous and categorical"):
            make(Path("r.csv"), ("s",), continuous=("b", "age"), categorical=("age",))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"effort": "fast"}, "Unknown effort 'fast'. Choose quick, standard or thorough."),
        ({"budget": 0.0}, "A budget of 0 cannot be verified. Give a small one, such as 0.01."),
        ({"budget": -0.5}, "budget must be a finite number above 0 (got -0.5)."),
        ({"budget": 0.1, "budget_advantage": 0.1}, "both say how much may leak. Leave one out."),
        ({"budget_advantage": 1.5}, "budget_advantage must lie between 0 and 1 (got 1.5)."),
    ],
)
def test_words(options: dict, words: str) -> None:
    for make in (AuditRequest, Request):
        with pytest.raises(InvalidParameterError, match=re.escape(words)):
            make(FILE, ("s",), **options)


@pytest.mark.parametrize(
    ("given", "held"),
    [
        (0.05, 0.05),
        (("0.05",), 0.05),
        ((), None),
        ({"s": 0.1}, ("s=0.1",)),
        (("s=.1", "joint=.2"), ("s=0.1", "joint=0.2")),
    ],
)
def test_a_budget_is_held_as_it_is_typed(given: object, held: object) -> None:
    for make in (AuditRequest, Request):
        assert make(FILE, ("s",), budget=given).budget == held  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"output": "pdf"}, "Unknown output 'pdf'. Choose auto, table or representation."),
        ({"split": "part", "test": FILE}, "split and test both say which rows are audited."),
        ({"test": FILE, "labels": FILE}, "test cannot go with labels"),
        ({"use_utility": True}, "use_utility needs a column. Add utility='COL'."),
    ],
)
def test_words_of_a_run(options: dict, words: str) -> None:
    with pytest.raises(InvalidParameterError, match=re.escape(words)):
        Request(FILE, ("s",), **options)


def test_who_types_reads_options() -> None:
    with on_command_line(), pytest.raises(InvalidParameterError, match=r"^--cross-fit audits .* --method deepminmax"):
        Request(FILE, ("s",), budget=0.1, cross_fit=5)
    with on_command_line(), pytest.raises(InvalidParameterError, match=r"^--split and --test both say"):
        Request(FILE, ("s",), split="part", test=FILE)
