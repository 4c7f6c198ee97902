import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from withhold.contracts.errors import FileError
from withhold.io.atomic import TEMPORARY_PREFIX, atomic_path, sweep, write_bytes, write_text
from withhold.privacy.ledger import LedgerKey
from withhold.privacy.noise_key import NoiseKey

needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and permissions of POSIX")


def leftovers(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(TEMPORARY_PREFIX)]


def test_the_new_content_replaces_the_old(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    write_text(target, "néw")
    assert target.read_bytes() == "néw".encode()
    assert os.listdir(tmp_path) == ["a.txt"]


def test_until_the_block_ends_the_old_content_is_read(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".txt"
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_old_content_and_no_litter(tmp_path, error):
    target = tmp_path / "a.txt"
    target.write_text("old")

    def write_and_fail():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        write_and_fail()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileError, match=r"^Cannot write '.*': there is no folder '.*absent'\. .* Create the folder"):
        write_text(tmp_path / "absent" / "a.txt", "x")


def test_a_directory_is_not_replaced(tmp_path):
    with pytest.raises(FileError, match="a directory of that name"):
        write_text(tmp_path, "x")


@needs_posix
def test_a_ledger_and_keys_are_never_replaced(tmp_path):
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as ledger:
        ledger.execute("CREATE TABLE a (b)")
    NoiseKey.generate().save(tmp_path / "key")
    LedgerKey.generate().save(tmp_path / "ledger.key")
    (tmp_path / "link.html").symlink_to(tmp_path / "ledger.sqlite")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for name in ("ledger.sqlite", "key", "ledger.key", "link.html", "ledger.sqlite-journal", "ledger.sqlite-wal"):
        with pytest.raises(FileError, match=r"no output may replace|belongs to the database"):
            write_text(tmp_path / name, "page")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    write_text(tmp_path / "notes-journal", "mine")  # beside no database it is a name like any other


def test_permissions_given_kept_and_usual(tmp_path):
    write_bytes(tmp_path / "secret", b"x", mode=0o600)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    write_bytes(tmp_path / "secret", b"y")
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    with atomic_path(tmp_path / "secret") as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600  # at no moment can others read it
    (tmp_path / "secret").chmod(0o400)
    write_bytes(tmp_path / "secret", b"z")
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o400
    write_bytes(tmp_path / "open", b"y")
    (tmp_path / "reference").write_bytes(b"")
    assert (tmp_path / "open").stat().st_mode == (tmp_path / "reference").stat().st_mode


@needs_posix
def test_a_symbolic_link_is_followed(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@needs_posix
def test_full_disk_is_a_file_error_and_the_old_file_stays(tmp_path):
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    program = (
        "import sys; from withhold.io.atomic import write_bytes\n"
        "try: write_bytes(sys.argv[1], b'x' * 1_000_000)\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    limit = 100_000
    done = subprocess.run(
        [sys.executable, "-c", program, target],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.stdout.startswith("FileError Cannot write")
    assert "Free some space, or use another disk." in done.stdout
    assert target.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


@needs_posix
def test_kill_in_the_middle_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    program = (
        "import sys, time; from withhold.io.atomic import atomic_path\n"
        "with atomic_path(sys.argv[1]) as temporary:\n"
        "    temporary.write_bytes(b'half'); print('writing', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, target], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "writing\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert target.read_bytes() == b"old"
    assert len(leftovers(tmp_path)) == 2  # positive control: the child was in the middle of writing
    write_bytes(tmp_path / "another.bin", b"new")
    assert leftovers(tmp_path) == []  # the next command in the same folder cleans up


def test_the_lock_of_a_killed_command_is_swept_once_nobody_can_be_taking_it(tmp_path):
    lock, held_one = (tmp_path / f"{TEMPORARY_PREFIX}{digit * 16}.lock" for digit in "01")
    for path in (lock, held_one):
        path.touch()
    sweep(tmp_path)
    assert lock.exists()
    for path in (lock, held_one):
        os.utime(path, (0, 0))
    with FileLock(held_one):
        os.utime(held_one, (0, 0))
        sweep(tmp_path)
        assert held_one.exists()
    assert not lock.exists()


def test_what_a_living_command_writes_is_not_swept(tmp_path):
    with atomic_path(tmp_path / "a.bin") as temporary:
        temporary.write_bytes(b"half")
        temporary.with_name(f"{temporary.stem}-journal").touch()  # SQLite's own files have the same beginning
        write_bytes(tmp_path / "b.bin", b"meanwhile")
        assert temporary.read_bytes() == b"half"
        assert temporary.with_name(f"{temporary.stem}-journal").exists()
    assert (tmp_path / "a.bin").read_bytes() == b"half"
    sweep(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "b.bin"]


def test_folders_that_were_left_are_swept_too_and_what_links_point_at_is_not(tmp_path):
    (tmp_path / f"{TEMPORARY_PREFIX}0011223344556677" / "inside").mkdir(parents=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    (tmp_path / f"{TEMPORARY_PREFIX}8899aabbccddeeff").symlink_to(tmp_path / "mine")
    sweep(tmp_path)
    assert os.listdir(tmp_path) == ["mine"]
    assert os.listdir(tmp_path / "mine") == ["thesis.txt"]


def test_a_folder_that_is_missing_is_not_made(tmp_path):
    with pytest.raises(FileError, match="no folder"):
        write_bytes(tmp_path / "missing" / "a.bin", b"")
    assert not (tmp_path / "missing").exists()


def test_a_folder_that_takes_no_files_is_said_once(tmp_path, monkeypatch):
    def denied(self, **named):
        raise Timeout(self.lock_file)

    monkeypatch.setattr(FileLock, "acquire", denied)
    with pytest.raises(FileError) as said, atomic_path(tmp_path / "x.key"):
        pass
    assert str(said.value).startswith(f"Cannot write '{tmp_path / 'x.key'}': Permission denied. Earlier files are")
