"""Does more effort read more? Variants of leaks attacked as at quick and at standard, the same rows, several draws.

    python benchmarks/worlds/effort.py [--processes N] [--shard i/k] [--deadline SECONDS] [--only PART]
    python benchmarks/worlds/effort.py --merge

An audit at standard attacks as quick does, too, with the same folds and random numbers, so that one audit gives both;
it is stopped before anything is planted. All score every row, so that the difference is taken row by row; its standard
error is that of its mean. Standard must not read less than quick by more than two of them.
"""

import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from sharded import Case, parser, work  # noqa: E402, I001 - before numpy: it sets the number of threads


from known_worlds.variants.registry import BY_NAME, VARIANTS  # noqa: E402

from withhold.audit.leakage.efforts import over_efforts  # noqa: E402
from withhold.audit.leakage.log_ratios import LogRatios  # noqa: E402

NAME, SEEDS, SHAPES, MOST_ROWS = "effort", (1, 2, 3), 27, 3_000


class AttackedError(Exception):
    """What was asked for is known."""


def key(case: Case) -> str:
    """Name of a run in the file."""
    return f"{case[0]} / seed={case[3]}"


def chosen() -> list[Case]:
    """Small variants, each kind in turn; every one is drawn before any is drawn again."""
    small = sorted((one for one in VARIANTS if one.n <= MOST_ROWS and not one.grouped), key=lambda one: one.n)
    turn: dict[str, int] = {}
    ranked = []
    for one in small:
        turn[one.kind] = turn.get(one.kind, 0) + 1
        ranked.append((turn[one.kind], one.n, one.name))
    return [(name, "", n, seed) for seed in SEEDS for _, n, name in sorted(ranked)[:SHAPES]]


def measure(name: str, _: str, n: int, seed: int) -> tuple[dict, float, float]:
    """Attack one draw of a variant; return what was read and what it cost."""
    from unittest.mock import patch

    from withhold import audit_release
    from withhold.audit.leakage import assessment

    drawn, found = BY_NAME[name].draw(seed), {}
    cpu, wall = time.process_time(), time.perf_counter()

    def stop(efforts: dict) -> None:
        found.update(efforts)
        raise AttackedError

    with patch.object(assessment, "over_efforts", stop), suppress(AttackedError):
        audit_release(
            drawn.release, sensitive_features=drawn.sensitive["s"], effort="standard", progress=lambda _: None
        )
    about = {"truth": round(BY_NAME[name].truth, 4), **compared(found)}
    return about, time.process_time() - cpu, time.perf_counter() - wall


def compared(found: dict[str, LogRatios]) -> dict[str, float]:
    """Compare what an audit at standard reads with what one at quick reads, and with its own panel alone."""
    quick, alone, standard = found["quick"].best(), found["standard"].best(), over_efforts(found).best()
    off = standard - quick
    return {
        "quick": round(float(quick.mean()), 4),
        "standard": round(float(standard.mean()), 4),
        "standard_alone": round(float(alone.mean()), 4),
        "difference": round(float(off.mean()), 5),
        "standard_error": round(float(off.std(ddof=1) / len(off) ** 0.5), 5),
        "rows": len(off),
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--only", default="", help="part of the name of a variant")
    given = options.parse_args()
    todo = [case for case in chosen() if given.only in case[0]]
    sys.exit(1 if work(NAME, given, todo, key, measure) else 0)


if __name__ == "__main__":
    main()
