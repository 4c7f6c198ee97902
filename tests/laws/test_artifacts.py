"""No artifact, whoever made it, makes its reader do more than read it: it loads and works, or is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("forged_artifacts.py")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory of a process is limited by Linux alone")
def test_forged_artifacts_of_every_method_are_refused_or_work_in_little_memory():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "40", "0"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert "fold" in found["absent"]  # keys that a reader asks for and the file does not have are forged too
    # Positive control: most changes are noticed, and some, such as of a diagnosis, change nothing.
    assert found["counts"]["refused"] > found["counts"]["loaded"] > 100
