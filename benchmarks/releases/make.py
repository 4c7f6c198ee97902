"""Releases as other tools would hand them over: files of Adult, without sex and income, and a set of blurred images.

    .venv-peers/bin/python benchmarks/releases/make.py FOLDER

The methods are fitted on the official training part; the files hold the first rows of the test part.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))
sys.path.insert(0, str(Path(__file__).parent))

from anonymity import anonymise
from ledger import data_dir
from problems import PROBLEMS, Problem
from scipy.ndimage import gaussian_filter

from methods import METHODS

SEED, ROWS, IMAGES, BLUR = 7, 5_000, 5_000, 2.0
K = 10
QUASI = ["age", "education", "marital_status", "occupation", "relationship", "race", "hours_per_week", "native_country"]
PEERS = {
    "leace.parquet": "LEACE (concept-erasure)",
    "inlp.parquet": "INLP",
    "rlace.csv": "R-LACE",
    "correlation_remover.csv": "CorrelationRemover (fairlearn)",
    "adversarial_fairness.csv": "AdversarialFairness (fairlearn), its score",
    "lfr.csv": "LFR (AIF360)",
    "gradient_reversal.npz": "gradient reversal",
}


def k_anonymous(problem: Problem, rows: np.ndarray) -> pd.DataFrame:
    """Generalise the quasi-identifiers; a code that says the same as a generalised column goes, as does the weight."""
    table = problem.table.iloc[rows].reset_index(drop=True).drop(columns=["education_num", "fnlwgt"])
    return anonymise(table, QUASI, K)


def synthetic(problem: Problem, rows: np.ndarray) -> pd.DataFrame:
    """Sample every column from its marginal: as many records as were asked for, none of them anybody's."""
    rng = np.random.default_rng(SEED)
    table = problem.table[problem.fit]
    return pd.DataFrame({name: table[name].to_numpy()[rng.integers(len(table), size=len(rows))] for name in table})


def thickness(images: np.ndarray) -> np.ndarray:
    """Area of the ink over the length of its edge: how thick the pen was."""
    ink = images > 127
    edge = ink & ~(np.roll(ink, 1, 1) & np.roll(ink, -1, 1) & np.roll(ink, 1, 2) & np.roll(ink, -1, 2))
    return ink.sum(axis=(1, 2)) / np.maximum(edge.sum(axis=(1, 2)), 1)


def blurred(folder: Path) -> None:
    """Write blurred digits, and a table with the thickness of the pen (S) and the digit."""
    with np.load(data_dir() / "mnist.npz") as mnist:
        images, digits = mnist["x_test"][:IMAGES], mnist["y_test"][:IMAGES]
    thick = thickness(images)
    medians = np.array([np.median(thick[digits == digit]) for digit in range(10)])
    pen = np.where(thick > medians[digits], "thick", "thin")
    soft = np.stack([gaussian_filter(image.astype(float), BLUR) for image in images])
    np.savez_compressed(folder / "blurred.npz", images=soft.round().astype(np.uint8))
    pd.DataFrame({"pen": pen, "digit": digits.astype(str)}).to_parquet(folder / "blurred_labels.parquet")


def write(release: Any, path: Path) -> None:
    """Write a release in the format its name asks for."""
    if path.suffix == ".npz":
        np.savez_compressed(path, z=np.asarray(release))
    elif path.suffix == ".csv":
        release.to_csv(path, index=False)
    else:
        release.to_parquet(path, index=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    problem = PROBLEMS["Adult"](SEED)
    rows = np.flatnonzero(~problem.fit)[:ROWS]
    sensitive, utility = problem.names
    original = problem.table.assign(**{sensitive: problem.s, utility: problem.u}).iloc[rows]
    original.to_parquet(folder / "adult.parquet", index=False)
    for name, method in PEERS.items():
        if not (folder / name).exists():
            release = METHODS[method].fit(problem, SEED)()
            write(release.iloc[rows] if isinstance(release, pd.DataFrame) else release[rows], folder / name)
            print(f"wrote {name}", file=sys.stderr, flush=True)
    write(k_anonymous(problem, rows), folder / "k_anonymous.csv")
    write(synthetic(problem, rows), folder / "synthetic.csv")
    blurred(folder)


if __name__ == "__main__":
    main()
