"""Does --method auto keep what the best single method keeps, within the budget and within three times its time?

    python benchmarks/choice/auto.py [--case PART ...] [--rows 2000] [--purpose] [--deadline SECONDS] [--table]

Each case is one table, or one set of images, spectra or windows of a sensor, with one budget: a run that chooses, then
a run of every method that applies, at its own settings with the budget that was asked for. Verdict, upper end and
utility of all are those of the same audit on the same rows, which no choice saw. --purpose asks for one purpose
(use_utility), so that methods which keep nothing else are tried too; of images they always are. Only --rows rows are
used, whole patients where there are patients.

Every case is an entry of its own in ../results/choice_auto.json: what is interrupted goes on where it was.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))

from aioi.digits import thickness
from choice.limits import unreserved_visits
from ledger import Ledger, cpu_seconds, data_dir
from results_choice import choices

from withhold.contracts.errors import WithholdError
from withhold.contracts.run_record import RunRecord
from withhold.data.demo_table import demo_table
from withhold.io.tables import write_table
from withhold.workflow.choosing.candidates import FOR_COLUMNS, FOR_PURPOSE
from withhold.workflow.run import run

BUDGETS = (0.1, 0.03, 0.01)


def pension() -> pd.DataFrame:
    """Households of the 401(k) study."""
    return demo_table()[0].to_pandas()


def people(name: str, *without: str) -> pd.DataFrame:
    """Read one of the research data sets, without columns that say S or U in other words."""
    return pd.read_parquet(data_dir() / f"{name}.parquet").drop(columns=list(without))


@dataclass(frozen=True)
class Case:
    """What is released, and the roles of its columns or arrays.

    Attributes
    ----------
    load : callable
        Returns a data frame, or arrays by name, of which the first is released.
    groups : str or None
        The column that names the subject.
    """

    load: Callable[[], pd.DataFrame | dict[str, np.ndarray]]
    sensitive: str
    utility: str
    groups: str | None = None


def arrays(name: str) -> dict[str, np.ndarray]:
    """Read the arrays of one of the research data sets."""
    with np.load(data_dir() / name) as file:
        return dict(file)


def more_than_usual(value: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Whether a value is above the median of its class, as "yes" or "no"."""
    usual = {one: np.median(value[of == one]) for one in np.unique(of)}
    return np.where(value > np.array([usual[one] for one in of]), "yes", "no")


def digits() -> dict[str, np.ndarray]:
    """Handwritten digits; hidden is whether the pen was thicker than is usual for the digit."""
    data = arrays("mnist.npz")
    x, y = data["x_train"], data["y_train"]
    return {"images": x, "thick": more_than_usual(thickness(x), y), "digit": y.astype(str)}


def chests() -> dict[str, np.ndarray]:
    """X-rays of chests; hidden is whether one was exposed longer than is usual for its finding."""
    data = arrays("pneumoniamnist28.npz")
    x, y = data["x_train"], data["y_train"].ravel()
    return {"images": x, "bright": more_than_usual(x.mean(axis=(1, 2)), y), "pneumonia": y.astype(str)}


def faces() -> dict[str, np.ndarray]:
    """Faces of forty people, means of blocks of 4 x 4; hidden are their glasses."""
    data = arrays("orl_faces.npz")
    x = data["x"].reshape(-1, 28, 4, 23, 4).mean(axis=(2, 4)).round().astype(np.uint8)
    return {"images": x, "glasses": data["glasses"].astype(str), "person": data["person"].astype(str)}


def spoken() -> dict[str, np.ndarray]:
    """Spectra of spoken digits; hidden is who speaks."""
    data = arrays("fsdd_logmel.npz")
    x = data["x"].astype(np.float32)
    return {"spectra": x, "speaker": data["speaker"].astype(str), "digit": data["y"].astype(str)}


def watches() -> dict[str, np.ndarray]:
    """Windows of the watches of ten people; hidden is who wears one."""
    data = arrays("wisdm_watch_accel.npz")
    few = np.isin(data["user"], np.unique(data["user"])[:10])
    return {"windows": data["x"][few], "user": data["user"][few].astype(str), "activity": data["y"][few].astype(str)}


