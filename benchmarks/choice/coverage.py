"""Does the interval of a cross-fitted release hold the truth, and does one that ignores the sanitisers?

    python benchmarks/choice/coverage.py [--case PART ...] [--sets 500] [--deadline SECONDS] [--table]

Five cheap sanitisers whose truth can be computed: each is fitted on four fifths of 300 rows and releases the last
fifth, and attackers read the whole release, cross-fitted as in an audit. The truth is what these very attackers read of
3,000 fresh people, each released by one of the five sanitisers. Its mean over all sets is what the method tells on rows
like these whatever its luck, a larger claim than an audit makes.

Every 50 sets are an entry of ../results/choice_coverage.json: a run that is interrupted goes on where it was.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger
from results_small import covered_rows

from withhold.audit.attackers.registry import choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.parts import Judge
from withhold.data.splits import fold_numbers
from withhold.training.session import one_thread

ROWS, FRESH, MAKERS, CHUNK, COLUMNS = 300, 3_000, 5, 50, 4
PANEL = ("logistic", "qda", "boosting")
EFFORT = replace(EFFORTS["quick"], boosting_rounds=10)
Release = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Seen:
    """A release as attackers read it: four numbers, without what an audit makes of them beside."""

    dense: np.ndarray
    ordinal: np.ndarray
    whitened: np.ndarray


def people(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns and S, a coin: the first column tells most of it, the others little."""
    s = rng.integers(0, 2, n)
    x = rng.standard_normal((n, COLUMNS))
    x[:, 0] += 1.6 * s
    x[:, 1:] += 0.2 * s[:, None]
    return x, s


def linear(x: np.ndarray, s: np.ndarray) -> Release:
    """Takes the direction out along which the means of the fitted classes differ: what is left hangs on the fit."""
    gap = x[s == 1].mean(axis=0) - x[s == 0].mean(axis=0)
    along = np.linalg.solve(np.cov(x.T) + 1e-6 * np.eye(x.shape[1]), gap)
    return lambda new: new - np.outer(new @ along, gap) / (along @ gap)


def blind(x: np.ndarray, s: np.ndarray) -> Release:
    """Noise that knows nothing: there is nothing to find."""
    seed = int(abs(x[0, 0]) * 1e6)
    return lambda new: np.random.default_rng([seed, len(new)]).standard_normal(new.shape)


def lucky(x: np.ndarray, s: np.ndarray) -> Release:
    """Leaves anything between nothing and most of the first column, by an accident of the fitted rows."""
    mix = 1.5 * (int(abs(x.sum()) * 1e6) % 1000) / 1000
    noise = blind(x, s)
    return lambda new: mix * new + noise(new)


def remembering(x: np.ndarray, s: np.ndarray) -> Release:
    """Writes the classes of the five nearest fitted rows into the release: what it tells hangs on single rows."""

    def release(new: np.ndarray) -> np.ndarray:
        near = ((new[:, None, :] - x[None]) ** 2).sum(axis=2).argpartition(5, axis=1)[:, :5]
        return blind(x, s)(new) + 0.8 * s[near].mean(axis=1)[:, None]

    return release


def turning(x: np.ndarray, s: np.ndarray) -> Release:
    """Turns the sign of what it leaves by an accident of the fitted rows, as principal directions do."""
    sign = 1.0 if int(abs(x.sum()) * 1e6) % 2 else -1.0
    noise = blind(x, s)
    return lambda new: 0.4 * sign * new + noise(new)


SANITISERS = {
    "nothing to find": blind,
    "linear eraser": linear,
    "remembers its rows": remembering,
    "turns its sign": turning,
    "luck decides": lucky,
}


def one_set(fit: Callable[[np.ndarray, np.ndarray], Release], seed: int) -> dict[str, float]:
    """Release one set cross-fitted, attack it, and read the same attackers on fresh people."""
    rng = np.random.default_rng([11, seed])
    x, s = people(rng, ROWS)
    new, new_s = people(rng, FRESH)
    makers = np.concatenate([fold_numbers(ROWS, MAKERS, rng, stratify=s), np.arange(FRESH) % MAKERS])
    both, released = np.vstack([x, new]), np.zeros((ROWS + FRESH, COLUMNS))
    for maker in range(MAKERS):
        here = makers == maker
        seen = np.flatnonzero(~here[:ROWS])
        released[here] = fit(x[seen], s[seen])(both[here])
    truth = np.concatenate([s, new_s])
    real = np.arange(ROWS + FRESH) < ROWS
    folds = EFFORT.folds
    fold = np.concatenate([fold_numbers(ROWS, folds, rng, stratify=s), np.arange(FRESH) // MAKERS % folds])
    design = Design(fold, None, tuple(range(folds)), real, np.ones(ROWS + FRESH, bool), EFFORT, seed)
    scaled = ((released - released[real].mean(axis=0)) / released[real].std(axis=0)).astype(np.float32)
    seen = Seen(scaled, scaled, scaled)
    with one_thread():
        found = cross_fit(seen, truth, 2, choose_panel(PANEL), design, "release")
    fresh = found.take(~real[found.rows])
    told = np.append(fresh.values.mean(axis=0), fresh.best().mean())
    out = {"told": float(told.max())}
    for name, of in (("alone", None), ("folds", makers)):
        judge = Judge(0.95, seed, None, {"audit": real}, of)
        got = judge.read(found.take(real[found.rows]))["audit"]
        out |= {f"low_{name}": got.low, f"high_{name}": got.high}
        ends = zip(told[:-1], got.lows.values(), got.highs.values(), strict=True)
        out[f"all_{name}"] = float(all(low <= one <= high for one, low, high in ends))
    return {name: round(value, 5) for name, value in out.items()}


def chunk(name: str, number: int) -> dict:
    """Measure 50 sets."""
    rows = [one_set(SANITISERS[name], number * CHUNK + i) for i in range(CHUNK)]
    return {key: [row[key] for row in rows] for key in rows[0]}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", nargs="*", default=list(SANITISERS))
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--deadline", type=float, default=1e9)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    ledger, started = Ledger("choice_coverage"), time.monotonic()
    for number in range(0 if args.table else args.sets // CHUNK):
        for name in SANITISERS:
            if any(part in name for part in args.case) and time.monotonic() - started < args.deadline:
                ledger.measure(f"{name} / {number}", lambda name=name, number=number: chunk(name, number))
    print("\n".join(covered_rows(ledger.cases)))


if __name__ == "__main__":
    main()
