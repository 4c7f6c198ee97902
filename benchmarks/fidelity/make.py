"""Releases whose fidelity is measured: DeepMinMax with its defaults, the fit part apart, five data sets.

    python benchmarks/fidelity/make.py FOLDER [--case NAME ...] [--seed 0] [--decode mode]

Writes FOLDER/NAME.before.parquet and FOLDER/NAME.after.parquet, the same records without the sensitive attribute, with
the utility attribute as it is. Of Adult the official test part, of the others all rows.
"""

import argparse
import hashlib
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import data_dir

import withhold
from withhold.contracts.seeds import stream
from withhold.data.demo_table import demo_table
from withhold.methods.estimator.decoder import CrossFittedDecoder
from withhold.methods.estimator.fit_data import FitData

FIT = 0.7


class Case(NamedTuple):
    """A table, what is hidden, what it is for, the rows of the fit and those released, and whose each record is."""

    table: pa.Table
    sensitive: str
    utility: str
    fit: np.ndarray
    released: np.ndarray
    subjects: np.ndarray | None = None


def adult(seed: int) -> Case:
    table = pd.read_parquet(data_dir() / "adult.parquet")
    fit = (table["split"] == "train").to_numpy()
    return Case(pa.Table.from_pandas(table.drop(columns="split"), preserve_index=False), "sex", "income", fit, ~fit)


def german(seed: int) -> Case:
    table = pq.read_table(data_dir() / "german_credit.parquet")
    return Case(table, "sex", "credit", part(table.num_rows, seed), np.ones(table.num_rows, bool))


def compas(seed: int) -> Case:
    """Return COMPAS, which has missing values, without the number of a record and what follows from the outcome."""
    table = pq.read_table(data_dir() / "compas_two_years.parquet").drop_columns(["id", "is_recid", "propublica_filter"])
    return Case(table, "race", "two_year_recid", part(table.num_rows, seed), np.ones(table.num_rows, bool))


def demo(seed: int) -> Case:
    table, _, sensitive, utility = demo_table()
    return Case(table, sensitive, utility, part(table.num_rows, seed), np.ones(table.num_rows, bool))


def hospital(seed: int, rows: int = 5_000) -> Case:
    """Return stays of diabetic patients, without those that are reserved for one last measurement."""
    table = pq.read_table(data_dir() / "diabetes_130_hospitals.parquet")
    free = pa.array([not reserved(patient) for patient in table.column("patient_nbr").to_pylist()])
    table = table.filter(free)
    table = table.take(pa.array(np.random.default_rng(seed).permutation(table.num_rows)[:rows]))
    patients = table.column("patient_nbr").to_numpy()
    fit, released = part(table.num_rows, seed), np.ones(table.num_rows, bool)
    return Case(table.drop_columns(["patient_nbr"]), "race", "readmitted", fit, released, patients)


def hospital_fitted(seed: int) -> Case:
    """Return the same stays, all of them fitted: a code of ten to fourteen rows is not pooled for want of seven."""
    case = hospital(seed)
    return case._replace(fit=case.released)


def hospital_60k(seed: int) -> Case:
    return hospital(seed, 60_000)


def reserved(patient: int) -> bool:
    """Return whether a patient is kept for a last measurement with settings frozen before."""
    return int(hashlib.sha256(str(patient).encode()).hexdigest(), 16) % 10 >= 7


def part(n: int, seed: int) -> np.ndarray:
    """Return the rows of the fit."""
    return np.random.default_rng(seed).random(n) < FIT


CASES = {
    "adult": adult,
    "german": german,
    "compas": compas,
    "demo": demo,
    "hospital": hospital,
    "hospital_fitted": hospital_fitted,
    "hospital_60k": hospital_60k,
}


def release(name: str, seed: int, folder: Path, decode: str = "sample") -> None:
    table, sensitive, utility, fit, released, subjects = CASES[name](seed)
    features = table.drop_columns([sensitive, utility])
    s = table.select([sensitive])
    sanitizer = withhold.DeepMinMax(random_state=seed, output="table", noise_seed=seed, decode=decode)
    groups = None if subjects is None else subjects[fit]
    sanitizer.fit(features.filter(pa.array(fit)), sensitive_features=s.filter(pa.array(fit)), groups=groups)
    rows = pa.array(released)
    before = features.filter(rows)
    after = sanitizer.transform(before)
    u = table.column(utility).filter(rows)
    path = folder / (name if decode == "sample" else f"{name}_{decode}")
    pq.write_table(before.select(after.column_names).append_column(utility, u), f"{path}.before.parquet")
    pq.write_table(after.append_column(utility, u), f"{path}.after.parquet")


def decoded_by_mode(
    sanitizer: withhold.DeepMinMax, X: pa.Table, H: np.ndarray, Z: np.ndarray, fit: np.ndarray, seed: int
) -> pa.Table:
    """Return the most likely values of all rows, by decoders of the representation Z fitted on the rows of the fit."""
    codec, drawing = sanitizer.codec_, sanitizer.decoder_
    folds = drawing.folds_of(sanitizer._read(X)[2])
    data = FitData(H=H[fit], sensitive=None, codec=codec, table=codec.check(X.filter(pa.array(fit))), device="cpu")
    made = CrossFittedDecoder.fit(Z[fit], data, folds[fit], drawing.salt, stream(seed, "decoder"), "mode")
    return made.decode(Z, codec, folds=folds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--case", nargs="*", default=list(CASES)[:5], choices=list(CASES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--decode", choices=("sample", "mode"), default="sample")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name in asked.case:
        release(name, asked.seed, asked.folder, asked.decode)
        print(f"wrote {asked.folder / name}.*.parquet", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
