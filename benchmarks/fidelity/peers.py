"""Tables that others would hand over beside ours, under the same attackers and the same measures of fidelity.

    python benchmarks/fidelity/peers.py [--case demo] [--release NAME ...] [--synthetic FOLDER]

Leakage is the panel's reading at effort quick on rows that nothing was fitted on (attackers learn from the fit part,
released, with its S). Of ours the table is read beside the representation Z that it is drawn from. Resumable;
results/fidelity_peers.json. FOLDER holds what `synthetic.py` wrote: its rows are nobody's, so no attacker reads them.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "releases"))
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from anonymity import parts
from ledger import Ledger
from make import CASES, decoded_by_mode
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

import withhold
from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.effort import find_effort
from withhold.audit.fidelity.fidelity import measure_fidelity
from withhold.audit.leakage.attack import Panel, attack
from withhold.audit.leakage.material import make_material
from withhold.audit.leakage.parts import Judge, attacker_results
from withhold.audit.request import make_design, parts_of, read_request

SEED, EFFORT, LEVEL, K, TELLS = 0, "quick", 0.95, 10, 0.01
SWAPPED, BUDGETS = (0.1, 0.3), (0.01, 0.03, 0.1)
# Columns that an outsider may know of a person; the others are left as they are.
QUASI = {
    "demo": ["inc", "age", "fsize", "male"],
    "compas": ["age", "sex", "priors_count", "c_charge_degree"],
    "german": ["age", "personal_status", "skill_level", "foreign_worker"],
    "adult": ["age", "education", "marital_status", "occupation", "relationship", "race", "native_country"],
}


def told(X: pa.Table, s: np.ndarray) -> dict[str, float]:
    """Return what each column alone tells of S, in nats, by boosted trees."""
    prior = np.unique(s, return_counts=True)[1] / len(s)
    found = {}
    for name in X.column_names:
        values = np.array(X.column(name).to_pylist(), dtype=object)
        number = all(v is None or isinstance(v, int | float) for v in values)
        x = np.array([np.nan if v is None else v for v in values], float) if number else levels(values)
        model = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8)
        p = cross_val_predict(model, x[:, None], s, cv=3, method="predict_proba")
        found[name] = float(-(prior * np.log(prior)).sum() - log_loss(s, p))
    return found


def levels(values: np.ndarray) -> np.ndarray:
    """Return codes of levels, of the commonest 250 of them."""
    names, codes, counts = np.unique([str(v) for v in values], return_inverse=True, return_counts=True)
    place = np.full(len(names), 250)
    place[np.argsort(-counts)[:250]] = np.arange(min(250, len(names)))
    return place[codes].astype(float)


def swapped(X: pa.Table, share: float) -> pa.Table:
    """Exchange the values of each column among a random part of the rows."""
    rng, columns = np.random.default_rng(SEED), {}
    for name in X.column_names:
        order = np.arange(X.num_rows)
        rows = rng.permutation(X.num_rows)[: int(share * X.num_rows)]
        order[rows] = rng.permutation(rows)
        columns[name] = X.column(name).take(pa.array(order))
    return pa.table(columns)


def anonymous(X: pa.Table, quasi: list[str]) -> pa.Table:
    """Make at least `K` records alike in `quasi`: numbers become their mean, levels the set of them."""
    frame = X.to_pandas()
    ranks = np.column_stack([frame[name].astype(str).rank(method="dense") if frame[name].dtype.kind not in "iuf"
                             else frame[name].rank(method="dense") for name in quasi])  # fmt: skip
    ranks = (ranks - ranks.min(axis=0)) / np.maximum(np.ptp(ranks, axis=0), 1)
    out = {name: np.empty(len(frame), dtype=object) for name in quasi}
    for rows in parts(ranks, np.arange(len(frame)), K):
        for name in quasi:
            values = frame[name].iloc[rows]
            number = values.dtype.kind in "iuf"
            out[name][rows] = float(values.mean()) if number else "|".join(sorted(values.astype(str).unique()))
    made = {name: pa.array(out[name].tolist()) for name in quasi}
    return pa.table({name: made.get(name, X.column(name)) for name in X.column_names})


def releases(case: str, X: pa.Table, s: np.ndarray, fit: np.ndarray, asked: list[str] | None) -> Iterator:
    """Yield each release with a function that makes it: a table, and an array where one stands behind it."""
    part = pa.array(fit)
    wanted = lambda name: asked is None or name in asked  # noqa: E731
    yield "nothing hidden", lambda: (X, None)
    clear = f"columns dropped that alone tell more than {TELLS} nat"
    if wanted(clear):
        yield clear, lambda: (X.drop_columns([n for n, v in told(X.filter(part), s[fit]).items() if v > TELLS]), None)
    for share in SWAPPED:
        yield f"values swapped, {share:.0%} of rows", lambda share=share: (swapped(X, share), None)
    yield f"k-anonymous, k = {K}", lambda: (anonymous(X, QUASI[case]), None)
    for budget in (None, *BUDGETS):
        for decode in ("sample", "mode"):
            name = f"DeepMinMax, {'defaults' if budget is None else f'budget {budget}'}, {decode}"
            yield name, lambda budget=budget, decode=decode: ours(X, s, fit, budget, decode)


FITTED: dict[float | None, withhold.DeepMinMax] = {}


def ours(X: pa.Table, s: np.ndarray, fit: np.ndarray, budget: float | None, decode: str) -> tuple[pa.Table, np.ndarray]:
    """Return our table and the representation it is drawn from; both decoders read the same one."""
    part = pa.array(fit)
    if budget not in FITTED:
        more = {} if budget is None else {"budget": budget}
        made = withhold.DeepMinMax(random_state=SEED, noise_seed=SEED, output="table", **more)
        FITTED[budget] = made.fit(X.filter(part), sensitive_features=s[fit])
    sanitizer = FITTED[budget]
    _, H, records = sanitizer._read(X)
    Z, folds = sanitizer._release(H, records), sanitizer.decoder_.folds_of(records)
    if decode == "sample":
        return sanitizer._decode(Z, folds, records), Z
    return decoded_by_mode(sanitizer, X, H, Z, fit, SEED), Z


def read(release: pa.Table | np.ndarray, X: pa.Table, s: np.ndarray, names: tuple[str, str], fit: np.ndarray) -> dict:
    """Attack one release; the reading of rows that nothing was fitted on."""
    table = release if isinstance(release, pa.Table) else pa.table({f"z{j}": z for j, z in enumerate(release.T)})
    request = read_request(table, pa.table({names[0]: s}), None, None, X, fit, None)
    panel = Panel(choose_panel(None), list(all_score_attackers().values()))
    design = make_design(request, find_effort(EFFORT), SEED)
    judge = Judge(LEVEL, SEED, None, parts_of(request))
    found = attack(
        make_material(request, utility_in_release=False).view, request.sensitive[0], panel, design, "release"
    )
    readings = judge.read(found)
    right = {n: one.balanced_accuracy for n, one in attacker_results(judge, found, readings, panel.inputs()).items()}
    worst = judge.worst(readings)
    return {
        "leakage": readings["audit"].value,
        "interval": [readings["audit"].low, readings["audit"].high],
        "leakage_worse_part": worst.value,
        "balanced_accuracy": max(value for value in right.values() if value is not None),
    }


def likeness(before: pa.Table, after: pa.Table, utility: str, unseen: np.ndarray | None) -> dict:
    """Return the figures of fidelity."""
    rng = np.random.default_rng(SEED)
    found = measure_fidelity(before, after, rng, trained_rows=20_000, utility=[utility], unseen=unseen)
    of_u = found.columns[utility].prediction
    return {
        "column_shapes": found.column_shapes,
        "pair_trends": found.pair_trends,
        "usable": [found.usable, found.compared],
        "absent": len(found.absent),
        "prediction_loss": found.prediction_loss,
        "utility": None if of_u is None else [of_u.original, of_u.release],
        "most_moved": max(one.moved or 0.0 for one in found.columns.values()),
    }


def main() -> None:
    """Measure all releases of a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", default="demo", choices=list(QUASI))
    parser.add_argument("--release", nargs="*")
    parser.add_argument("--synthetic", type=Path)
    asked = parser.parse_args()
    ledger = Ledger("fidelity_peers")
    table, sensitive, utility, fit, _, _ = CASES[asked.case](SEED)
    s = np.array(table.column(sensitive).to_pylist()).astype(str)
    X = table.drop_columns([sensitive, utility])
    u = table.column(utility)

    def measure(make) -> dict:
        after, behind = make()
        found = read(after, X, s, (sensitive, utility), fit)
        if behind is not None:
            found["of_representation"] = read(behind, X, s, (sensitive, utility), fit)
        both = X.append_column(utility, u), after.append_column(utility, u)
        return found | likeness(*both, utility, ~fit)

    for name, make in releases(asked.case, X, s, fit, asked.release):
        if asked.release is None or name in asked.release:
            ledger.measure(f"{asked.case} / {name}", lambda make=make: measure(make))
    for path in sorted(asked.synthetic.glob(f"{asked.case}.*.parquet")) if asked.synthetic else ():
        rows = pa.array(fit)
        before, after = X.append_column(utility, u).filter(rows), pq.read_table(path)
        key = f"{asked.case} / {path.name.split('.')[1]}"
        ledger.measure(key, lambda a=after, b=before: likeness(b, a.slice(0, b.num_rows), utility, None))


if __name__ == "__main__":
    main()
