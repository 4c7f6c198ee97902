"""A release that no audit cleared waits in `candidate`; a decision with a reason moves it, whole, and says so."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, FileError, InvalidParameterError
from withhold.contracts.run_record import RunRecord
from withhold.io.tables import digest, write_table
from withhold.workflow.approve import approve
from withhold.workflow.folder import ASKED, UNFINISHED, OutputFolder
from withhold.workflow.manifest import read_run
from withhold.workflow.run import run

pytestmark = pytest.mark.usefixtures("brief_audit")

WHY = "Only for <the> two who made the survey."


def ran(path: Path, **options: object) -> RunRecord:
    """Run on a table whose column `a` tells s; without a budget it ends without a verdict."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 300)
    write_table(path.parent / "t.csv", pa.table({"a": 3 * s + rng.normal(size=300), "b": rng.normal(size=300), "s": s}))
    fast = {"method": "identity", "effort": "quick", "attackers": ["logistic"], "anyway": True}
    return run(path.parent / "t.csv", sensitive=["s"], out=path, **{**fast, **options})


WAITING = [f"candidate/{name}" for name in ("release.csv", "audit.json", "report.html", "manifest.json")]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measured")
    ran(folder / "out")
    return folder / "out"


@pytest.fixture
def out(measured: Path, tmp_path: Path) -> Path:
    """The folder of a run without a budget."""
    return Path(shutil.copytree(measured, tmp_path / "out"))


def files(path: Path) -> dict[str, str]:
    return {p.relative_to(path).as_posix(): digest(p) for p in path.rglob("*") if p.is_file() and p.name[0] != "."}


@pytest.mark.parametrize(
    ("options", "said"), [({"budget": 0.01}, "against the verdict"), ({}, "without a verdict")], ids=["fail", "none"]
)
def test_what_no_audit_cleared_waits_until_it_is_approved(tmp_path: Path, options: dict[str, float], said: str) -> None:
    out = tmp_path / "out"
    record = ran(out, **options)
    assert record.audit.verdict == ("fail" if options else None)
    before = files(out)
    assert {name.partition("/")[0] for name in before} == {"private", "candidate"}
    approved = approve(out, WHY)
    after = files(out)
    assert {name.partition("/")[0] for name in after} == {"private", "share"}
    assert approved.approval is not None
    assert approved.approval.because == WHY
    assert f'"what": "approved {said}"' in (out / "share/manifest.json").read_text()
    assert read_run(out)[0] == approved
    # The release and the judge's record are the files that they were, and so is all that is private.
    for name in ("release.csv", "audit.json"):
        assert after[f"share/{name}"] == before[f"candidate/{name}"]
    kept = [name for name in before if name.startswith("private/") and name != "private/manifest.json"]
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    page = (out / "share/report.html").read_text()
    assert f"Approved {said}." in page
    assert "Only for &lt;the&gt; two" in page
    for role, name in approved.files.items():
        assert (out / name).exists(), role
    private = json.loads((out / "private/manifest.json").read_text())["digests"]
    known = {**private, **approved.digests}
    assert {role: digest(out / approved.files[role]) for role in known} == known


def test_a_second_approval_changes_nothing(out: Path) -> None:
    approve(out, WHY)
    before, told = files(out), []
    assert approve(out, "Another reason.", told.append).approval.because == WHY
    assert told == [f"{out / 'share'} may be sent already: it was approved before; nothing was done"]
    assert files(out) == before


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize(
    "name",
    [
        "candidate/release.csv",
        "candidate/audit.json",
        "candidate/report.html",
        "candidate/manifest.json",
        "private/audit.json",
    ],
)
@pytest.mark.parametrize("harm", [change, Path.unlink])
def test_a_candidate_that_is_not_what_was_audited_is_refused(
    out: Path, name: str, harm: Callable[[Path], None]
) -> None:
    harm(out / name)
    before = files(out)
    with pytest.raises((DataError, InvalidParameterError), match=r"not the file|missing|not found|no finished"):
        approve(out, WHY)
    assert files(out) == before


