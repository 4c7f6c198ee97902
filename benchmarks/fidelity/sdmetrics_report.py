"""sdmetrics' QualityReport of one release, in an environment of its own; prints one JSON document.

    python benchmarks/fidelity/sdmetrics_report.py BEFORE.parquet AFTER.parquet KINDS.json

KINDS holds the kind of each column ("category", "number", "date"): sdmetrics is told the same as ours reads.
"""

import json
import sys
import warnings

import pandas as pd

warnings.simplefilter("ignore")  # it warns that a newer report replaces this one, by the same formulae

import sdmetrics  # noqa: E402
from sdmetrics.reports.single_table import QualityReport  # noqa: E402

TYPES = {"category": "categorical", "number": "numerical", "date": "datetime"}


def read(path: str) -> pd.DataFrame:
    """Read a table; a pandas category with a level that no row holds makes sdmetrics skip every pair of it."""
    table = pd.read_parquet(path)
    return table.astype({name: object for name in table if isinstance(table[name].dtype, pd.CategoricalDtype)})


def main() -> None:
    before, after = (read(path) for path in sys.argv[1:3])
    with open(sys.argv[3]) as file:
        kinds = json.load(file)
    metadata = {"columns": {name: {"sdtype": TYPES[kind]} for name, kind in kinds.items()}}
    found = {"sdmetrics": sdmetrics.__version__, "pandas": pd.__version__}
    for label, every in (("", False), ("all_", True)):
        report = QualityReport()
        # By default tables of more than 50,000 rows are compared by that many rows, drawn anew on each side: rare pairs
        # of values then seem broken. All rows are asked for.
        report.num_rows_subsample = None
        if every:
            report.real_correlation_threshold = report.real_association_threshold = 0
        report.generate(before[list(kinds)], after[list(kinds)], metadata, verbose=False)
        scores = dict(report.get_properties().to_numpy().tolist())
        found["column_shapes"], found[f"{label}pair_trends"] = scores["Column Shapes"], scores["Column Pair Trends"]
        details = report.get_details("Column Pair Trends")
        found[f"{label}failed_pairs"] = int(details["Error"].notna().sum()) if "Error" in details else 0
        scored = [[one["Column 1"], one["Column 2"], one["Score"]] for one in details.to_dict("records")]
    found["pairs"] = [[a, b, None if score != score else score] for a, b, score in scored]
    found["shapes"] = {one["Column"]: one["Score"] for one in report.get_details("Column Shapes").to_dict("records")}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
