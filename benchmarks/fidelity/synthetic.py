"""Synthetic tables by SDV, in an environment of its own: GaussianCopula and CTGAN with their defaults.

    SDV/bin/python benchmarks/fidelity/synthetic.py BEFORE.parquet FOLDER CASE

BEFORE holds the rows learned from, without the sensitive attribute; FOLDER gets CASE.NAME.parquet, as many new rows.
"""

import sys
import time
import warnings
from pathlib import Path

import pandas as pd

warnings.simplefilter("ignore")

from sdv.metadata import Metadata  # noqa: E402
from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer  # noqa: E402

SYNTHESIZERS = {"GaussianCopula (SDV)": GaussianCopulaSynthesizer, "CTGAN (SDV)": CTGANSynthesizer}


def main() -> None:
    before, folder, case = pd.read_parquet(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    metadata = Metadata.detect_from_dataframes({case: before})
    for name, kind in SYNTHESIZERS.items():
        path = folder / f"{case}.{name}.parquet"
        if path.exists():
            continue
        start = time.process_time()
        made = kind(metadata)
        made.fit({case: before})
        drawn = made.sample(len(before))
        drawn = drawn[case] if isinstance(drawn, dict) else drawn
        drawn[list(before)].astype(before.dtypes.to_dict()).to_parquet(path, index=False)
        print(f"{name}: {time.process_time() - start:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
