"""AIOI on mixed tables: Adult, COMPAS, German credit; budgets, the certified bound, trivial rivals, joint validity.

Fitted on one part, audited on the other by the strong reading: attackers also train on the released part of the fit
with its S. The release holds no U. Settings were settled on splits of Adult's training part; on the test part they are
measured once a seed. A case that is in results/aioi_tables.json is not repeated.

    python benchmarks/aioi/tables.py [--data NAME ...] [--form NAME ...] [--budget K ...] [--seed N ...] [--list]
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "deepminmax"))

from ledger import Ledger, cpu_seconds, data_dir
from probe import network_accuracy
from problems import Problem, adult, compas
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_predict

import withhold
from withhold.data.codec import TableCodec
from withhold.data.frames import to_frame
from withhold.information.bounds import frontier
from withhold.methods.aioi.aioi import AIOI
from withhold.methods.aioi.table_channel import pairs_seen

GERMAN_FIT = 0.7


def german(seed: int) -> Problem:
    """German credit; S = age over 25, U = credit; age itself is dropped."""
    table = pd.read_parquet(data_dir() / "german_credit.parquet")
    s, u = table["age_over_25"].astype(str).to_numpy(), table["credit"].astype(str).to_numpy()
    features = table.drop(columns=["age_over_25", "age", "credit"])
    for name in features.select_dtypes(exclude="number"):
        features[name] = features[name].astype(str).astype("category")
    fit = np.zeros(len(table), dtype=bool)
    fit[np.random.default_rng([seed, 1]).permutation(len(table))[: int(GERMAN_FIT * len(table))]] = True
    return Problem(features, s, u, fit, ("age_over_25", "credit"))


DATA: dict[str, Callable[[int], Problem]] = {"Adult": adult, "COMPAS": compas, "German": german}
FORMS = {
    "utility": {"output": "representation"},
    "columns": {"output": "representation", "retention": 0.3},
    "table": {"output": "table", "retention": 0.2},
}
RIVALS = ("raw", "score", "hard prediction")
# What the bars of Adult are about; the sweep goes around it.
BUDGETS = {"utility": 0.015, "columns": 0.025, "table": 0.03}
SWEEP = (0.01, 0.05, 0.1)
SEEDS = (0, 1, 2)


def codes(X: pd.DataFrame) -> np.ndarray:
    """Return one number a column for trees."""
    numbers = X.apply(lambda c: c.cat.codes if isinstance(c.dtype, pd.CategoricalDtype) else c)
    return numbers.to_numpy(dtype=float)


def score(problem: Problem, seed: int) -> np.ndarray:
    """Log-odds of U by a boosted model, out of fold on the part it is fitted on."""
    X, u, fit = codes(problem.table), problem.u, problem.fit
    model = HistGradientBoostingClassifier(random_state=seed)
    p = np.empty(len(X))
    p[fit] = cross_val_predict(model, X[fit], u[fit], cv=5, method="predict_proba")[:, 1]
    p[~fit] = model.fit(X[fit], u[fit]).predict_proba(X[~fit])[:, 1]
    return np.log(p) - np.log1p(-p)


def told(release: object, problem: Problem, seed: int) -> tuple[float, float]:
    """Return H(U) - CE in nats and the accuracy of a model of U trained on the released part of the fit."""
    frame = release if isinstance(release, pd.DataFrame) else pd.DataFrame(np.asarray(release))
    X, u, fit = codes(frame), np.unique(problem.u, return_inverse=True)[1], problem.fit
    model = HistGradientBoostingClassifier(random_state=seed).fit(X[fit], u[fit])
    p = model.predict_proba(X[~fit])
    shares = np.bincount(u[~fit]) / (~fit).sum()
    cross = -np.log(np.maximum(p[np.arange(len(p)), u[~fit]], 1e-9)).mean()
    return float(-(shares * np.log(shares)).sum() - cross), float((p.argmax(axis=1) == u[~fit]).mean())


def distance(problem: Problem, leakage: float, u_raw: float, u_released: float) -> dict:
    """Return the loss of utility and the certified least loss at the leakage that was found, both in nats."""
    u, s = (np.unique(values, return_inverse=True)[1] for values in (problem.u, problem.s))
    joint = np.zeros((u.max() + 1, s.max() + 1))
    np.add.at(joint, (u, s), 1.0)
    found = frontier(joint / joint.sum(), [max(0.0, leakage)], utility_information=max(u_raw, 0.0))
    bound = float(found.lower_bound[0])
    return {"loss": u_raw - u_released, "certified_least_loss": bound, "distance": u_raw - u_released - bound}


def validity(release: pd.DataFrame, problem: Problem) -> dict:
    """Return the share of pairs of values, and of whole rows, of which the fit part has every pair of cells."""
    table = to_frame(problem.table[problem.fit].reset_index(drop=True)).table
    codec = TableCodec.fit(table)
    seen = pairs_seen(codec.cells(table), codec.cell_counts).numpy()

    def shares(frame: pd.DataFrame) -> tuple[float, float]:
        cells = codec.cells(to_frame(frame).table) + np.array(codec.cell_offsets[:-1])
        known = np.stack([seen[cells[:, i], cells[:, j]] for j in range(cells.shape[1]) for i in range(j)])
        return float(known.mean()), float(known.all(axis=0).mean())

    part = ~problem.fit
    pairs, rows = shares(release[part].reset_index(drop=True))
    raw_pairs, raw_rows = shares(problem.table[part].reset_index(drop=True))
    return {"pairs_seen": pairs, "rows_seen": rows, "pairs_seen_raw": raw_pairs, "rows_seen_raw": raw_rows}


def fixed_accuracy(release: pd.DataFrame, problem: Problem, seed: int) -> float:
    """Return the accuracy, on the release, of a model that was trained on the records themselves."""
    columns, fit = release.columns, problem.fit
    X = problem.table[columns]
    model = HistGradientBoostingClassifier(random_state=seed).fit(codes(X[fit]), problem.u[fit])
    aligned = release.assign(
        **{
            name: pd.Categorical(release[name].astype(str), X[name].cat.categories.astype(str))
            for name in columns
            if isinstance(X[name].dtype, pd.CategoricalDtype)
        }
    )
    return float((model.predict(codes(aligned[~fit])) == problem.u[~fit]).mean())


def judge(release: object, problem: Problem, seed: int, effort: str) -> dict:
    """Audit a release without U."""
    sensitive, utility = problem.names
    record = withhold.audit_release(
        release,
        sensitive_features=pd.DataFrame({sensitive: problem.s}),
        utility=pd.DataFrame({utility: problem.u}),
        original=problem.table,
        fit_rows=problem.fit,
        utility_in_release=False,
        budget=0.03,
        effort=effort,
        random_state=seed,
    )
    found = record.sensitive[sensitive]
    part = found.parts["audit"]
    u_raw, _ = told(problem.table, problem, seed)
    u_released, retrained = told(release, problem, seed)
    return {
        "effort": effort,
        "balanced_accuracy": found.balanced_accuracy,
        "leakage": part.value,
        "low": part.low,
        "high": part.high,
        "attacker": part.attacker,
        "leakage_fit_part": found.parts["fit"].value,
        "leakage_weak": found.leakage_weak.value if found.leakage_weak else None,
        "utility": record.utility[utility].score.release,
        "utility_raw": record.utility[utility].score.raw,
        "utility_retrained_trees": retrained,
        "utility_retrained_network": network_accuracy(release, problem.u, problem.fit, seed),
        "utility_information": u_released,
        "utility_information_raw": u_raw,
        "retention": record.mean_retention,
        "own_information": record.mean_own_information,
        "verdict": record.verdict,
        "critical": sorted({f.code for f in record.findings if f.severity == "critical"}),
    } | distance(problem, part.value, u_raw, u_released)


def rival(name: str, problem: Problem, seed: int) -> pd.DataFrame:
    """Return a release that needs no method."""
    if name == "raw":
        return problem.table
    odds = score(problem, seed)
    return pd.DataFrame({"score": odds} if name == "score" else {"prediction": (odds > 0).astype(int)})


def measure(data: str, form: str, budget: float | None, seed: int, effort: str) -> dict:
    """Make one release and judge it."""
    problem, start = DATA[data](seed), cpu_seconds()
    X, s, u, fit = problem.table, problem.s, problem.u, problem.fit
    if budget is None:
        return judge(rival(form, problem, seed), problem, seed, effort)
    method = AIOI(budget=budget, random_state=seed, noise_seed=seed, **FORMS[form])
    release = method.fit(X[fit], u[fit], sensitive_features=s[fit]).transform(X)
    made = {"make_cpu_seconds": round(cpu_seconds() - start, 1), "game_leakage": method.diagnostics_["game_leakage"]}
    if isinstance(release, pd.DataFrame):
        made |= validity(release, problem) | {"utility_fixed": fixed_accuracy(release, problem, seed)}
    return judge(release, problem, seed, effort) | made


def cases(options: argparse.Namespace) -> list[tuple[str, str, float | None, int]]:
    """Return what is asked for, what has a bar first."""
    wanted = options.form or [*FORMS, *RIVALS]
    found: list[tuple[str, str, float | None, int]] = []
    for seed in options.seed or SEEDS:
        for data in options.data or DATA:
            for form in [name for name in wanted if name in FORMS]:
                found += [(data, form, budget, seed) for budget in options.budget or [BUDGETS[form]]]
            if seed == (options.seed or SEEDS)[0]:
                found += [(data, name, None, seed) for name in wanted if name in RIVALS]
    if not options.budget and not options.form:
        found += [
            (data, form, budget, (options.seed or SEEDS)[0])
            for data in options.data or DATA
            for form in FORMS
            for budget in SWEEP
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", action="append", choices=list(DATA))
    parser.add_argument("--form", action="append", choices=[*FORMS, *RIVALS])
    parser.add_argument("--budget", action="append", type=float)
    parser.add_argument("--seed", action="append", type=int)
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--list", action="store_true", help="say what would be run")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    ledger = Ledger("aioi_tables")
    for data, form, budget, seed in cases(options):
        key = f"{data} / {form} / {seed}" if budget is None else f"{data} / {form} / {budget:g} / {seed}"
        key = key if options.effort == "quick" else f"{key} / {options.effort}"
        if options.list:
            print(key, "(in the file)" if key in ledger.cases else "")
        else:
            ledger.measure(key, lambda d=data, f=form, b=budget, r=seed: measure(d, f, b, r, options.effort))


if __name__ == "__main__":
    main()
