"""`withhold audit` on ten releases made by other tools, by the command line that their recipient would type.

    .venv-peers/bin/python benchmarks/releases/make.py FOLDER
    .venv-peers/bin/python benchmarks/releases/audit.py FOLDER [--release NAME ...]

Pages are written to FOLDER/pages; verdict, named causes and attackers go to results/releases.json.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger

ADULT = ["--original", "adult.parquet", "--sensitive", "sex", "--utility", "income", "--drop-utility"]
IMAGES = ["--sensitive-from", "blurred_labels.parquet", "--sensitive", "pen", "--utility", "digit", "--drop-utility"]
RELEASES: dict[str, tuple[str, list[str]]] = {
    "LEACE (concept-erasure)": ("leace.parquet", ADULT),
    "INLP": ("inlp.parquet", ADULT),
    "R-LACE": ("rlace.csv", ADULT),
    "CorrelationRemover (fairlearn)": ("correlation_remover.csv", ADULT),
    "AdversarialFairness (fairlearn), its score": ("adversarial_fairness.csv", ADULT),
    "LFR (AIF360)": ("lfr.csv", ADULT),
    "gradient reversal": ("gradient_reversal.npz", [*ADULT, "--array", "z"]),
    "k-anonymous table, k = 10": ("k_anonymous.csv", ADULT),
    "synthetic table from marginals": ("synthetic.csv", ADULT),
    "blurred digits": ("blurred.npz", [*IMAGES, "--array", "images"]),
}
COMMON = ["--budget", "0.05", "--effort", "quick"]


def audit(folder: Path, name: str) -> dict:
    """Run the command, write the page, and return what it says."""
    file, options = RELEASES[name]
    page = folder / "pages" / f"{Path(file).stem}.html"
    page.parent.mkdir(exist_ok=True)
    program = str(Path(sys.executable).with_name("withhold"))
    words = ["audit", file, *options, *COMMON]
    done = subprocess.run([program, *words, "--json"], cwd=folder, capture_output=True, text=True)
    command = f"withhold {' '.join(words)}"
    if done.returncode not in (0, 1, 4):
        return {"command": command, "exit_code": done.returncode, "failed": (done.stdout + done.stderr)[-600:]}
    document = page.with_suffix(".json")
    document.write_text(done.stdout, encoding="utf-8")
    subprocess.run([program, "report", str(document), "--out", str(page)], check=True, capture_output=True)
    record = json.loads(done.stdout)
    found = next(iter(record["sensitive"].values()))
    return {
        "command": command,
        "exit_code": done.returncode,
        "verdict": record["verdict"],
        "statement": record["statement"],
        "leakage": found["leakage_total"]["value"],
        "low": found["leakage_total"]["low"],
        "high": found["leakage_total"]["high"],
        "attacker": found["leakage_total"]["attacker"],
        "balanced_accuracy": found["balanced_accuracy"],
        "attackers": {key: one["leakage"]["value"] for key, one in found["attackers"].items()},
        "utility": {key: one["score"] for key, one in record["utility"].items()},
        "retention": record["mean_retention"],
        "findings": [[one["severity"], one["code"], one["text"]] for one in record["findings"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--release", action="append", choices=list(RELEASES), help="default: all")
    options = parser.parse_args()
    ledger = Ledger("releases")
    for name in options.release or RELEASES:
        ledger.measure(name, lambda n=name: audit(options.folder.resolve(), n))


if __name__ == "__main__":
    main()
