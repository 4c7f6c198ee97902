"""What the readers of texts, dates, keys and subjects cost: the code before them and the code as it is, side by side.

    PYTHONPATH=FOLDER/src WITHHOLD_COMMIT=HASH python benchmarks/audit/cost_kinds.py --label before|now [--run K]

One process, one thread, processor seconds, quick. Two tables: visits of patients with all of that, and plain numbers,
which should hardly notice. Run both labels at the same time: a machine that others use slows both.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from clean_tables import WORDS  # noqa: E402
from ledger import Ledger  # noqa: E402
from material import correlated  # noqa: E402

from withhold.audit.run import audit_release  # noqa: E402

ENDS = ("", "s", "ing", "ed", "less", "ful", "ly", "er")


def visits() -> dict[str, Any]:
    """Two columns of text, a time, a key, a category, numbers; four visits of each patient, whose S is a coin."""
    rng, n = np.random.default_rng(0), 10_000
    words = np.array([f"{word}{end}" for word in WORDS for end in ENDS])
    who = rng.integers(0, n // 4, n)
    frame = pd.DataFrame(
        {
            "id": rng.permutation(9 * n)[:n],
            "note": [" ".join(rng.choice(words, rng.integers(8, 25))) for _ in range(n)],
            "reason": [" ".join(rng.choice(words, rng.integers(2, 6))) for _ in range(n)],
            "seen": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 1461 * 86_400, n), "s"),
            "city": rng.choice([f"c{i}" for i in range(40)], n),
            "age": rng.integers(18, 90, n),
            "pulse": np.round(rng.normal(75, 12, n)),
            "x": rng.normal(size=n),
        }
    )
    return {"release": frame, "sensitive_features": rng.integers(0, 2, int(who.max()) + 1)[who], "groups": who}


def numbers() -> dict[str, Any]:
    """64 columns of plain numbers."""
    made = correlated(50_000, 64, 0)
    return {"release": made.release, "sensitive_features": made.sensitive}


TABLES: dict[str, Callable[[], dict[str, Any]]] = {
    "50,000 x 64 plain numbers": numbers,
    "10,000 visits: two texts, a time, a key, subjects": visits,
}


def measure(made: Callable[[], dict[str, Any]]) -> dict:
    """Audit one table; return what it cost by the messages that begin a stage."""
    stages: dict[str, float] = {}
    now = ["reading", time.process_time()]

    def tell(message: str) -> None:
        stages[str(now[0])] = round(time.process_time() - float(now[1]), 2)
        now[:] = [message.partition(":")[0][:40], time.process_time()]

    torch.set_num_threads(1)
    given = made()
    start = now[1] = time.process_time()
    record = audit_release(**given, budget=0.05, effort="quick", progress=tell)
    tell("end")
    (found,) = record.sensitive.values()
    return {
        "audit_cpu_seconds": round(time.process_time() - float(start), 1),
        "stages": stages,
        "verdict": record.verdict,
        "recovery": found.recovery,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--label", default="now")
    parser.add_argument("--run", type=int, default=1)
    parser.add_argument("--table", default="", help="part of the name of a table")
    given = parser.parse_args()
    ledger = Ledger("audit_cost_kinds")
    for name, made in TABLES.items():
        if given.table in name:
            ledger.measure(f"{given.label} / {name} / {given.run}", lambda made=made: measure(made))


if __name__ == "__main__":
    main()
