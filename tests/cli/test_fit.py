"""Tests of `withhold fit`."""

from pathlib import Path

from withhold.methods.loading import load


def test_what_it_writes_and_says(withhold, data: Path, tmp_path: Path) -> None:
    path = tmp_path / "sex.withhold"
    options = ("fit", data, "--sensitive", "sex", "--method", "leace", "--drop", "income", "--save", path)
    code, document = withhold(*options)
    assert code == 0
    assert document["sanitizer"] == str(path)
    assert document["method"]["name"] == "leace"
    assert list(load(path).feature_names_in_) == ["age", "height", "job"]
    key = Path(document["key"])
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.read_bytes()[-16:] not in path.read_bytes()
    assert withhold(*options)[0] == 2
    assert withhold(*options, "--overwrite")[0] == 0


def test_bad_data_write_nothing(withhold, data: Path, tmp_path: Path) -> None:
    code, document = withhold("fit", data, "--sensitive", "sexe", "--method", "leace", "--save", tmp_path / "s")
    assert code == 3
    assert "Did you mean 'sex'?" in document["error"]["message"]
    assert [path.name for path in tmp_path.iterdir()] == [data.name]
