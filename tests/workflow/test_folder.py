"""Tests of the output folder: whole results or none, and earlier ones intact."""

import os
import stat
from pathlib import Path

import pytest

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.workflow.folder import MANIFEST, UNFINISHED, OutputFolder


def fill(folder: OutputFolder, word: str) -> None:
    (folder.private / "key").write_text(word)
    (folder.share / "release.csv").write_text(word)
    (folder.share / MANIFEST).write_text(word)


def finished(path: Path, word: str) -> OutputFolder:
    folder = OutputFolder(path)
    fill(folder, word)
    folder.publish()
    return folder


def test_nothing_is_there_before_publication(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path / "out")
    fill(folder, "new")
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == [UNFINISHED]
    assert not folder.whole
    folder.publish()
    assert sorted(entry.name for entry in (tmp_path / "out").iterdir()) == ["private", "share"]
    assert folder.whole


def test_private_is_private(tmp_path: Path) -> None:
    finished(tmp_path / "out", "new")
    assert stat.S_IMODE((tmp_path / "out" / "private").stat().st_mode) == 0o700


def test_results_are_never_replaced_unasked(tmp_path: Path) -> None:
    finished(tmp_path / "out", "old")
    with pytest.raises(InvalidParameterError, match="--overwrite"):
        OutputFolder(tmp_path / "out")
    assert (tmp_path / "out" / "share" / "release.csv").read_text() == "old"


def test_overwriting_keeps_the_old_until_the_end_and_foreign_files_always(tmp_path: Path) -> None:
    finished(tmp_path / "out", "old")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    folder = OutputFolder(tmp_path / "out", overwrite=True)
    fill(folder, "new")
    assert (tmp_path / "out" / "share" / "release.csv").read_text() == "old"
    folder.publish()
    assert (tmp_path / "out" / "share" / "release.csv").read_text() == "new"
    assert (tmp_path / "out" / "private" / "key").read_text() == "new"
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "out" / UNFINISHED).exists()


@pytest.mark.parametrize("moved", [["share"], ["share", "private"]])
def test_a_kill_during_publication_gives_the_old_results_back(tmp_path: Path, moved: list[str]) -> None:
    out = tmp_path / "out"
    finished(out, "old")
    folder = OutputFolder(out, overwrite=True)
    fill(folder, "new")
    old = folder.staging / "old"
    old.mkdir()
    for room in moved:
        (out / room).rename(old / room)
    if "private" in moved:
        folder.private.rename(out / "private")
    assert not folder.whole
    OutputFolder(out, resume=True)
    assert (out / "share" / "release.csv").read_text() == "old"
    assert (out / "private" / "key").read_text() == "old"


def test_notes_survive_for_resume_only(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path / "out")
    folder.remember("request.json", {"seed": 1})
    assert OutputFolder(tmp_path / "out", resume=True).recall("request.json") == {"seed": 1}
    assert OutputFolder(tmp_path / "out", overwrite=True).recall("request.json") is None


def test_a_torn_file_is_not_published(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path / "out")
    (folder.share / ".withhold-tmp-0123.csv").write_text("half")
    assert not list(OutputFolder(tmp_path / "out", resume=True).share.iterdir())


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(FileError, match="a folder"):
        OutputFolder(tmp_path / "out", overwrite=True)


def test_discard_leaves_earlier_results(tmp_path: Path) -> None:
    finished(tmp_path / "out", "old")
    folder = OutputFolder(tmp_path / "out", overwrite=True)
    fill(folder, "new")
    folder.discard()
    assert (tmp_path / "out" / "share" / "release.csv").read_text() == "old"
    fresh = OutputFolder(tmp_path / "fresh")
    fresh.discard()
    assert not (tmp_path / "fresh").exists()


def test_what_is_in_the_way_is_named(tmp_path: Path) -> None:
    OutputFolder(tmp_path / "out")
    with pytest.raises(InvalidParameterError, match=r"only an interrupted run.*--resume to cont.*--overwrite to dis"):
        OutputFolder(tmp_path / "out")
    finished(tmp_path / "whole", "new")
    with pytest.raises(InvalidParameterError, match="which holds private, share"):
        OutputFolder(tmp_path / "whole")


KILLED_AFTER = range(12)


@pytest.mark.parametrize("renames", KILLED_AFTER)
def test_a_ledger_stays_where_it_is_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    finished(tmp_path, "earlier")
    ledger = {name: tmp_path / "private" / name for name in ("ledger.sqlite", "ledger.sqlite-journal", "ledger.key")}
    for name, path in ledger.items():
        path.write_text(name)
    (tmp_path / "private/only before").write_text("earlier")
    folder = OutputFolder(tmp_path, overwrite=True)
    fill(folder, "new")
    (folder.private / "only now").write_text("new")
    replace, done = os.replace, []

    def dies(source: Path, target: Path) -> None:
        if len(done) == renames:
            raise KeyboardInterrupt  # which nobody answers: as a kill
        done.append(source)
        replace(source, target)

    monkeypatch.setattr(os, "replace", dies)
    try:
        folder.publish()
    except KeyboardInterrupt:
        monkeypatch.setattr(os, "replace", replace)
        assert {path.read_text() for path in ledger.values()} == set(ledger)
        folder = OutputFolder(tmp_path, resume=True)
        word, other = ("new", "before") if folder.whole and len(done) > 5 else ("earlier", "now")
    else:
        word, other = "new", "before"
    names = {path.name for path in (tmp_path / "private").iterdir()}
    assert names == {"key", "only now" if word == "new" else "only before", *ledger}
    assert (tmp_path / "private/key").read_text() == (tmp_path / "share/release.csv").read_text() == word
    assert f"only {other}" not in names
    assert {path.read_text() for path in ledger.values()} == set(ledger)
    assert set(done).isdisjoint(ledger.values())


def test_a_folder_with_nothing_but_a_ledger_is_as_good_as_empty(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private/ledger.sqlite").write_text("costs")
    folder = OutputFolder(tmp_path)
    folder.discard()
    assert (tmp_path / "private/ledger.sqlite").read_text() == "costs"
    (tmp_path / "private/notes.txt").write_text("mine")
    with pytest.raises(InvalidParameterError, match="new or empty"):
        OutputFolder(tmp_path)
