"""A file that is not there is named; where a cross-fitted release wrote other sanitisers, these are named too."""

from pathlib import Path

from withhold.contracts.wording import on_command_line
from withhold.io.absent import absent


def test_only_a_sanitiser_that_folds_stand_in_for_is_explained(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"sanitizer-{number}-of-2.withhold").touch()
    with on_command_line():
        said = str(absent(tmp_path / "sanitizer.withhold"))
    assert "each of its 2 folds has a sanitiser of its own, such as 'sanitizer-1-of-2.withhold'" in said
    assert said.endswith("For later rows run again without --cross-fit; that writes one sanitiser.")
    for other in ("other.withhold", "sanitizer.csv"):
        assert str(absent(tmp_path / other)) == f"File not found: '{tmp_path / other}'."
