"""Files as people have them go through every command; what was found of a text file is said once."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.cli.main import main
from withhold.contracts.errors import InvalidParameterError
from withhold.workflow.request import AuditRequest, Request

pytestmark = pytest.mark.usefixtures("brief_audit")

N = 240


@pytest.fixture
def people() -> pd.DataFrame:
    g = np.random.default_rng(0)
    sex = g.choice(["f", "m"], N)
    return pd.DataFrame(
        {
            "sex": sex,
            "size": np.round(170 + 8 * (sex == "m") + 6 * g.standard_normal(N), 1),
            "town": g.choice(["Köln", "Ulm", "Gießen"], N),
            "zip": g.choice(["02116", "01002", "90210"], N),
            "seen": pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(g.integers(0, 300, N), "D")),
            "pay": g.choice(["1", "2", "999"], N),
        }
    )


def german(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path, sep=";", decimal=",", encoding="cp1252", index=False, date_format="%d.%m.%Y")
    return path


def test_a_german_file_through_fit_and_transform(people, tmp_path, capsys):
    whole, part = german(people, tmp_path / "all.csv"), german(people.head(9), tmp_path / "part.csv")
    saved, out = tmp_path / "s.withhold", tmp_path / "z.csv"
    fit = ["fit", str(whole), "--sensitive", "sex", "--method", "noise", "--save", str(saved), "--missing", "999,."]
    assert main(fit) == 0
    said = capsys.readouterr().err
    assert said.count("separated by ';' and with decimal commas (size) and in cp1252 (Western European)") == 1
    assert main(["transform", str(saved), str(part), "--out", str(out), "--missing", "999"]) == 0
    z = pd.read_csv(out, sep=";", decimal=",", dtype={"zip": str}, parse_dates=["seen"])
    assert list(z.columns) == ["size", "town", "zip", "seen", "pay"]
    assert set(z["zip"]) <= set(people["zip"])
    assert set(z["town"]) <= set(people["town"])
    assert z["seen"].dt.year.between(2023, 2025).all()
    assert not (z["pay"] > 3).any()


@pytest.mark.parametrize("command", ["audit", "bounds"])
def test_a_german_file_is_judged_like_a_plain_one(people, tmp_path, capsys, command):
    plain, local = tmp_path / "plain.csv", german(people, tmp_path / "local.csv")
    people.to_csv(plain, index=False)
    options = ["--effort", "quick", "--attackers", "logistic"] if command == "audit" else ["--utility", "pay"]
    shown = []
    for path in (plain, local):
        main([command, str(path), "--sensitive", "sex", *options])
        shown.append(capsys.readouterr())
    assert "cp1252" in shown[1].err
    assert "read as text" not in shown[0].err
    assert shown[0].out.replace("plain.csv", "local.csv") == shown[1].out


def test_files_of_one_audit_may_be_written_differently(people, tmp_path, capsys):
    people["id"] = [f"{i:05d}" for i in range(N)]
    original = german(people, tmp_path / "original.csv")
    people.drop(columns="sex").to_csv(tmp_path / "release.tsv", sep="\t", index=False)
    options = ["--sensitive", "sex", "--key", "id", "--effort", "quick", "--attackers", "logistic"]
    code = main(["audit", str(tmp_path / "release.tsv"), "--original", str(original), *options])
    assert code in (0, 1, 4), capsys.readouterr().err


def test_columns_that_are_said_and_not_there(people, tmp_path, capsys):
    path = german(people, tmp_path / "all.csv")
    for option in (["--text", "zpi"], ["--date", "zpi=%d.%m.%Y"]):
        for command in (["audit"], ["bounds", "--utility", "town"], ["run", "--out", str(tmp_path / "o")]):
            assert main([command[0], str(path), "--sensitive", "sex", *command[1:], *option]) == 3
            assert "no column 'zpi'. Did you mean 'zip'?" in capsys.readouterr().err


def test_a_parquet_file_whose_columns_are_said(people, tmp_path):
    table = people.assign(seen=people["seen"].dt.strftime("%d.%m.%y"), zip=people["zip"].astype(int))
    table.to_parquet(tmp_path / "t.parquet")
    options = ["--date", "seen=%d.%m.%y", "--text", "zip", "--missing", "999"]
    saved, out = tmp_path / "s.withhold", tmp_path / "z.parquet"
    common = ["--sensitive", "sex", "--method", "noise", "--save", str(saved), *options]
    assert main(["fit", str(tmp_path / "t.parquet"), *common]) == 0
    assert main(["transform", str(saved), str(tmp_path / "t.parquet"), "--out", str(out), *options]) == 0
    z = pd.read_parquet(out)
    assert pd.to_datetime(z["seen"]).dt.year.between(2023, 2025).all()
    assert set(z["zip"]) == {"2116", "1002", "90210"}
    assert z["pay"].isna().any()


def test_options_of_text_files_need_one():
    with pytest.raises(InvalidParameterError, match=r"^sep only applies to text files"):
        Request(Path("a.parquet"), ("s",), sep=";")
    assert AuditRequest(Path("a.parquet"), ("s",), original=Path("b.tsv.gz"), sep=";").reading.sep == ";"
    with pytest.raises(InvalidParameterError, match=r"Write --date seen=%d.%m.%Y"):
        Request(Path("a.csv"), ("s",), date=("seen",)).reading  # noqa: B018
    said = Request(Path("a.csv"), ("s",), missing=("999, .", "x"), date=("a=b=%Y",)).reading
    assert (said.missing, said.dates) == (("999", ".", "x"), (("a=b", "%Y"),))


def test_a_workbook_becomes_a_release(people, tmp_path, capsys):
    people.to_excel(tmp_path / "people.xlsx", index=False)
    command = ["run", str(tmp_path / "people.xlsx"), "--sensitive", "sex", "--method", "noise", "--effort", "quick"]
    code = main([*command, "--attackers", "logistic", "--missing", "999", "--out", str(tmp_path / "o")])
    assert code in (0, 1, 4), capsys.readouterr().err
    z = pd.read_csv(tmp_path / "o" / "candidate" / "release.csv", dtype={"zip": str})
    assert set(z["zip"]) == set(people["zip"])
    assert pd.to_datetime(z["seen"]).dt.year.between(2023, 2025).all()
    assert (
        main(
            ["fit", str(tmp_path / "people.xlsx"), "--sensitive", "sex", "--save", str(tmp_path / "s"), "--array", "x"]
        )
        == 2
    )
    assert "has no sheet 'x'" in capsys.readouterr().err


def test_a_workbook_with_a_further_sheet_is_not_passed_over(people, tmp_path, capsys):
    path = tmp_path / "release.xlsx"
    with pd.ExcelWriter(path) as writer:
        people.to_excel(writer, sheet_name="data", index=False)
        people[["sex"]].to_excel(writer, sheet_name="old", index=False)
    command = ["audit", str(path), "--sensitive", "sex", "--effort", "quick", "--attackers", "logistic"]
    assert main([*command, "--array", "data"]) == 3
    assert "also holds the sheet 'old', which no attacker would read" in capsys.readouterr().err
    people.to_excel(tmp_path / "single.xlsx", index=False)  # positive control
    assert main([*command[:1], str(tmp_path / "single.xlsx"), *command[2:]]) == 0


def test_embeddings_in_lists_are_released_as_columns(tmp_path, capsys):
    g = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"sex": g.choice(["f", "m"], N), "embedding": list(g.standard_normal((N, 4)).astype("float32"))}
    )
    frame.to_parquet(tmp_path / "e.parquet")
    saved, out = tmp_path / "s.withhold", tmp_path / "z.parquet"
    fit = ["fit", str(tmp_path / "e.parquet"), "--sensitive", "sex", "--method", "leace", "--save", str(saved)]
    assert main(fit) == 0, capsys.readouterr().err
    assert main(["transform", str(saved), str(tmp_path / "e.parquet"), "--out", str(out)]) == 0, capsys.readouterr().err
    assert list(pd.read_parquet(out).columns) == ["x0", "x1", "x2", "x3"]
    command = ["audit", str(out), "--original", str(tmp_path / "e.parquet"), "--sensitive", "sex", "--effort", "quick"]
    for held in ([], ["--sanitizer", str(saved)]):
        assert main([*command, "--attackers", "logistic", *held]) in (0, 1, 4), capsys.readouterr().err
