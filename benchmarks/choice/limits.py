"""Is the detection limit that a plan promises the one that an audit finds, and do the rows that it asks for decide?

    python benchmarks/choice/limits.py [--case PART ...] [--plantings 20] [--deadline SECONDS] [--table]

Three questions on the columns of real tables and of worlds, at 500, 2,000 and 10,000 rows. Limit: leaks are planted
beside permuted S by the audit's own planter on sizes a factor 1.25 apart; the size found in half of the plantings, in
every form and part, is put beside the limit that was promised. Chance (--chance): how often leaks of the size of the
smallest decidable budget, and of shares of it, are found, beside the foretold chance of a verdict. Rows (--rows): with
S permuted, nothing is there to be found; whole audits are run at as many rows as a plan asks for a budget, and at half
as many.

Every case is an entry of its own in ../results/choice_limits.json: a run that is interrupted goes on where it was.
"""

import argparse
import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger, data_dir
from results_plan import chances, enough_rows, limits

from withhold import audit_release
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.detection import Planter
from withhold.audit.leakage.parts import Judge
from withhold.audit.planning.outlook import foretell
from withhold.audit.planning.telling import whole_panel
from withhold.audit.request import make_design, parts_of, read_request
from withhold.audit.view.view import AttackView
from withhold.data.demo_table import demo_table
from withhold.training.session import one_thread

STEP, SIZES = 1.25, (500, 2_000, 10_000)


@dataclass(frozen=True)
class Source:
    """A table and its sensitive column."""

    load: Callable[[], pd.DataFrame]
    sensitive: str
    drop: tuple[str, ...] = ()


def unreserved_visits() -> pd.DataFrame:
    """The hospital encounters without the patients that are kept for one final measurement."""
    table = pd.read_parquet(data_dir() / "diabetes_130_hospitals.parquet")
    digest = table.patient_nbr.map(lambda one: int(hashlib.sha256(str(one).encode()).hexdigest(), 16) % 10)
    return table[(digest < 7).to_numpy() & table.race.notna().to_numpy()]


def unreserved() -> pd.DataFrame:
    """The first encounter of each of these patients."""
    return unreserved_visits().drop_duplicates("patient_nbr")


def windows() -> pd.DataFrame:
    """Means and spreads of windows of a watch; which of six activities they show stands for S."""
    file = np.load(data_dir() / "wisdm_watch_accel.npz")
    x, names = file["x"], [f"{kind}{axis}" for kind in ("mean", "spread", "change") for axis in "xyz"]
    told = np.hstack([x.mean(axis=1), x.std(axis=1), np.abs(np.diff(x, axis=1)).mean(axis=1)])
    return pd.DataFrame(told, columns=names).assign(s=file["y"].astype(str))


def gaussian(columns: int) -> pd.DataFrame:
    """Correlated columns that tell nothing of a coin."""
    rng = np.random.default_rng(columns)
    mix = np.eye(columns) + 0.3 * rng.standard_normal((columns, columns)) / columns**0.5
    made = rng.standard_normal((12_000, columns)) @ mix
    return pd.DataFrame(made, columns=[f"c{i}" for i in range(columns)]).assign(s=rng.integers(0, 2, 12_000))


def rare() -> pd.DataFrame:
    """Levels of which most are rare, beside three unequal classes."""
    rng = np.random.default_rng(7)
    made = {f"level{i}": rng.zipf(1.8, 12_000).clip(max=60).astype(str) for i in range(6)}
    return pd.DataFrame(made).assign(s=rng.choice(list("abc"), 12_000, p=[0.8, 0.15, 0.05]))


def flags() -> pd.DataFrame:
    """Columns of two values, each a little like the one before."""
    rng = np.random.default_rng(11)
    made = [rng.random(12_000) < 0.3]
    for _ in range(11):
        made.append(np.where(rng.random(12_000) < 0.5, made[-1], rng.random(12_000) < 0.3))
    return pd.DataFrame({f"flag{i}": one.astype(int) for i, one in enumerate(made)}).assign(
        s=rng.integers(0, 2, 12_000)
    )


