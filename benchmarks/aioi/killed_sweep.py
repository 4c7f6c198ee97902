"""A sweep over six budgets on 50,000 digits, killed with SIGKILL and taken up again: is the result the same?

One process sweeps undisturbed; another with a checkpoint is killed within the game of its fourth budget and started
again with the same call. Compared are the filters' weights (digests), what they report and what they release.

    python benchmarks/aioi/killed_sweep.py
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import torch  # noqa: E402
from digits import fixed, load  # noqa: E402
from ledger import Ledger  # noqa: E402

from withhold.methods.aioi.aioi import AIOI  # noqa: E402

BUDGETS = (0.4, 0.3, 0.2, 0.15, 0.1, 0.05)
KILLED_AFTER, INTO = 3, 20.0  # budgets that are done; seconds into the next


def play(checkpoint: Path | None, found: Path) -> None:
    """Sweep, and write what the filters are."""
    torch.set_num_threads(1)
    parts = load()
    fit, shown = parts["fit"], parts["valid"].x[:2_000]
    method = AIOI(utility_model=fixed("digit"), random_state=0, noise_seed=0, checkpoint=checkpoint)
    filters = method.sweep(BUDGETS, fit.x, fit.digit, sensitive_features=fit.thick)
    rows = [
        {
            "budget": one.budget,
            "filter": one.digest_,
            "release": hashlib.blake2b(one.transform(shown).tobytes(), digest_size=16).hexdigest(),
            "reported": one.diagnostics_["leakage_lower_bound"],
        }
        for one in filters
    ]
    found.write_text(json.dumps(rows))


def start(checkpoint: str, found: Path) -> subprocess.Popen:
    """Start a sweep in a process of its own."""
    return subprocess.Popen([sys.executable, __file__, checkpoint, str(found)])


def compare() -> dict:
    """Run both sweeps side by side and compare them."""
    fixed("digit")  # trained once, before both ask for it
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checkpoint, results = folder / "game", [folder / "whole.json", folder / "resumed.json"]
        whole, killed = start("", results[0]), start(str(checkpoint), results[1])
        while not checkpoint.with_name(f"game.{KILLED_AFTER - 1}.done").exists():
            if killed.poll() is not None:
                whole.kill()
                sys.exit("the sweep ended before it could be killed")
            time.sleep(0.5)
        time.sleep(INTO)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        left = sorted(path.name for path in folder.glob("game*"))
        if start(str(checkpoint), results[1]).wait() or whole.wait():
            sys.exit("a sweep failed")
        one, other = (json.loads(path.read_text()) for path in results)
        return {"left_by_the_kill": left, "same": one == other, "whole": one, "resumed": other}


def main() -> None:
    """Measure what is missing."""
    if len(sys.argv) == 3:
        play(Path(sys.argv[1]) if sys.argv[1] else None, Path(sys.argv[2]))
    else:
        print(Ledger("aioi_killed_sweep").measure("six budgets, seed 0", compare)["same"])


if __name__ == "__main__":
    main()
