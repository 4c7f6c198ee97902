"""Tests of the output folder: whole results or none, and earlier ones intact."""

import json
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.workflow.folder import LOCK, MANIFEST, MARK, MARKER, UNFINISHED, OutputFolder, refuse_same


def fill(folder: OutputFolder, word: str, *more: str) -> None:
    """Write what a run would: files, and in each room a list of them."""
    for room, names in (("private", ("key", "splits.csv", *more)), ("share", ("release.csv", "report.html"))):
        for name in names:
            (folder.staging / room / name).write_text(word)
        manifest = {"files": {name: f"{room}/{name}" for name in names}, "schema_version": 1, "method": word}
        (folder.staging / room / MANIFEST).write_text(json.dumps(manifest))


def finished(path: Path, word: str, *more: str) -> None:
    with OutputFolder(path, overwrite=True) as folder:
        fill(folder, word, *more)
        folder.publish()


def names(path: Path) -> list[str]:
    return sorted(entry.relative_to(path).as_posix() for entry in path.rglob("*") if not entry.is_dir())


WHOLE = [MARKER, LOCK, "private/key", "private/manifest.json", "private/splits.csv",
         "share/manifest.json", "share/release.csv", "share/report.html"]  # fmt: skip


def test_nothing_is_there_before_publication(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        assert (tmp_path / "out" / MARKER).read_text() == MARK  # before any data
        fill(folder, "new")
        assert {entry.name for entry in (tmp_path / "out").iterdir()} == {UNFINISHED, MARKER, LOCK}
        assert not folder.whole
        folder.publish()
        assert folder.whole
    assert names(tmp_path / "out") == WHOLE


def test_private_is_private(tmp_path: Path) -> None:
    finished(tmp_path / "out", "new")
    assert stat.S_IMODE((tmp_path / "out" / "private").stat().st_mode) == 0o700


def test_results_are_never_replaced_unasked(tmp_path: Path) -> None:
    finished(tmp_path / "out", "old")
    with pytest.raises(InvalidParameterError, match="--overwrite"):
        OutputFolder(tmp_path / "out")
    assert (tmp_path / "out" / "share" / "release.csv").read_text() == "old"


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_private_files_are_their_owners_under_any_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        finished(tmp_path / "out", "new")
        finished(tmp_path / "out", "newer")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out/private").iterdir()}
    assert modes == {0o600}


def test_overwriting_keeps_the_old_until_the_end_and_foreign_files_always(tmp_path: Path) -> None:
    out = tmp_path / "out"
    finished(out, "old", "samples.html")
    foreign = [
        out / "notes.txt",
        out / "share/applications/mine.desktop",
        out / "private/thesis.txt",
        out / "share/a.md",
    ]
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    with OutputFolder(out, overwrite=True) as folder:
        fill(folder, "new")
        assert (out / "share" / "release.csv").read_text() == "old"
        folder.publish()
    assert (out / "share" / "release.csv").read_text() == "new"
    assert (out / "private" / "key").read_text() == "new"
    assert [path.read_text() for path in foreign] == ["mine"] * 4
    assert names(out) == sorted([*WHOLE, *(path.relative_to(out).as_posix() for path in foreign)])


@pytest.mark.parametrize("options", [{}, {"overwrite": True}, {"resume": True}], ids=["plain", "overwrite", "resume"])
@pytest.mark.parametrize("held", ["share/applications/mine.desktop", "private/thesis.txt", "bin/tool",
                                  "share/manifest.json", ".unfinished/request.json"])  # fmt: skip
def test_a_folder_that_withhold_did_not_make_is_refused_and_left_as_it_was(
    tmp_path: Path, held: str, options: dict[str, bool]
) -> None:
    (tmp_path / held).parent.mkdir(parents=True)
    (tmp_path / held).write_text('{"name": "somebody else\'s"}')
    with pytest.raises(InvalidParameterError, match=r"nothing says that withhold made it\. Name a new or empty folder"):
        OutputFolder(tmp_path, **options)
    assert names(tmp_path) == [held]


def test_a_foreign_file_in_the_way_stops_publication_and_loses_nothing(tmp_path: Path) -> None:
    finished(tmp_path, "old")
    (tmp_path / "private/samples.html").write_text("mine")
    with OutputFolder(tmp_path, overwrite=True) as folder:
        fill(folder, "new", "samples.html")
        with pytest.raises(
            FileError, match=r"samples\.html was not written by withhold.*move samples\.html away.*--res"
        ):
            folder.publish()
    assert (tmp_path / "private/samples.html").read_text() == "mine"
    assert (tmp_path / "share/release.csv").read_text() == "old"
    (tmp_path / "private/samples.html").rename(tmp_path / "mine.html")
    OutputFolder(tmp_path, resume=True).close()
    assert (tmp_path / "share/release.csv").read_text() == (tmp_path / "private/samples.html").read_text() == "new"


def test_of_a_folder_of_images_only_images_are_replaced(tmp_path: Path) -> None:
    for word in ("old", "new"):
        with OutputFolder(tmp_path, overwrite=True) as folder:
            fill(folder, word)
            images = folder.share / "release"
            images.mkdir()
            for number in range(3 if word == "old" else 2):
                (images / f"{number:06d}.png").write_text(word)
            manifest = json.loads((folder.share / MANIFEST).read_text())
            manifest["files"]["release"] = "share/release"
            (folder.share / MANIFEST).write_text(json.dumps(manifest))
            (tmp_path / "share/release/notes.txt").write_text("mine") if word == "new" else None
            if word == "old":
                folder.publish()
                continue
            with pytest.raises(FileError, match=r"notes\.txt was not written by withhold"):
                folder.publish()
    (tmp_path / "share/release/notes.txt").unlink()
    OutputFolder(tmp_path, resume=True).close()
    assert sorted(path.name for path in (tmp_path / "share/release").iterdir()) == ["000000.png", "000001.png"]


def test_what_the_version_before_wrote_is_recognised(tmp_path: Path) -> None:
    """It had no marker, and one manifest for both rooms."""
    finished(tmp_path, "old")
    listed = {name: f"{room}/{name}" for room, name in (("private", "splits.csv"), ("share", "release.csv"))}
    (tmp_path / "share" / MANIFEST).write_text(json.dumps({"files": listed, "schema_version": 1, "method": "old"}))
    for name in (MARKER, LOCK, "private/manifest.json", "share/report.html"):
        (tmp_path / name).unlink()
    with pytest.raises(InvalidParameterError, match=r"earlier results \(private, share\)"):
        OutputFolder(tmp_path)
    finished(tmp_path, "new")
    assert names(tmp_path) == WHOLE
    interrupted = tmp_path / "interrupted"
    (interrupted / UNFINISHED / "private").mkdir(parents=True)
    (interrupted / UNFINISHED / "request.json").write_text('{"sensitive": ["s"], "version": "0.1.0"}')
    with OutputFolder(interrupted, resume=True) as folder:
        assert folder.recall("request.json") is not None
    (interrupted / UNFINISHED / "old/share").mkdir(parents=True)
    with pytest.raises(FileError, match=r"killed while it replaced.*move share and private from there"):
        OutputFolder(interrupted, overwrite=True)


@pytest.mark.parametrize("link", [UNFINISHED, "share", "private", MARKER, LOCK, f"{UNFINISHED}/private"])
def test_a_link_in_the_place_of_a_work_folder_is_refused(tmp_path: Path, link: str) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    finished(out, "old")
    (out / UNFINISHED).mkdir()
    target = out / link
    target.rename(tmp_path / "aside") if target.exists() else None
    target.symlink_to(elsewhere)
    with pytest.raises(FileError, match=r"is a symbolic link.*Remove it, or name another folder"):
        OutputFolder(out, overwrite=True)
    assert list(elsewhere.iterdir()) == []


def test_what_killed_commands_left_in_the_rooms_is_removed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    finished(out, "old")
    left = [out / room / f".withhold-tmp-{'0' * 16}.parquet" for room in ("private", "share")]
    for path in left:
        path.touch()
    OutputFolder(out, overwrite=True).close()
    assert not [path for path in left if path.exists()]


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        fill(folder, "first")
        for options in ({}, {"overwrite": True}, {"resume": True}):
            with pytest.raises(FileError, match=r"Another run is writing into .*out\. Wait for it, or name another"):
                OutputFolder(tmp_path / "out", **options)
        folder.publish()
    assert (tmp_path / "out/share/release.csv").read_text() == "first"
    OutputFolder(tmp_path / "out", overwrite=True).close()


def test_notes_survive_for_resume_only(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        folder.remember("request.json", {"seed": 1})
    with OutputFolder(tmp_path / "out", resume=True) as folder:
        assert folder.recall("request.json") == {"seed": 1}
    with OutputFolder(tmp_path / "out", overwrite=True) as folder:
        assert folder.recall("request.json") is None


def test_a_torn_file_is_not_published(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        (folder.share / ".withhold-tmp-0123.csv").write_text("half")
    with OutputFolder(tmp_path / "out", resume=True) as folder:
        assert not list(folder.share.iterdir())


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(FileError, match=r"is a file\. Name a folder"):
        OutputFolder(tmp_path / "out", overwrite=True)


def test_discard_leaves_earlier_results(tmp_path: Path) -> None:
    finished(tmp_path / "out", "old")
    with OutputFolder(tmp_path / "out", overwrite=True) as folder:
        fill(folder, "new")
        folder.discard()
    assert names(tmp_path / "out") == WHOLE
    with OutputFolder(tmp_path / "fresh") as fresh:
        fresh.discard()
    assert not (tmp_path / "fresh").exists()


def test_what_is_in_the_way_is_named(tmp_path: Path) -> None:
    OutputFolder(tmp_path / "out").close()
    with pytest.raises(InvalidParameterError, match=r"only an interrupted run.*--resume to cont.*--overwrite to dis"):
        OutputFolder(tmp_path / "out")
    finished(tmp_path / "whole", "new")
    with pytest.raises(InvalidParameterError, match=r"holds earlier results \(private, share\)"):
        OutputFolder(tmp_path / "whole")


@pytest.mark.parametrize("renames", range(10))
def test_a_kill_in_publication_leaves_one_whole_result_and_the_ledger_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    finished(tmp_path, "earlier", "only before")
    ledger = {name: tmp_path / "private" / name for name in ("ledger.sqlite", "ledger.sqlite-journal", "ledger.key")}
    for name, path in ledger.items():
        path.write_text(name)
    replace, done = os.replace, []

    def dies(source: Path, target: Path) -> None:
        if len(done) == renames:
            raise KeyboardInterrupt  # which nobody answers: as a kill
        done.append(source)
        replace(source, target)

    with OutputFolder(tmp_path, overwrite=True) as folder:
        fill(folder, "new", "only now")
        monkeypatch.setattr(os, "replace", dies)
        with suppress(KeyboardInterrupt):
            folder.publish()
    monkeypatch.setattr(os, "replace", replace)
    OutputFolder(tmp_path, resume=True).close()
    # The first rename is that of the plan: with it all that is left to do is known.
    word, kept = ("new", "only now") if renames else ("earlier", "only before")
    assert {path.name for path in (tmp_path / "private").iterdir()} == {"key", "splits.csv", MANIFEST, kept, *ledger}
    assert (tmp_path / "private/key").read_text() == (tmp_path / "share/release.csv").read_text() == word
    assert {path.read_text() for path in ledger.values()} == set(ledger)
    assert set(done).isdisjoint(ledger.values())
    assert (len(done) == renames) == (renames < 9)  # positive control: all but the last were stopped


def test_a_folder_with_nothing_but_a_ledger_is_as_good_as_empty(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        (tmp_path / "out/private").mkdir()
        (tmp_path / "out/private/ledger.sqlite").write_text("costs")
        folder.discard()
    OutputFolder(tmp_path / "out").close()
    assert (tmp_path / "out/private/ledger.sqlite").read_text() == "costs"
    (tmp_path / "out/private/notes.txt").write_text("mine")
    with pytest.raises(InvalidParameterError, match="earlier results"):
        OutputFolder(tmp_path / "out")


@pytest.mark.parametrize("link", ["symbolic", "hard", "none", "roundabout"])
def test_an_output_is_no_file_that_is_read_whatever_its_name(tmp_path: Path, link: str) -> None:
    data, out = tmp_path / "t.csv", tmp_path / "o.csv"
    data.write_text("a")
    if link == "symbolic":
        out.symlink_to(data)
    elif link == "hard":
        out.hardlink_to(data)
    elif link == "roundabout":
        out = tmp_path / "x" / ".." / "t.csv"
        (tmp_path / "x").mkdir()
    else:
        refuse_same(out, {"the data": data, "the labels": None})
        out = data
    with pytest.raises(InvalidParameterError, match=r"is the data\. Name another file\."):
        refuse_same(out, {"the data": data})


@pytest.mark.parametrize("inside", ["new.parquet", "deep/results", "../parts/new", "link"])
def test_an_output_does_not_lie_in_a_folder_that_is_read(tmp_path: Path, inside: str) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    refuse_same(tmp_path / "parts2", {"the data": parts})
    out = parts / inside
    if inside == "link":
        out = tmp_path / "link"
        out.symlink_to(parts / "elsewhere")
    with pytest.raises(InvalidParameterError, match=r"lies in .*, which is the data .* Name a place outside\."):
        refuse_same(out, {"the data": parts})


def test_foreign_files_among_what_may_be_sent_are_named(tmp_path: Path) -> None:
    with OutputFolder(tmp_path) as folder:
        fill(folder, "new")
        folder.publish()
        assert folder.foreign() == []
        (tmp_path / "share/patients.xlsx").write_text("mine")
        (tmp_path / "share/old").mkdir()
        (tmp_path / "private/notes.txt").write_text("mine")
        assert folder.foreign() == ["share/old", "share/patients.xlsx"]