def amounts() -> pd.DataFrame:
    """Skewed amounts, of which a third are 0, beside five even classes."""
    rng = np.random.default_rng(13)
    paid = np.exp(rng.normal(6, 1.5, (12_000, 6))).round(2) * (rng.random((12_000, 6)) > 1 / 3)
    return pd.DataFrame(paid, columns=[f"paid{i}" for i in range(6)]).assign(s=rng.choice(list("abcde"), 12_000))


def parquet(name: str) -> Callable[[], pd.DataFrame]:
    """Read one of the research data sets."""
    return lambda: pd.read_parquet(data_dir() / f"{name}.parquet")


SOURCES = {
    "adult sex": Source(parquet("adult"), "sex", ("split",)),
    "adult race": Source(parquet("adult"), "race", ("split",)),
    "compas race": Source(parquet("compas_two_years"), "race", ("id",)),
    "german sex": Source(parquet("german_credit"), "sex", ("personal_status",)),
    "diabetes race": Source(unreserved, "race", ("patient_nbr",)),
    "wisdm activity": Source(windows, "s"),
    "401k marr": Source(lambda: demo_table()[0].to_pandas(), "marr"),
    "gaussian 8": Source(lambda: gaussian(8), "s"),
    "gaussian 64": Source(lambda: gaussian(64), "s"),
    "rare levels": Source(rare, "s"),
    "flags": Source(flags, "s"),
    "amounts": Source(amounts, "s"),
}


def request_of(source: Source, rows: int, seed: int):
    """An audit of a random part of the original, S permuted: nothing is there to be found."""
    table = source.load().drop(columns=list(source.drop))
    if len(table) < rows:
        return None
    rng = np.random.default_rng([seed, rows])
    table = table.iloc[rng.permutation(len(table))[:rows]].reset_index(drop=True)
    s = pd.Series(rng.permutation(table.pop(source.sensitive).astype(str).to_numpy()), name="s")
    fit = rng.permutation(rows) < 0.7 * rows
    return read_request(table, s, None, None, None, fit, None)


class Plantings:
    """Leaks planted beside permuted S by the audit's own planter, with a seed for each time.

    Parameters
    ----------
    request, found
        The audit, and what was foretold of it.
    effort : str
    """

    def __init__(self, request, found, effort: str) -> None:
        self.request = replace(request, sensitive=type(request.sensitive)((found.judged,)))
        self.view, self.attribute, self.effort = AttackView.fit(request.release), found.judged, EFFORTS[effort]
        self.panel, self.judge = whole_panel(self.view), Judge(0.95, 0, None, parts_of(self.request))

    def found(self, size: float, seed: int) -> bool:
        """Whether a leak is found in every form and part."""
        design = make_design(self.request, self.effort, seed)
        timed = self.view.time is not None
        panel = self.panel
        planter = Planter(self.view, self.attribute, panel.classes, panel.scores, design, self.judge, timed)
        return all(planter.look(form, size).detected for form in planter.tested(size))


SHARES = (0.6, 0.75, 1.0)


def chance(source: Source, rows: int, effort: str, plantings: int) -> dict:
    """Put the foretold chance of a verdict at shares of the smallest decidable budget beside what is found."""
    request = request_of(source, rows, 0)
    if request is None:
        return {"skipped": "fewer rows"}
    found = foretell(request, effort, read_raw=False)
    power, made = found.power, Plantings(request, found, effort)
    least = power.decidable_budget(found.rows)
    if least is None:
        return {"skipped": "no budget is decided"}
    sizes = [share * least for share in SHARES]
    with one_thread():
        seen = [sum(made.found(size, seed) for seed in range(plantings)) for size in sizes]
    told = [round(power.chance_decided(size, found.rows), 3) for size in sizes]
    return {"decidable": round(least, 5), "foretold": told, "seen": seen, "plantings": plantings}


