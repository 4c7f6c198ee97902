"""AIOI on digits: the digit stays readable by a fixed network, the thickness of the stroke is hidden.

The table of `digits.py` for filters of two budgets, three seeds each; the second budget goes on from the filter of the
first. The test images are used once for each row; `--settle` measures on the part for choosing settings instead, and
keeps nothing.

    python benchmarks/aioi/mnist.py                 what is missing in results/aioi_mnist.json
    python benchmarks/aioi/mnist.py --seeds 1       the first seed only
    python benchmarks/aioi/mnist.py --table         the table of what is there
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from digits import fixed, judge, load, reading

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from ledger import Ledger, cpu_seconds

from withhold.methods.aioi.aioi import AIOI

BUDGETS = (0.2, 0.05)


def filters(seed: int) -> Iterator[tuple[float, AIOI, float]]:
    """Yield each budget with its filter, which goes on from the one before, and the CPU seconds it took."""
    fit = load()["fit"]
    folder = Path(tempfile.gettempdir()) / "withhold-benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    method = AIOI(utility_model=fixed("digit"), random_state=seed, noise_seed=seed, warm_start=True)
    for budget in BUDGETS:
        method.set_params(budget=budget, checkpoint=folder / f"aioi-mnist-{budget:g}-{seed}")
        start = cpu_seconds()
        method.fit(fit.x, fit.digit, sensitive_features=fit.thick)
        yield budget, method, cpu_seconds() - start


def row(method: AIOI, seed: int, part: str) -> dict:
    """Return the row of a filter, with its own readings."""
    found = judge(lambda x, name: method.transform(x), seed, part)
    raw = digit_accuracy(part)
    return {
        **found,
        "drop": round(raw - found["fixed_digit"]["accuracy"], 4),
        "own": {name: round(value, 4) for name, value in method.diagnostics_.items() if "leakage" in name},
    }


def digit_accuracy(part: str) -> float:
    """Accuracy of the fixed digit network on original images."""
    own = load()[part]
    return reading(fixed("digit"), own.x, own.digit)["accuracy"]


def table(cases: dict) -> str:
    """Return the rows in the form of the paper's Table 1."""
    heads = ["budget, seed", "fixed S conf / acc", "re-trained S conf / acc", "fixed digit conf / acc", "drop"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for key, case in sorted(cases.items(), reverse=True):
        found = [case[who] for who in ("fixed_thick", "adversarial", "fixed_digit")]
        cells = [f"{one['confidence']:.2f} / {one['accuracy']:.1%}" for one in found]
        lines.append(f"| {key} | {' | '.join(cells)} | {case['drop']:.1%} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--settle", action="store_true", help="on the part for choosing settings; nothing is kept")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    ledger = Ledger("aioi_mnist")
    if given.table:
        print(table(ledger.cases))
        return
    for seed in range(given.seeds):
        keys = {budget: f"{budget:g}, seed {seed}" for budget in BUDGETS}
        if not given.settle and all(key in ledger.cases for key in keys.values()):
            continue
        for budget, method, seconds in filters(seed):
            if given.settle:
                print(keys[budget], row(method, seed, "valid"), seconds)
            else:
                ledger.measure(keys[budget], partial(measured, method, seed, seconds))


def measured(method: AIOI, seed: int, seconds: float) -> dict:
    """Return the row on the test images."""
    return {**row(method, seed, "test"), "training_cpu_seconds": round(seconds, 1)}


if __name__ == "__main__":
    main()
