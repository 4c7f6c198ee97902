"""What shares and pairs of 5,000 hospital stays can come to: of themselves once rare codes are pooled, and of others.

    python benchmarks/fidelity/ceiling.py [--seed 0]

Whoever draws well but knows nothing of a row gives other stays; whoever knows every cell of it gives the stays
themselves. Resumable; results/fidelity_ceiling.json.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger
from make import hospital

from withhold.audit.fidelity.fidelity import measure_fidelity
from withhold.data.codec import TableCodec

ROWS = 5_000


def measure(name: str, seed: int) -> dict:
    """Compare the stays of `make.py` with themselves or others, as they are or as a table of ours could hold them."""
    case, twice = hospital(seed, ROWS), hospital(seed, 2 * ROWS)
    before = case.table.drop_columns([case.sensitive])
    after = (twice.table.slice(ROWS) if name.startswith("others") else case.table).select(before.column_names)
    if name.endswith("pooled"):
        features = before.drop_columns([case.utility])
        fitted = features.filter(pa.array(case.fit))
        codec = TableCodec.fit(fitted)
        cells = codec.cells(after)
        uniform = np.random.default_rng(seed).random(cells.shape)
        made = codec.from_pieces(cells, uniform, codec.pieces(fitted))
        after = made.append_column(case.utility, after.column(case.utility))
    found = measure_fidelity(before, after)
    return {
        "column_shapes": found.column_shapes,
        "pair_trends": found.pair_trends,
        "usable": [found.usable, found.compared],
        "seed": seed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    ledger = Ledger("fidelity_ceiling")
    for name in ("the stays themselves, rare codes pooled", "others", "others, rare codes pooled"):
        ledger.measure(f"{name} / {seed}", lambda name=name: measure(name, seed))


if __name__ == "__main__":
    main()
