"""Streaming a 1M x 128 float32 Parquet file through a sanitiser on one core: rows a second and peak memory.

    python benchmarks/throughput/transform.py [--rows 1000000] [--case NAME ...]

Each case runs `withhold transform` as a user would, in a process of its own, with one thread.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

import withhold

WIDTH, FIT_ROWS = 128, 5_000
CASES = {
    "LEACE": lambda: withhold.LEACE(output="table"),
    "DeepMinMax, representation, keyed noise": lambda: withhold.DeepMinMax(
        output="representation", rounds=20, random_state=0
    ),
}


def table(rows: int, seed: int) -> pa.Table:
    """Correlated Gaussians whose first column depends on S."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(WIDTH, WIDTH)).astype(np.float32) / np.sqrt(WIDTH)
    x = rng.standard_normal((rows, WIDTH), np.float32) @ mix
    return pa.table({f"x{i}": x[:, i] for i in range(WIDTH)})


def measure(name: str, rows: int) -> dict:
    """Fit on 5,000 rows, then stream the file with the command line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with pq.ParquetWriter(path / "data.parquet", table(1, 0).schema) as writer:
            for part in range(0, rows, 50_000):
                writer.write_table(table(min(50_000, rows - part), 0 if part == 0 else part))
        X = table(FIT_ROWS, 0).to_pandas()
        s = (X["x0"] + np.random.default_rng(1).normal(size=FIT_ROWS) > 0).astype(int).to_numpy()
        CASES[name]().fit(X, sensitive_features=s).save(path / "sanitizer.withhold")
        command = [
            sys.executable,
            "-m",
            "withhold",
            "transform",
            "sanitizer.withhold",
            "data.parquet",
            "--out",
            "release.parquet",
            "--json",
        ]
        threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        start = time.perf_counter()
        with (path / "answer.json").open("w") as answer:
            child = subprocess.Popen(command, cwd=path, env={**os.environ, **threads}, stdout=answer)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        if status:
            sys.exit(f"{name}: transform ended with status {status}")
        cpu = usage.ru_utime + usage.ru_stime
        streaming = json.loads((path / "answer.json").read_text())["seconds"]
        released = pq.read_metadata(path / "release.parquet")
    return {
        "rows": released.num_rows,
        "columns": released.num_columns,
        "rows_per_second_of_streaming": round(rows / streaming),
        "rows_per_cpu_second": round(rows / cpu),
        "rows_per_wall_second": round(rows / wall),
        "peak_memory_mb": round(usage.ru_maxrss / 1024),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    ledger = Ledger("transform_throughput")
    for name in options.case or CASES:
        ledger.measure(f"{name} / {options.rows} rows", lambda n=name: measure(n, options.rows))


if __name__ == "__main__":
    main()