# Columns that are S or U under another name are left out: no method could hide the one or would have to keep the other.
COPIES = ("id", "is_recid", "propublica_filter")
CASES = {
    "german sex": Case(lambda: people("german_credit", "personal_status"), "sex", "credit"),
    "401k marr": Case(pension, "marr", "e401k"),
    "compas race": Case(lambda: people("compas_two_years", *COPIES), "race", "two_year_recid"),
    "adult sex": Case(lambda: people("adult", "split", "fnlwgt"), "sex", "income"),
    "diabetes race": Case(unreserved_visits, "race", "readmitted", "patient_nbr"),
    "diabetes gender": Case(unreserved_visits, "gender", "readmitted", "patient_nbr"),
    "mnist thick": Case(digits, "thick", "digit"),
    "pneumonia bright": Case(chests, "bright", "pneumonia"),
    "orl glasses": Case(faces, "glasses", "person"),
    "fsdd speaker": Case(spoken, "speaker", "digit"),
    "wisdm user": Case(watches, "user", "activity"),
}


def some(table: pd.DataFrame, rows: int, groups: str | None) -> pd.DataFrame:
    """A random part of a table, whole subjects."""
    rng = np.random.default_rng(rows)
    if groups is None:
        return table.iloc[rng.permutation(len(table))[:rows]]
    names = rng.permutation(table[groups].unique())
    sizes = table[groups].value_counts()[names].cumsum()
    return table[table[groups].isin(names[: int((sizes <= rows).sum())])]


def written(data: pd.DataFrame | dict[str, np.ndarray], rows: int, groups: str | None, folder: Path) -> dict:
    """Write a random part of a data set, and return what a run is to be told of the file."""
    if isinstance(data, pd.DataFrame):
        path = folder / "t.parquet"
        write_table(path, pa.Table.from_pandas(some(data, rows, groups), preserve_index=False))
        return {"data": path}
    path, first = folder / "t.npz", next(iter(data))
    chosen = np.random.default_rng(rows).permutation(len(data[first]))[:rows]
    np.savez(path, **{name: values[chosen] for name, values in data.items()})
    return {"data": path, "array": first}


def told(record: RunRecord, utility: str, seconds: float) -> dict:
    """What is compared of one run."""
    joint = list(record.audit.sensitive.values())[-1]
    leak = joint.leakage_total
    return {
        "method": " ".join([record.method.name, *(record.choice.settings if record.choice else [])]),
        "verdict": record.audit.verdict,
        "cause": joint.cause,
        "leakage": round(leak.value, 4),
        "high": None if leak.high is None else round(leak.high, 4),
        "utility": round(record.audit.utility[utility].score.release, 4),
        "raw_utility": round(record.audit.utility[utility].score.raw, 4),
        "retention": round(record.audit.mean_retention or 0.0, 4),
        "seconds": round(seconds, 1),
    }


def case(name: str, budget: float, rows: int, purpose: bool) -> dict:
    """Choose, then run every method alone."""
    asked = {
        "sensitive": [CASES[name].sensitive],
        "utility": [CASES[name].utility],
        "groups": CASES[name].groups,
        "budget": budget,
        "effort": "quick",
        "anyway": True,
        "drop_utility": True,
    }
    with tempfile.TemporaryDirectory() as folder:
        asked |= written(CASES[name].load(), rows, CASES[name].groups, Path(folder))

        def timed(place: str, **more) -> tuple[RunRecord, float]:
            started = cpu_seconds()
            record = run(out=Path(folder) / place, log=lambda text: print(text, file=sys.stderr), **asked, **more)
            return record, cpu_seconds() - started

        record, seconds = timed("auto", use_utility=purpose)
        choice, out = record.choice, {"rows": record.data.rows}
        out["auto"] = told(record, CASES[name].utility, seconds) | {
            "held": choice.held,
            "ended": choice.ended,
            "reason": choice.reason,
            "helps": choice.helps,
            "trials": {str(one): [one.most, one.kept, round(one.seconds, 1)] for one in choice.trials if one.leakage},
        }
        for method in FOR_PURPOSE if purpose or "array" in asked else FOR_COLUMNS:
            try:
                alone, seconds = timed(method, method=method, use_utility=purpose)
            except WithholdError as error:
                out[method] = {"failed": str(error)}
            else:
                out[method] = told(alone, CASES[name].utility, seconds)
    return out


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="*", default=[""], help="parts of names of cases")
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--purpose", action="store_true")
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which no case begins")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    ledger, began = Ledger("choice_auto"), time.monotonic()
    if options.table:
        print("\n".join(choices()))
        return
    for budget in BUDGETS:
        for name in CASES:
            key = f"{name} {budget:g} {options.rows}{' purpose' if options.purpose else ''}"
            if any(part in key for part in options.case) and time.monotonic() - began < options.deadline:
                ledger.measure(key, partial(case, name, budget, options.rows, options.purpose))


if __name__ == "__main__":
    main()