def test_what_cannot_be_approved_is_refused_with_the_reason(out: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="Folder not found"):
        approve(tmp_path / "absent", WHY)
    (tmp_path / "other").mkdir()
    with pytest.raises(InvalidParameterError, match=r"holds no finished run\. Name the folder"):
        approve(tmp_path / "other", WHY)
    assert list((tmp_path / "other").iterdir()) == []
    for reason in ("", "  ", "x" * 1001):
        with pytest.raises(InvalidParameterError, match="--because takes a reason"):
            approve(out, reason)
    (out / "share").mkdir()
    (out / "share/release.csv").write_text("mine")
    before = files(out)
    with pytest.raises(FileError, match=r"share/release\.csv was not written by withhold.*then approve again"):
        approve(out, WHY)
    assert files(out) == before
    assert not (out / UNFINISHED).exists()
    (out / "share/release.csv").unlink()
    with OutputFolder(out, overwrite=True) as folder:
        with pytest.raises(FileError, match="Another run is writing"):
            approve(out, WHY)
        folder.remember(ASKED, {"sensitive": ["s"]})
    with pytest.raises(InvalidParameterError, match=r"finished release, and a later run that was .*--resume"):
        approve(out, WHY)
    assert (out / UNFINISHED / ASKED).exists()
    with OutputFolder(tmp_path / "killed") as folder:
        folder.remember(ASKED, {"sensitive": ["s"]})
    with pytest.raises(InvalidParameterError, match=r"before it had a release: there is nothing to approve yet\. Type"):
        approve(tmp_path / "killed", WHY)


def test_what_an_earlier_version_put_into_share_did_not_pass_either(out: Path) -> None:
    """It knew no other room for results."""
    (out / "candidate").rename(out / "share")
    for room in ("share", "private"):
        manifest = out / room / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"candidate/', '"share/'))
    before = files(out)
    with pytest.raises(InvalidParameterError, match=r"earlier version .* its audit did not pass\. Run again"):
        approve(out, WHY)
    assert files(out) == before


def test_a_run_after_an_approval_replaces_it_and_keeps_the_key(out: Path) -> None:
    key = (out / "private/key").read_bytes()
    approve(out, WHY)
    (out / "share/mine.txt").write_text("mine")
    record = ran(out, overwrite=True)
    assert record.approval is None
    assert sorted(files(out / "share")) == ["mine.txt"]
    assert (out / "candidate/release.csv").exists()
    assert (out / "private/key").read_bytes() == key


@pytest.mark.parametrize("renames", range(9))
def test_a_kill_at_any_step_leaves_an_approval_that_the_next_completes(
    out: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    before = files(out)
    (out / "private/ledger.sqlite").write_text("costs")
    replace, done = os.replace, []

    def dies(source: Path, target: Path) -> None:
        if len(done) == renames:
            raise KeyboardInterrupt
        done.append(target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", dies)
    with suppress(KeyboardInterrupt):
        approve(out, WHY)
    monkeypatch.setattr(os, "replace", replace)
    record = approve(out, WHY)
    assert record.approval is not None
    assert record.approval.because == WHY
    after = files(out)
    assert set(after) == {name.replace("candidate/", "share/") for name in before} | {"private/ledger.sqlite"}
    assert after["share/release.csv"] == before["candidate/release.csv"]
    assert after["private/key"] == before["private/key"]
    assert not (out / UNFINISHED).exists()
    assert len(done) == renames  # positive control: each was stopped


@pytest.mark.slow
def test_a_killed_process_is_completed_by_the_next(out: Path) -> None:
    release = digest(out / "candidate/release.csv")
    command = [sys.executable, "-m", "withhold", "approve", str(out), "--because", WHY]
    for wait in (0.7, 1.4):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
        child.wait()
    approve(out, WHY)
    assert digest(out / "share/release.csv") == release
    assert not (out / "candidate").exists()


def test_the_printed_command_alone_approves_nothing(out: Path) -> None:
    with pytest.raises(InvalidParameterError, match="Write your own reason in place of WHY"):
        approve(out, " WHY ")
    assert (out / "candidate").is_dir()
    assert not (out / "share").exists()