def limit(source: Source, rows: int, effort: str, plantings: int) -> dict:
    """Put the promised limit beside the size that is found in half of the plantings."""
    request = request_of(source, rows, 0)
    if request is None:
        return {"skipped": "fewer rows"}
    started = time.process_time()
    found = foretell(request, effort, read_raw=False)
    promised, seconds = found.power.detection_limit(found.rows), time.process_time() - started
    made = Plantings(request, found, effort)
    seen: dict[int, int] = {}
    largest = found.power.law.sizes[-1]

    def times(place: int) -> int:
        """How many plantings of the size at a place of the grid are found, in every form."""
        if place not in seen:
            size, count = STEP**place, 0
            for seed in range(plantings):
                count += made.found(size, seed)
                if count > plantings / 2 or count + plantings - seed - 1 < plantings / 2:
                    break
            seen[place] = count
        return seen[place]

    half = plantings / 2
    top = int(np.floor(np.log(largest) / np.log(STEP)))
    place = min(top, round(np.log(promised or largest) / np.log(STEP)))
    with one_thread():
        while times(place) < half and place < top:
            place += 1
        none = times(place) < half
        while not none and times(place - 1) >= half:
            place -= 1
    return {
        "promised": None if promised is None else round(promised, 5),
        "found": None if none else round(STEP**place, 5),
        "entropy": round(found.power.law.entropy, 3),
        "losses": {form: round(loss, 5) for form, loss in found.power.losses.items()},
        "plantings": plantings,
        "counts": {f"{STEP**at:.5f}": count for at, count in sorted(seen.items())},
        "plan_cpu_seconds": round(seconds, 1),
        "seed": 0,
    }


def promise(source: Source, rows: int, effort: str, _: int) -> dict:
    """Foretell the limit alone, as the code is now, of what was planted and found before."""
    request, started = request_of(source, rows, 0), time.process_time()
    if request is None:
        return {"skipped": "fewer rows"}
    found = foretell(request, effort, read_raw=False)
    promised = found.power.detection_limit(found.rows)
    return {"limit": promised and round(promised, 5), "plan_cpu_seconds": round(time.process_time() - started, 1)}


def decided(source: Source, budget: float, share: float, seed: int) -> dict:
    """Audit as many rows as a plan of 2,000 asks for, or a share of them, with S permuted."""
    request = request_of(source, 2_000, 0)
    needed = foretell(request, "quick", read_raw=False).power.rows_needed(budget)
    rows = round(share * needed)
    made = request_of(source, rows, seed + 1)
    if made is None:
        return {"skipped": "fewer rows", "rows": rows}
    s = np.array(made.sensitive[0].levels)[made.sensitive[0].codes]
    asked = {"fit_rows": made.fit_rows, "budget": budget, "effort": "quick", "random_state": seed}
    record = audit_release(made.release, sensitive_features=s, **asked, progress=lambda _: None)
    (result,) = record.sensitive.values()
    return {"rows": rows, "verdict": record.verdict, "cause": result.cause, "recovery": result.recovery, "seed": seed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", nargs="*", default=[""], help="parts of the names of the sources")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--effort", nargs="*", default=["quick"])
    parser.add_argument("--plantings", type=int, default=20)
    parser.add_argument("--chance", action="store_true", help="how often leaks of the decidable budget are found")
    parser.add_argument("--promise", action="store_true", help="the promised limits alone, of cases found before")
    parser.add_argument("--rows", action="store_true", help="whole audits at the rows asked for, and at half of them")
    parser.add_argument("--budget", nargs="*", type=float, default=[0.1, 0.05])
    parser.add_argument("--audits", type=int, default=20)
    parser.add_argument("--deadline", type=float, default=np.inf, help="CPU seconds after which no case is begun")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        print("\n".join([*limits(), "", *chances(), "", *enough_rows()]))
        return
    ledger = Ledger("choice_limits")
    for name, source in SOURCES.items():
        if not any(part in name for part in options.case):
            continue
        if options.rows:
            cells = [(b, share, seed) for b in options.budget for share in (1.0, 0.5) for seed in range(options.audits)]
            for b, share, seed in cells:
                if time.process_time() < options.deadline:
                    key = f"rows / {name} / {b:g} / {share:g} / {seed}"
                    ledger.measure(key, lambda s=source, b=b, h=share, k=seed: decided(s, b, h, k))
            continue
        for rows in options.sizes:
            for effort in options.effort:
                if time.process_time() < options.deadline:
                    word, work = ("chance", chance) if options.chance else ("limit", limit)
                    word, work = ("promise", promise) if options.promise else (word, work)
                    key = f"{word} / {name} / {rows} / {effort}"
                    ledger.measure(key, lambda s=source, n=rows, e=effort, w=work: w(s, n, e, options.plantings))


if __name__ == "__main__":
    main()
