"""Draw the README's picture: the top of the demo's page beside columns of the survey before and after.

withhold demo --out demo-out && python benchmarks/picture.py demo-out
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.image import imread

OUT = Path(__file__).parents[1] / "docs" / "img" / "readme.png"
WIDTH, HEIGHT = 1100, 900  # of the window, in CSS pixels
COLUMNS = {"inc": "income, $1,000", "age": "age", "fsize": "size of the family", "nettfa": "savings, $1,000"}
BEFORE, AFTER = "#b5b5b5", "#0b62a6"


def screenshot(page: Path, file: Path) -> None:
    """Show the top of a page in Chromium and keep what it shows."""
    browser = which("chromium") or which("google-chrome")
    if browser is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"]
    shot = [f"--screenshot={file}", f"--window-size={WIDTH},{HEIGHT}", page.resolve().as_uri()]
    subprocess.run([browser, *options, *shot], check=True, capture_output=True)


def main() -> None:
    folder = Path(sys.argv[1])
    before = pd.read_parquet(folder / "private" / "survey.parquet")
    after = pd.read_parquet(folder / "share" / "release.parquet")
    with mpl.rc_context({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(12, 6.6), layout="constrained", dpi=110)
        left, right = figure.subfigures(1, 2, width_ratios=[1.5, 1])
        with tempfile.TemporaryDirectory() as scratch:
            screenshot(folder / "share" / "report.html", Path(scratch) / "page.png")
            shown = left.add_subplot()
            shown.imshow(imread(Path(scratch) / "page.png"))
        shown.set_axis_off()
        right.suptitle("What is left of the columns")
        for axes, (name, label) in zip(right.subplots(2, 2).flat, COLUMNS.items(), strict=True):
            low, high = before[name].quantile([0.01, 0.99])
            edges = np.linspace(low, high, 13 if before[name].nunique() < 20 else 26)
            axes.hist(before[name].clip(low, high), edges, color=BEFORE, label="before")
            axes.hist(after[name].clip(low, high), edges, histtype="step", color=AFTER, linewidth=1.5, label="after")
            axes.set(xlabel=label, yticks=[])
        right.axes[0].legend(frameon=False)
        figure.savefig(OUT)
    print(OUT)


if __name__ == "__main__":
    main()
