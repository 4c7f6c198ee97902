"""Tests of the lock: one holder, and none that outlives its process."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from withhold.contracts.errors import FileError
from withhold.io.atomic import held, remove_lock

HOLD = (
    "import sys, time; from pathlib import Path; from withhold.io.atomic import held\n"
    "with held(Path(sys.argv[1]), 'busy'): print('held', flush=True); time.sleep(60)"
)


def test_another_process_is_refused_until_the_holder_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(FileError, match="Somebody is at work"), held(path, "Somebody is at work."):
            pass
        child.send_signal(signal.SIGKILL)
        child.wait()
    with held(path, "Somebody is at work."):
        pass


def test_an_error_inside_frees_it(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), held(tmp_path / "lock", "busy"):
        1 / 0  # noqa: B018
    with held(tmp_path / "lock", "busy"):
        remove_lock(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()
    remove_lock(tmp_path / "lock")  # what is not there needs no removing
