import pytest

from withhold.contracts.errors import DataError, FileError
from withhold.io.table_format import check_columns, damaged, source_files, table_format


@pytest.mark.parametrize("name", ["a.txt", "a", "a.parquet.gz", "a.csv.zip"])
def test_other_suffixes_are_refused_with_the_known_ones(name):
    with pytest.raises(
        FileError, match=r"must be named \*.parquet, \*.csv, \*.tsv \(.gz too\), \*.feather, \*.arrow or \*.npz"
    ):
        table_format(name)


def test_folders_may_hold_hidden_files_but_no_others(tmp_path):
    (tmp_path / "a.parquet").touch()
    (tmp_path / ".hidden").touch()
    (tmp_path / "_metadata").touch()
    assert [p.name for p in source_files(tmp_path)] == ["a.parquet"]
    (tmp_path / "b.csv").touch()
    with pytest.raises(FileError, match=r"Parquet parts \(\*.parquet\) alone \(got 'b.csv'\)"):
        source_files(tmp_path)


def test_folders_of_images_are_named_as_such(tmp_path):
    (tmp_path / "labels.csv").touch()
    (tmp_path / "1.PNG").touch()
    with pytest.raises(FileError, match=r"is a folder of images\. .*--labels FILE"):
        source_files(tmp_path)


def test_columns_must_exist_and_differ():
    check_columns("a.csv", ["a", "A"])
    with pytest.raises(DataError, match="has no columns"):
        check_columns("a.csv", [])
    with pytest.raises(DataError, match="3 columns named 'b'"):
        check_columns("a.csv", ["a", "a", "b", "b", "b"])


def test_damaged_names_the_file_and_the_kind():
    assert "'a.parquet' is not a readable Parquet file" in str(damaged("a.parquet", "Parquet"))
