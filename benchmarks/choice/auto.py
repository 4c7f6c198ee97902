"""Does --method auto keep what the best single method keeps, within the budget and within three times its time?

    python benchmarks/choice/auto.py [--case PART ...] [--rows 2000] [--purpose] [--deadline SECONDS] [--table]

Each case is one table with one budget: a run that chooses, then a run of every method that applies, at its own settings
with the budget that was asked for. Verdict, upper end and utility of all are those of the same audit on the same rows,
which no choice saw. --purpose asks for one purpose (use_utility), so that methods which keep nothing else are tried
too. Only --rows rows of a table are used, whole patients where there are patients.

Every case is an entry of its own in ../results/choice_auto.json: what is interrupted goes on where it was.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))

from choice.limits import unreserved_visits
from ledger import Ledger, cpu_seconds, data_dir
from results_choice import rows as table_rows

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


# Columns that are S or U under another name are left out: no method could hide the one or would have to keep the other.
COPIES = ("id", "is_recid", "propublica_filter")
CASES = {
    "german sex": (lambda: people("german_credit", "personal_status"), "sex", "credit", None),
    "401k marr": (pension, "marr", "e401k", None),
    "compas race": (lambda: people("compas_two_years", *COPIES), "race", "two_year_recid", None),
    "adult sex": (lambda: people("adult", "split", "fnlwgt"), "sex", "income", None),
    "diabetes race": (unreserved_visits, "race", "readmitted", "patient_nbr"),
    "diabetes gender": (unreserved_visits, "gender", "readmitted", "patient_nbr"),
}


def some(table: pd.DataFrame, rows: int, groups: str | None) -> pd.DataFrame:
    """A random part of a table, whole subjects."""
    rng = np.random.default_rng(rows)
    if groups is None:
        return table.iloc[rng.permutation(len(table))[:rows]]
    names = rng.permutation(table[groups].unique())
    sizes = table[groups].value_counts()[names].cumsum()
    return table[table[groups].isin(names[: int((sizes <= rows).sum())])]


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
    load, sensitive, utility, groups = CASES[name]
    table = some(load(), rows, groups)
    asked = {
        "sensitive": [sensitive],
        "utility": [utility],
        "groups": groups,
        "budget": budget,
        "effort": "quick",
        "anyway": True,
        "drop_utility": True,
    }
    out: dict = {"rows": len(table)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        write_table(path, pa.Table.from_pandas(table, preserve_index=False))

        def timed(place: str, **more) -> tuple[RunRecord, float]:
            started = cpu_seconds()
            record = run(path, out=Path(folder) / place, log=lambda text: print(text, file=sys.stderr), **asked, **more)
            return record, cpu_seconds() - started

        record, seconds = timed("auto", use_utility=purpose)
        choice = record.choice
        out["auto"] = told(record, utility, seconds) | {
            "held": choice.held,
            "ended": choice.ended,
            "reason": choice.reason,
            "helps": choice.helps,
            "trials": {str(one): [one.most, one.kept, round(one.seconds, 1)] for one in choice.trials if one.leakage},
        }
        for method in FOR_PURPOSE if purpose else FOR_COLUMNS:
            try:
                alone, seconds = timed(method, method=method, use_utility=purpose)
            except WithholdError as error:
                out[method] = {"failed": str(error)}
            else:
                out[method] = told(alone, utility, seconds)
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
        print("\n".join(table_rows(ledger.cases)))
        return
    for budget in BUDGETS:
        for name in CASES:
            key = f"{name} {budget:g} {options.rows}{' purpose' if options.purpose else ''}"
            if any(part in key for part in options.case) and time.monotonic() - began < options.deadline:
                ledger.measure(key, lambda name=name, budget=budget: case(name, budget, options.rows, options.purpose))


if __name__ == "__main__":
    main()
