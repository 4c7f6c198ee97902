"""xor2 and xor3 with a method that is chosen: what does the best attacker reach?

    python benchmarks/peers/chosen.py [--problem xor2 ...] [--seed 7]

`withhold.choose` is given the fitted half of the rows, U, and as budget what an attacker who is right so often at most
learns; it names method and settings. All rows are released and attacked as in compare.py. S is the parity of signs of
two or three latent numbers, so that no reader of single columns, and no linear one, sees it.

Every problem is an entry of ../results/peers_chosen.json.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from judge import read
from ledger import Ledger
from problems import PROBLEMS

from withhold import choose

# Balanced accuracy that is allowed, of two equally common classes.
ALLOWED = {"xor2": 0.56, "xor3": 0.60}


def nats(accuracy: float) -> float:
    """Return what an attacker learns who is right so often about a coin: log 2 less the entropy of his mistakes."""
    shares = np.array([accuracy, 1 - accuracy])
    return float(np.log(2) + (shares * np.log(shares)).sum())


def case(name: str, seed: int) -> dict:
    """Choose on the fitted half, release all rows, attack them."""
    problem = PROBLEMS[name](seed)
    X, fit = problem.table.to_numpy(), problem.fit
    started = time.process_time()
    found = choose(
        X[fit], problem.u[fit], sensitive_features=problem.s[fit], budget=nats(ALLOWED[name]), random_state=seed,
        effort="quick", drop_utility=True, log=lambda text: print(text, file=sys.stderr, flush=True),
    )  # fmt: skip
    seconds = time.process_time() - started
    told = read(found.sanitizer.transform(X), problem, seed)
    chosen = {"method": found.record.method, "settings": list(found.record.settings), "reason": found.reason}
    trials = [[str(one), one.most, one.kept, round(one.seconds)] for one in found.record.trials]
    return told | chosen | {"allowed": ALLOWED[name], "choice_cpu_seconds": round(seconds), "trials": trials}


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", nargs="*", choices=list(ALLOWED), default=list(ALLOWED))
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    ledger = Ledger("peers_chosen")
    for name in options.problem:
        one = ledger.measure(f"{name} / {options.seed}", lambda name=name: case(name, options.seed))
        reached = f"{one['balanced_accuracy']:.3f} by {one['best_attacker']}"
        print(f"{name}: {reached}, allowed {one['allowed']}: {one['method']} {' '.join(one['settings'])}")


if __name__ == "__main__":
    main()
