"""What an audit costs, stage by stage and attacker by attacker, and how well it foretold that.

    python benchmarks/audit/cost.py [--case NAME ...]

One process, one thread, processor seconds. A machine that others use gives each of them a slower core, so between
stages a fixed piece of work is timed: `slowdown` is how much longer it took than at its fastest in the same run.
"""

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger
from material import correlated

from withhold.audit import run as audit
from withhold.audit.duration import Sizes, estimate_seconds
from withhold.audit.effort import Effort


@dataclass(frozen=True)
class Case:
    """One audit."""

    effort: str
    rows: int
    columns: int
    original: bool = True
    utility: bool = True

    @property
    def name(self) -> str:
        given = [word for word, there in (("U", self.utility), ("original", self.original)) if there]
        return f"{self.effort} / {self.rows} x {self.columns} / {' and '.join(given) or 'release alone'}"


CASES = [
    *(Case(effort, 100, 5) for effort in ("quick", "standard")),
    *(Case(effort, 2_000, 10, given, given) for effort in ("quick", "standard") for given in (True, False)),
    *(Case("quick", 20_000, width, given, given) for width in (16, 64) for given in (True, False)),
    Case("quick", 50_000, 64),
    Case("quick", 50_000, 64, original=False),
    Case("quick", 50_000, 64, original=False, utility=False),
    Case("standard", 20_000, 16),
    Case("standard", 50_000, 64),
    Case("standard", 50_000, 64, original=False),
    Case("thorough", 100, 5),
    Case("thorough", 5_000, 16),
    Case("quick", 1_000_000, 16, original=False),
    Case("standard", 20_000, 64),
    Case("thorough", 20_000, 16),
    *(Case("quick", 300, 10_000, given, given) for given in (True, False)),
    *(Case("quick", 2_000, 1_000, given, given) for given in (True, False)),
    Case("quick", 2_000, 3_000),
    *(Case("quick", 200_000, 300, given, given) for given in (True, False)),
    Case("quick", 1_000_000, 20),
]
# What a message of the audit begins with, and the stage that begins there.
STAGES = {
    "predicting": "utility",
    "measuring what": "retention",
    "attacking": "attack",
    "planting": "plants",
    "controls": "controls",
    "looking for the": "linkage",
    "looking for what": "findings",
}


class Clock:
    """Times stages by the messages that begin them, and a fixed piece of work in between."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.product = torch.randn((512, 512), generator=generator)
        self.memory = np.zeros(4_000_000, np.float32)
        self.probes: list[float] = []
        self.stages: dict[str, float] = {}
        self.peaks: dict[str, int] = {}
        self.stage, self.since = "reading", time.process_time()

    def tell(self, message: str) -> None:
        """Begin the stage of `message`."""
        if message.startswith("attacking") and message.endswith("as well"):
            self.end("attack with U")
            return
        name = max((start for start in STAGES if message.startswith(start)), key=len, default="")
        self.end(STAGES.get(name, self.stage))

    def end(self, following: str = "") -> None:
        """End the stage that is under way."""
        self.stages[self.stage] = round(self.stages.get(self.stage, 0.0) + time.process_time() - self.since, 2)
        self.peaks[self.stage] = peak_memory()
        start = time.process_time()
        for _ in range(12):
            torch.mm(self.product, self.product)
            self.memory += 1.0
        self.probes.append(time.process_time() - start)
        self.stage, self.since = following, time.process_time()

    @property
    def probed(self) -> float:
        """Seconds spent on the fixed work, which are not the audit's."""
        return sum(self.probes)


def measure(case: Case) -> dict:
    """Run one audit and return where its time went."""
    made = correlated(case.rows, case.columns, 0)
    foretold: list[tuple[Sizes, float]] = []
    expected: list[float] = []
    real, real_bytes = audit.stages_of, audit.memory.announced_bytes

    def stages(sizes: Sizes, effort: Effort) -> list[tuple[str, float]]:
        foretold.append((sizes, estimate_seconds(sizes, effort)))
        return real(sizes, effort)

    def estimate_bytes(sizes: Sizes, effort: Effort) -> float:
        expected.append(real_bytes(sizes, effort))
        return expected[-1]

    audit.stages_of, audit.memory.announced_bytes = stages, estimate_bytes
    torch.set_num_threads(1)
    try:
        clock = Clock()
        record = audit.audit_release(
            made.release,
            sensitive_features=made.sensitive,
            utility=made.utility if case.utility else None,
            original=made.original if case.original else None,
            budget=0.05,
            effort=case.effort,
            progress=clock.tell,
        )
        clock.end()
    finally:
        audit.stages_of, audit.memory.announced_bytes = real, real_bytes
    (found,) = record.sensitive.values()
    return {
        "audit_cpu_seconds": round(sum(clock.stages.values()), 1),
        "foretold_seconds": round(foretold[0][1], 1),
        "read_as": [foretold[0][0].columns, foretold[0][0].codes],
        "slowdown": round(float(np.mean(clock.probes)) / min(clock.probes), 2),
        "stages": clock.stages,
        "peak_memory_mb_by_the_end_of": clock.peaks,
        "attackers": {name: one.seconds for name, one in found.attackers.items() if one.seconds},
        "rows_judged": record.n,
        "verdict": record.verdict,
        "leakage": round(found.leakage_total.value, 4),
        "detection_limit": found.detection_limit,
        "peak_memory_mb": peak_memory(),
        "foretold_memory_mb": round(expected[0] / 1024**2),
        "seed": 0,
    }


def peak_memory() -> int:
    """Largest resident memory of the process so far."""
    import resource

    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", action="append", help="part of the name of the cases to measure")
    options = parser.parse_args()
    wanted = options.case or [""]
    exact = [case for case in CASES if case.name in wanted]
    chosen = exact or [case for case in CASES if any(part in case.name for part in wanted)]
    ledger = Ledger("audit_cost")
    for case in chosen:
        if len(chosen) == 1:
            ledger.measure(case.name, lambda c=case: measure(c))
        elif case.name not in ledger.cases:
            # A process of its own, so that memory and warm libraries are those of one audit.
            subprocess.run([sys.executable, __file__, "--case", case.name], check=True)


if __name__ == "__main__":
    main()
