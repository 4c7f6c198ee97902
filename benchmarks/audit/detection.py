"""How small a leak the panel still finds: known leaks planted in dense Gaussian releases.

    python benchmarks/audit/leakage/detection.py [--effort quick standard] [--width 16 64] [--seeds 3]

20,000 rows of correlated Gaussian columns that tell nothing about S, a fair coin. From .02 nat the planted size is
halved (or doubled) form by form until a form is not found: the limit of a form is the smallest size found, by the rule
of the audit (lower end above 0 and at least half of what was planted).
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

from withhold.audit.attackers.registry import choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.detection import Planter
from withhold.audit.leakage.parts import Judge
from withhold.audit.view.view import whiten
from withhold.data.attributes import read_attributes
from withhold.training.session import one_thread

ROWS, FIRST, SMALLEST, LARGEST = 20_000, 0.02, 0.001, 0.64


def planter(effort: str, width: int, seed: int) -> Planter:
    """A dense Gaussian release and a coin."""
    rng = np.random.default_rng([seed, width])
    X = rng.standard_normal((ROWS, width)) @ (np.eye(width) + 0.3 * rng.standard_normal((width, width)) / width**0.5)
    dense = X.astype(np.float32)
    knobs, everywhere = EFFORTS[effort], np.ones(ROWS, bool)
    fold = rng.permutation(ROWS) % knobs.folds
    design = Design(fold, None, tuple(range(knobs.folds)), everywhere, everywhere, knobs, seed)
    attribute = read_attributes(rng.integers(0, 2, ROWS))[0]
    judge = Judge(0.95, seed, None, {"audit": everywhere})
    return Planter(PlantedInputs(dense, whiten(dense), dense), attribute, choose_panel(), [], design, judge)


def measure(effort: str, width: int, seed: int) -> dict:
    """Search the limit of every form, and read each form once at .01 and at .03 nat."""
    one = planter(effort, width, seed)
    limits: dict[str, float | None] = {}
    read: dict[str, dict[str, float]] = {}
    with one_thread():
        for form in one.forms:
            size, limit = FIRST, None
            down = None
            while SMALLEST <= size <= LARGEST:
                found = one.look(form, size).detected
                down = found if down is None else down
                limit = size if found else limit
                if found != down or (found and not down):
                    break
                size = size / 2 if down else size * 2
            limits[form] = limit
            read[form] = {str(k): round(one.look(form, k).found.value, 4) for k in (0.01, 0.03)}
    known = [limit for limit in limits.values() if limit is not None]
    worst = max(known) if len(known) == len(limits) else None
    return {"limit": limits, "worst": worst, "read": read, "rows": ROWS, "seed": seed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--effort", nargs="+", choices=EFFORTS, default=["quick", "standard"])
    parser.add_argument("--width", nargs="+", type=int, default=[16, 64])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    ledger = Ledger("audit_detection")
    for effort in options.effort:
        for width in options.width:
            for seed in range(options.seeds):
                key = f"{effort} / {ROWS} x {width} / seed {seed}"
                ledger.measure(key, lambda e=effort, w=width, k=seed: measure(e, w, k))


if __name__ == "__main__":
    main()
