"""Train on the release, test on originals: balanced accuracy by target column, beside training on originals.

    python benchmarks/fidelity/predicted.py FOLDER

FOLDER holds what `make.py` wrote. Resumable; results/fidelity_predicted.json.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

from withhold.audit.fidelity.fidelity import measure_fidelity

ROWS, SEED = 20_000, 0


def measure(folder: Path, name: str) -> dict:
    before, after = (pq.read_table(folder / f"{name}.{side}.parquet") for side in ("before", "after"))
    seconds = []
    for rows in (0, ROWS):
        start = time.process_time()
        found = measure_fidelity(before, after, np.random.default_rng(SEED), trained_rows=rows)
        seconds.append(round(time.process_time() - start, 2))
    scores = {column: one.prediction for column, one in found.columns.items() if one.prediction is not None}
    return {
        "rows": before.num_rows,
        "median_loss": found.prediction_loss,
        "columns": {column: [one.original, one.release] for column, one in scores.items()},
        "seconds_without_models": seconds[0],
        "seconds": seconds[1],
        "seed": SEED,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    ledger = Ledger("fidelity_predicted")
    for name in sorted(path.name.removesuffix(".before.parquet") for path in folder.glob("*.before.parquet")):
        ledger.measure(name, lambda name=name: measure(folder, name))


if __name__ == "__main__":
    main()
