"""Our fidelity beside sdmetrics' QualityReport on the same releases: scores, and the largest difference of any part.

    python benchmarks/fidelity/agreement.py FOLDER --sdmetrics PYTHON

FOLDER holds what `make.py` wrote; PYTHON is the interpreter of an environment with sdmetrics. Resumable;
results/fidelity_agreement.json; exits 1 where a score differs by more than .002.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

from withhold.audit.fidelity.fidelity import measure_fidelity
from withhold.audit.fidelity.marginals import LEVEL, MOVED, measure_column
from withhold.audit.fidelity.matched import Matched, shared_columns
from withhold.audit.fidelity.pairs import Paired, compare_pair

SCORES = ("column_shapes", "pair_trends", "all_pair_trends")
MOST = 0.002
SEED = 0  # of make.py, fit and noise


def theirs(python: Path, before: Path, after: Path, kinds: dict[str, str]) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(kinds, file)
        file.flush()
        script = Path(__file__).with_name("sdmetrics_report.py")
        done = subprocess.run([python, script, before, after, file.name], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def level_moved(column: Matched) -> float:
    """Return by how much the share of a value that the original holds often moved, the most of all such values."""
    before, after = column.shares or (np.zeros(1), np.zeros(1))
    return float(np.abs(after - before)[before > LEVEL].max(initial=0.0))


def measure(folder: Path, name: str, python: Path) -> dict:
    paths = [folder / f"{name}.{side}.parquet" for side in ("before", "after")]
    before, after = (pq.read_table(path) for path in paths)
    start = time.process_time()
    ours = measure_fidelity(before, after)
    seconds = time.process_time() - start
    other = theirs(python, *paths, {column: found.kind for column, found in ours.columns.items()})
    columns = {one.name: one for one in shared_columns(before, after)[0]}
    scored = {
        frozenset(pair): compare_pair(*(Paired(columns[one]) for one in pair)).result.score
        for pair in combinations(columns, 2)
    }
    undefined = [[a, b] for a, b, score in other["pairs"] if (score is None) != (scored[frozenset((a, b))] is None)]
    pairs = [abs(score - scored[frozenset((a, b))]) for a, b, score in other["pairs"] if score is not None]
    shapes = [abs(1 - measure_column(column).distance - other["shapes"][name]) for name, column in columns.items()]
    return {
        "rows": before.num_rows,
        "columns": len(columns),
        "pairs": len(pairs),
        "ours": {score: getattr(ours, score) for score in SCORES},
        "sdmetrics": {score: round(other[score], 4) for score in SCORES},
        "largest_difference": max(abs(getattr(ours, score) - other[score]) for score in SCORES),
        "largest_difference_of_a_column": max(shapes),
        "largest_difference_of_a_pair": max(pairs),
        "pairs_that_one_leaves_out": undefined,
        "usable": ours.usable,
        "level_moved": round(max(map(level_moved, columns.values())), 4),
        "moved": {
            column: [found.moved, *found.issues]
            for column, found in ours.columns.items()
            if (found.moved or 0.0) > MOVED
        },
        "ours_seconds": round(seconds, 2),
        "versions": {key: other[key] for key in ("sdmetrics", "pandas")},
        "seed": SEED,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sdmetrics", type=Path, required=True)
    asked = parser.parse_args()
    ledger = Ledger("fidelity_agreement")
    names = sorted(path.name.removesuffix(".before.parquet") for path in asked.folder.glob("*.before.parquet"))
    found = {
        name: ledger.measure(name, lambda name=name: measure(asked.folder, name, asked.sdmetrics)) for name in names
    }
    apart = [name for name, one in found.items() if one["largest_difference"] > MOST]
    sys.exit(f"sdmetrics differs by more than {MOST} on {', '.join(apart)}" if apart else 0)


if __name__ == "__main__":
    main()
