"""Tests of reading a job's data."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.cli.main import main
from withhold.contracts.errors import DataError, FileError
from withhold.io.tables import digest, write_table
from withhold.workflow.source import group_codes, read_alike, read_source, sensitive_attributes, with_test_file


def source(folder: Path, name: str, columns: dict):
    write_table(folder / name, pa.table(columns))
    return read_source(folder / name)


def test_digest_and_suffix(tmp_path: Path) -> None:
    read = source(tmp_path, "t.csv", {"a": [1, 2]})
    assert (read.digest, read.suffix, read.name) == (digest(tmp_path / "t.csv"), ".csv", "t.csv")


def test_a_test_file_goes_below_in_the_types_of_the_first(tmp_path: Path) -> None:
    train = source(tmp_path, "a.parquet", {"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]})
    test = source(tmp_path, "b.parquet", {"b": ["z"], "a": pa.array([3], pa.int64()), "more": [0]})
    both, fit = with_test_file(train, test)
    assert both.table.to_pydict() == {"a": [1, 2, 3], "b": ["x", "y", "z"]}
    assert both.table.schema.field("a").type == pa.int32()
    assert fit.tolist() == [True, True, False]


def test_a_test_file_of_another_table(tmp_path: Path) -> None:
    train = source(tmp_path, "a.parquet", {"a": [1, 2], "b": ["x", "y"]})
    with pytest.raises(DataError, match="'b'"):
        with_test_file(train, source(tmp_path, "b.parquet", {"a": [3]}))
    with pytest.raises(DataError, match="types"):
        with_test_file(train, source(tmp_path, "c.parquet", {"a": ["word"], "b": ["x"]}))


def test_group_codes_of_any_type() -> None:
    for column in (["u", "v", "u", None], [7, 8, 7, None], [1.5, 2.5, 1.5, None]):
        for typed in (pa.array(column), pa.array(column).dictionary_encode()):
            codes = group_codes(pa.table({"g": typed}), "g")
            assert codes is not None
            assert codes[0] == codes[2]
            assert len(np.unique(codes)) == 3
    assert group_codes(pa.table({"g": [1]}), None) is None


@pytest.mark.parametrize(
    ("values", "kinds", "words"),
    [
        (["a"] * 10, {}, "two|constant"),
        ([None] * 10, {}, "known|missing"),
        ([f"v{i}" for i in range(10)], {}, "10 of them once.*--continuous s "),
        (list(range(100)), {}, "continuous"),
    ],
)
def test_attributes_that_cannot_be_judged(values: list, kinds: dict, words: str) -> None:
    with pytest.raises(DataError, match=words):
        sensitive_attributes(pa.table({"s": values}), ("s",), kinds)


def test_declared_kinds() -> None:
    table = pa.table({"s": list(range(100))})
    assert sensitive_attributes(table, ("s",), {"s": "continuous", "other": "categorical"})[0].kind == "continuous"


def test_absent_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^File not found: .*absent\.csv"):
        read_source(tmp_path / "absent.csv")


@pytest.mark.parametrize("text_first", [True, False])
def test_both_parts_of_a_table_in_csv_have_one_type(tmp_path: Path, text_first: bool) -> None:
    names = ("a.csv", "b.csv") if text_first else ("b.csv", "a.csv")
    (tmp_path / "a.csv").write_text("ward,lab\nB3,1\n12,2\n")
    (tmp_path / "b.csv").write_text("ward,lab\n07,0.5\n7,2\n")
    (tmp_path / "c.csv").write_text("ward,lab\n7,1\n12,2\n")
    both, _ = with_test_file(*(read_source(tmp_path / name) for name in names))
    assert sorted(both.table.column("ward").to_pylist()) == ["07", "12", "7", "B3"]
    assert sorted(both.table.column("lab").to_pylist()) == [0.5, 1.0, 2.0, 2.0]
    both, _ = with_test_file(*(read_source(tmp_path / name) for name in ("c.csv", "a.csv")))
    assert both.table.column("ward").to_pylist() == ["7", "12", "B3", "12"]


def test_a_column_that_is_text_in_one_file_is_text_in_all(tmp_path: Path) -> None:
    first = source(tmp_path, "a.parquet", {"zip": ["90210", "10001"], "n": [1, 2]})
    (tmp_path / "b.csv").write_text("zip,n\n90210,1\n10001,2\n")
    second = read_source(tmp_path / "b.csv")
    assert pa.types.is_integer(second.table.schema.field("zip").type)  # positive control
    for files in ([first, second], [second, first]):
        types = {item.name: str(item.table.schema.field("zip").type) for item in read_alike(files)}
        assert types == {"a.parquet": "string", "b.csv": "string"}
    assert all(item.table.schema.field("n").type == pa.int64() for item in read_alike([first, second]))


def test_a_line_of_totals_is_named_and_in_no_record(tmp_path, capsys):
    rows = "".join(f"{'fm'[j % 2]},{j}\n" for j in range(60))
    (tmp_path / "t.csv").write_text(f"sex,a\n{rows}Total,1770\n")
    command = ["audit", str(tmp_path / "t.csv"), "--sensitive", "sex", "--effort", "quick", "--attackers", "logistic"]
    assert main([*command, "--json"]) in (0, 4)
    shown = capsys.readouterr()
    assert (
        "'sex' has a class of few rows: 'Total' (1). Remove such rows if they are totals or typing errors." in shown.err
    )
    assert "few rows" not in shown.out
    (tmp_path / "t.csv").write_text(f"sex,a\n{rows}")  # positive control
    main(command)
    assert "few rows" not in capsys.readouterr().err


@pytest.mark.parametrize("named", ["out", "out/private", "out/share"])
def test_a_folder_of_a_run_names_its_release(tmp_path: Path, named: str) -> None:
    share = tmp_path / "out" / "share"
    for room in (share, tmp_path / "out" / "private"):
        room.mkdir(parents=True)
    (share / "manifest.json").write_text("{}")
    (share / "release.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match=r"Name the file in it: .*share.release\.csv"):
        read_source(tmp_path / named)
    assert read_source(share / "release.csv").table.num_rows == 1
