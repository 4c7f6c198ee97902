"""Diabetes, Adult and chest X-rays under CADP: what a model trained on the release is worth on originals, with control.

Half of the records train the flow, the other half is released (`withhold.workflow`'s own division is not used: this is
the Python interface). Diabetes: marginals and correlations before and after as well, as in the paper's Fig. 6.
"""

import argparse
import functools
import os
import sys
import warnings
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pyarrow as pa  # noqa: E402
import torch  # noqa: E402
from ledger import Ledger, data_dir  # noqa: E402
from scipy import stats  # noqa: E402
from sklearn.datasets import load_diabetes  # noqa: E402

from withhold.audit.kept.transfer import transfer  # noqa: E402
from withhold.audit.people.linkage import link  # noqa: E402
from withhold.contracts.images import image_column  # noqa: E402
from withhold.data.attributes import read_attributes  # noqa: E402
from withhold.methods.cadp.cadp import CADP  # noqa: E402

EPSILONS = (1, 4, 10)
SETTINGS = {"adult": {"rounds": 2000}, "pneumonia": {"rounds": 300}, "diabetes": {"rounds": 600}}


def read(name, folder):
    """Return the records as a table, and the column released as their class."""
    if name == "diabetes":
        data = load_diabetes(as_frame=True, scaled=False)
        table = data.frame.rename(columns={"target": "progression"})
        table["sex"] = np.where(table["sex"] > 1.5, "b", "a")
        return pa.Table.from_pandas(table, preserve_index=False), "sex"
    if name == "adult":
        table = pd.read_parquet(folder / "adult.parquet").drop(columns="split").sample(20_000, random_state=0)
        return pa.Table.from_pandas(table, preserve_index=False), "income"
    data = np.load(folder / "pneumoniamnist28.npz")
    images, labels = (np.concatenate([data[f"{what}_{part}"] for part in ("train", "val")]) for what in ("x", "y"))
    return pa.table({"image": image_column(images), "ill": np.where(labels.ravel() > 0, "yes", "no")}), "ill"


@functools.cache
def fitted(name, folder, seed):
    """Return the private half, its class, and CADP with its flow trained on the other half."""
    table, label = read(name, folder)
    order = np.random.default_rng(seed).permutation(table.num_rows)
    public, private = (table.take(pa.array(rows)) for rows in np.array_split(order, 2))
    return private, label, CADP(random_state=seed, **SETTINGS[name]).fit(public, label)


def measure(name, folder, epsilon, seed):
    private, label, method = fitted(name, folder, seed)
    method = method.with_mechanism(epsilon=epsilon)
    released = method.transform(private)
    original = private.select(released.column_names)
    control = method.control(private.column(label))
    if not isinstance(control, pa.Table):
        control = pa.table({"image": image_column(control)})
    told = read_attributes(private.select([label]))[0]
    found = {"round_trip": method.diagnostics_["round_trip"], "held_out_nats": method.diagnostics_["held_out_nats"]}
    result = transfer(told, original, released, control, effort="quick", seed=seed)
    if result is not None:
        found[f"{label} predicted"] = {who: round(value, 4) for who, value in result.model_dump().items()}
    linked = link(original, released, seed=seed)
    if linked is not None:
        found |= {"linked": round(linked.found.value, 4), "chance": round(linked.chance, 4)}
    if name == "diabetes":
        found |= shape(original.to_pandas(), released.to_pandas(), control.to_pandas())
    found["promise"] = method.guarantee().claim[:120]
    return found


def shape(before, after, control):
    """Return the mean distance of marginals, and of correlations, before and after; the control's beside them."""
    out = {}
    for who, made in (("release", after), ("no record", control)):
        distances = [stats.ks_2samp(before[c], made[c]).statistic for c in before.columns]
        apart = np.abs(before.corr().to_numpy() - made.corr().to_numpy())
        out[f"{who}: mean Kolmogorov distance of marginals"] = round(float(np.mean(distances)), 4)
        out[f"{who}: mean difference of correlations"] = round(float(apart[np.triu_indices(len(apart), 1)].mean()), 4)
    own = [np.corrcoef(before[c], after[c])[0, 1] for c in before.columns]
    out["mean correlation of a value with its release"] = round(float(np.mean(own)), 4)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", default=["diabetes", "pneumonia", "adult"])
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    given = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    folder, ledger = data_dir(), Ledger("cadp_tables")
    for name in given.data:
        for epsilon in given.epsilons:
            ledger.measure(f"{name}, epsilon {epsilon:g}, seed 0", lambda n=name, e=epsilon: measure(n, folder, e, 0))


if __name__ == "__main__":
    main()
