"""A file whose rows cannot be matched to individuals is judged by what it tells of those it was made from alone."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.cli.main import main
from withhold.contracts.disclosure_record import DisclosureRecord
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.workflow.disclosure import disclose_file
from withhold.workflow.request import AuditRequest

N = 900
OPTIONS = {"effort": "quick", "attackers": ("logistic", "boosting")}


def people(seed: int, n: int = N, shift: float = 0.0) -> pd.DataFrame:
    g = np.random.default_rng(seed)
    x = g.normal(size=(n, 3)).round(3)
    sex = np.where(x[:, 0] + g.normal(size=n) > 0, "f", "m")
    return pd.DataFrame({"a": x[:, 0] + shift, "b": x[:, 1], "c": x[:, 2], "job": g.choice(list("uvw"), n), "sex": sex})


@pytest.fixture
def audited(tmp_path: Path):
    original, control = people(987_001), people(987_002)
    original.to_csv(tmp_path / "original.csv", index=False)

    def audit(release: pd.DataFrame, control: pd.DataFrame = control, budget: float = 0.15) -> DisclosureRecord:
        control.to_csv(tmp_path / "control.csv", index=False)
        release.to_csv(tmp_path / "release.csv", index=False)
        files = {"original": tmp_path / "original.csv", "control": tmp_path / "control.csv"}
        return disclose_file(AuditRequest(tmp_path / "release.csv", ("sex",), budget=budget, **files, **OPTIONS))

    return original, audit


def test_people_who_were_drawn_afresh_pass(audited):
    _, audit = audited
    record = audit(people(987_003))
    one = record.sensitive["sex"]
    # I(S;X) of a probit of unit slope is log 2 - 1/2 = .193 nat: told of everybody, and nothing of the original alone.
    assert one.excess.low < 0.0 < one.excess.high
    assert one.control.value == pytest.approx(0.193, abs=0.05)
    assert one.found
    assert (record.verdict, record.copied_original, record.findings) == ("pass", 0.0, [])
    assert record.columns == ["a", "b", "c", "job"]


def test_people_whose_attribute_nobody_knows_are_counted(audited):
    _, audit = audited
    release, control = people(987_003), people(987_002)
    release.loc[:29, "sex"], control.loc[:9, "sex"] = None, None
    (found,) = audit(release, control).findings
    assert found.code == "sensitive_unknown"
    assert found.text == (
        "No known 'sex': 30 of 900 rows of release.csv, 10 of 900 rows of control.csv. They are not judged (attackers "
        "neither learn from them nor are scored on them)."
    )


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_copied_records_fail_and_tell_what_they_hold(audited, share):
    original, audit = audited
    count = round(share * N)
    record = audit(pd.concat([original.head(count), people(987_004, N - count)]).sample(frac=1, random_state=0))
    one = record.sensitive["sex"]
    assert record.verdict == "fail"
    # Of a copied record all is told that its other columns leave open, half a nat.
    assert one.excess.value == pytest.approx(share * 0.5, abs=0.08)
    assert record.copied_original == pytest.approx(share)
    assert [finding.code for finding in record.findings] == ["copies_of_originals"]


def test_records_that_were_blurred_fail_without_an_equal_row(audited):
    original, audit = audited
    blurred = original.sample(frac=1, random_state=0)
    blurred[["a", "b", "c"]] += np.random.default_rng(0).normal(scale=0.01, size=(N, 3))
    record = audit(blurred, budget=0.05)
    assert (record.verdict, record.copied_original) == ("fail", 0.0)
    assert "nearest_row" in record.sensitive["sex"].excess.against


def test_a_file_whose_rows_were_suppressed_and_shuffled(audited):
    original, audit = audited
    record = audit(original.sample(frac=0.4, random_state=0), budget=0.05)
    assert record.verdict == "fail"
    assert record.copied_original == pytest.approx(0.4)


def test_a_control_of_other_people_decides_nothing(audited):
    _, audit = audited
    record = audit(people(987_005), control=people(987_006, shift=1.0))
    assert record.verdict == "inconclusive"
    assert [finding.code for finding in record.findings] == ["control_differs"]


def test_few_people_decide_nothing(audited):
    _, audit = audited
    record = audit(people(987_007), control=people(987_008, n=60), budget=0.02)
    assert record.verdict == "inconclusive"
    assert not record.sensitive["sex"].found
    assert "went unnoticed" in record.statement


def test_what_cannot_be_compared(audited, tmp_path):
    _, audit = audited
    with pytest.raises(DataError, match="at least 50 can be compared"):
        audit(people(0, n=20))
    with pytest.raises(DataError, match="no column 'sex'"):
        audit(people(0).drop(columns="sex"))
    with pytest.raises(DataError, match="share no column"):
        audit(people(0)[["sex"]].assign(other=1))
    with pytest.raises(InvalidParameterError, match=r"Add original, or leave control out"):
        AuditRequest(tmp_path / "r.csv", ("sex",), control=tmp_path / "c.csv")
    with pytest.raises(InvalidParameterError, match="key is about rows"):
        AuditRequest(tmp_path / "r.csv", ("sex",), original=tmp_path, control=tmp_path, key="id")


def test_on_the_command_line(tmp_path, capsys):
    for name, frame in {"r": people(1), "o": people(2), "c": people(3)}.items():
        frame.to_csv(tmp_path / f"{name}.csv", sep=";", decimal=",", index=False)
    files = [str(tmp_path / "r.csv"), "--original", str(tmp_path / "o.csv"), "--control", str(tmp_path / "c.csv")]
    command = ["audit", *files, "--sensitive", "sex", "--effort", "quick", "--attackers", "logistic"]
    assert main([*command, "--out", str(tmp_path / "d.json")]) == 0
    shown = capsys.readouterr().out
    assert "No attacker of this panel who learned from r.csv" in shown
    assert "an equal row in the file" in shown
    assert DisclosureRecord.model_validate_json((tmp_path / "d.json").read_text()).verdict is None
    assert main(["report", str(tmp_path / "d.json"), "--out", str(tmp_path / "d.html"), "--title", "Synthetic"]) == 0
    assert "Synthetic" in (tmp_path / "d.html").read_text()
    capsys.readouterr()
    assert main([*command, "--budget", "0.0001", "--json"]) == 4
    assert json.loads(capsys.readouterr().out)["verdict"] == "inconclusive"
