"""What the readers of texts, dates, keys and subjects cost: visits of patients, 10,000 rows, quick.

    python benchmarks/audit/cost_kinds.py [--label LABEL]

One process, one thread, processor seconds. Run it with the code of two commits side by side (PYTHONPATH, a label each):
a machine that others use slows both.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from clean_tables import WORDS  # noqa: E402
from ledger import Ledger  # noqa: E402

from withhold.audit.run import audit_release  # noqa: E402

ROWS = 10_000
ENDS = ("", "s", "ing", "ed", "less", "ful", "ly", "er")


def visits(n: int) -> dict:
    """Two columns of text, a time, a key, a category, numbers; four visits of each patient, whose S is a coin."""
    rng = np.random.default_rng(0)
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


def measure() -> dict:
    """Audit the visits; return what it cost by the messages that begin a stage."""
    stages: dict[str, float] = {}
    now = ["reading", time.process_time()]

    def tell(message: str) -> None:
        stages[str(now[0])] = round(time.process_time() - float(now[1]), 2)
        now[:] = [message.split(" sensitive_features")[0], time.process_time()]

    torch.set_num_threads(1)
    given = visits(ROWS)
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
    label = parser.parse_args().label
    print(Ledger("audit_cost_kinds").measure(label, measure))


if __name__ == "__main__":
    main()
