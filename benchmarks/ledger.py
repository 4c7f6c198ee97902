"""Results that survive interruption: one JSON file per benchmark, one entry per measured case.

A case that is already in the file is not measured again, so a benchmark killed half-way resumes. Each entry carries
its CPU seconds, the commit and the machine it was measured on.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
ROOT = Path(__file__).parents[1]


def data_dir() -> Path:
    """Folder of the research data sets; ends the benchmark with a reason where it is absent."""
    folder = Path(os.environ.get("WITHHOLD_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "adult.parquet").exists():
        sys.exit(f"skipped: research data sets not found in {folder}; set WITHHOLD_DATA to their folder")
    return folder


def cpu_seconds() -> float:
    """CPU seconds of this process and its finished children."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def commit() -> str:
    """Short hash of the measured commit, with '+' when the tree had changes."""
    if "WITHHOLD_COMMIT" in os.environ:
        return os.environ["WITHHOLD_COMMIT"]
    run = lambda *a: subprocess.run(["git", *a], cwd=ROOT, capture_output=True, text=True).stdout.strip()  # noqa: E731
    return run("rev-parse", "--short", "HEAD") + ("+" if run("status", "--porcelain", "--", "src") else "")


def machine() -> str:
    """Processor model, number of cores and versions that matter."""
    import numpy
    import sklearn
    import torch

    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":")[1].strip() if lines else model
    versions = f"torch {torch.__version__}, numpy {numpy.__version__}, scikit-learn {sklearn.__version__}"
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


class Ledger:
    """Measured cases of one benchmark, kept in `results/NAME.json` (or a folder given by WITHHOLD_RESULTS)."""

    def __init__(self, name: str) -> None:
        self.path = Path(os.environ.get("WITHHOLD_RESULTS", RESULTS)) / f"{name}.json"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.cases: dict[str, dict] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def measure(self, key: str, work: Callable[[], dict]) -> dict:
        """Return the entry of `key`, running `work` only if it is missing."""
        if key in self.cases:
            return self.cases[key]
        start, wall = cpu_seconds(), time.perf_counter()
        values = work()
        return self.keep(key, values, cpu_seconds() - start, time.perf_counter() - wall)

    def keep(self, key: str, values: dict, cpu: float, wall: float) -> dict:
        """Store what was measured for `key`, here or in another process, and write the file."""
        self.cases[key] = {
            **values,
            "cpu_seconds": round(cpu, 2),
            "wall_seconds": round(wall, 2),
            "commit": commit(),
            "machine": machine(),
            "measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        }
        # Another process may have added cases meanwhile: merge, then replace the file whole.
        others = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.cases = others | self.cases
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.cases, indent=1, sort_keys=True) + "\n")
        os.replace(temporary, self.path)
        print(f"{key}: {json.dumps(values)}", file=sys.stderr, flush=True)
        return self.cases[key]
