import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from withhold.contracts.errors import InvalidTypeError
from withhold.methods.aioi.aioi import AIOI

BUDGETS = [0.5, 0.3, 0.1]

# The fortieth round of a game of AIOI is in the second of three games of twenty-four rounds, after its checkpoint.
PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[2])
from test_sweeps import go
from withhold.training.game import Game
played, seen = Game._play_round, []
def slow(self):
    played(self)
    seen.append(self.label)
    if seen.count("Training AIOI") == 40:
        print("second budget", flush=True)
        time.sleep(60)
Game._play_round = slow
go(sys.argv[1])
"""


def go(checkpoint):
    """Sweep three budgets on tiny images."""
    rng = np.random.default_rng(0)
    S, U = rng.integers(2, size=(2, 90))
    X = rng.integers(0, 100, size=(90, 8, 8), dtype=np.uint8)
    X[S == 1, 2:4, 2:4] = 255
    X[U == 1, 5:7, 5:7] = 255
    method = AIOI(rounds=24, hidden=4, random_state=0, noise_seed=0, checkpoint=checkpoint)
    return method.sweep(BUDGETS, X, U, sensitive_features=S), X


@pytest.mark.full  # interrupted within the process in `test_aioi`, and another fit is killed, for every change
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_killed_sweep_continues_with_the_same_result(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "game"), os.path.dirname(__file__)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "second budget\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert sorted(os.listdir(tmp_path)) == ["game.0.done", "game.1"]
    resumed, X = go(tmp_path / "game")
    whole, _ = go(None)
    assert [one.budget for one in resumed] == BUDGETS
    for one, other in zip(resumed, whole, strict=True):
        assert one.digest_ == other.digest_
        assert np.array_equal(one.transform(X), other.transform(X))
        assert one.diagnostics_ == other.diagnostics_
    assert len({one.digest_ for one in whole}) == len(BUDGETS)
    assert os.listdir(tmp_path) == []


def test_one_budget_is_no_sequence():
    with pytest.raises(InvalidTypeError, match=r"several numbers"):
        AIOI().sweep(0.1, np.eye(4), np.arange(4))
