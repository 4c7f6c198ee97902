"""Adult, hiding sex and keeping everything else: DeepMinMax without `y`, the trivial rivals and the peers, one table.

Fitted on the official training part, audited on the official test part by the strong reading: attackers also train on
the released training part with its S. The release holds no income (`--drop-utility`).

    python benchmarks/deepminmax/adult.py [--case NAME ...] [--seed N ...] [--effort standard]
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

from ledger import Ledger, cpu_seconds, data_dir

import withhold

UTILITY, SENSITIVE = "income", "sex"


def load() -> tuple[pd.DataFrame, np.ndarray]:
    """Return the table without the split column, training part first, and the mask of the training part."""
    table = pd.read_parquet(data_dir() / "adult.parquet")
    table = table.sort_values("split", ascending=False, kind="stable", ignore_index=True)
    return table.drop(columns="split"), (table["split"] == "train").to_numpy()


def one_hot(X: pd.DataFrame) -> pd.DataFrame:
    """All categories one-hot, log1p of the two capital columns: what linear erasers are given."""
    X = X.assign(capital_gain=np.log1p(X.capital_gain), capital_loss=np.log1p(X.capital_loss))
    return pd.get_dummies(X, dtype=float)


def raw(X, s, u, fit, seed):
    return X


def leace(X, s, u, fit, seed):
    eraser = withhold.LEACE(output="table").fit(X[fit], sensitive_features=s[fit])
    return eraser.transform(X)


def leace_one_hot(X, s, u, fit, seed):
    X = one_hot(X)
    eraser = withhold.LEACE().fit(X.to_numpy()[fit], sensitive_features=s[fit])
    return pd.DataFrame(eraser.transform(X.to_numpy()), columns=X.columns)


def correlation_remover(X, s, u, fit, seed):
    from fairlearn.preprocessing import CorrelationRemover

    X = one_hot(X).assign(S=(s == "Male").astype(float))
    remover = CorrelationRemover(sensitive_feature_ids=["S"]).fit(X[fit])
    return pd.DataFrame(remover.transform(X), columns=X.columns[:-1])


def boosted_score(X, u, fit, seed) -> np.ndarray:
    """Log-odds of income by a boosted model, out of fold on the training part."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import cross_val_predict

    codes = X.apply(lambda c: c.cat.codes if c.dtype == "category" else c)
    model = HistGradientBoostingClassifier(random_state=seed)
    p = np.empty(len(X))
    p[fit] = cross_val_predict(model, codes[fit], u[fit], cv=5, method="predict_proba")[:, 1]
    p[~fit] = model.fit(codes[fit], u[fit]).predict_proba(codes[~fit])[:, 1]
    return np.log(p) - np.log1p(-p)


def hard_prediction(X, s, u, fit, seed):
    return pd.DataFrame({"prediction": (boosted_score(X, u, fit, seed) > 0).astype(int)})


def income_score(X, s, u, fit, seed):
    return pd.DataFrame({"score": boosted_score(X, u, fit, seed)})


def deepminmax(output: str, **settings) -> Callable:
    def make(X, s, u, fit, seed):
        sanitizer = withhold.DeepMinMax(output=output, random_state=seed, noise_seed=seed, **settings)
        kept = sanitizer.fit_transform(X[fit], sensitive_features=s[fit])
        make.diagnostics = sanitizer.diagnostics_
        return pd.concat([kept, sanitizer.transform(X[~fit])], ignore_index=True)

    return make


CASES: dict[str, Callable] = {
    "raw": raw,
    "LEACE, table": leace,
    "LEACE, one-hot matrix": leace_one_hot,
    "CorrelationRemover (fairlearn)": correlation_remover,
    "income score alone": income_score,
    "hard prediction of income alone": hard_prediction,
    "DeepMinMax, representation": deepminmax("representation"),
    "DeepMinMax, table": deepminmax("table"),
}
SEEDED = ("DeepMinMax, representation", "DeepMinMax, table")


def measure(name: str, seed: int, effort: str) -> dict:
    """Make one release and audit it; return the figures of one row."""
    table, fit = load()
    s, u = table[SENSITIVE].astype(str).to_numpy(), table[UTILITY].astype(str).to_numpy()
    X = table.drop(columns=[SENSITIVE, UTILITY])
    start = cpu_seconds()
    release = CASES[name](X, s, u, fit, seed)
    fit_seconds = cpu_seconds() - start
    record = withhold.audit_release(
        release, sensitive_features={SENSITIVE: s}, utility={UTILITY: u}, original=X, fit_rows=fit,
        utility_in_release=False, budget=0.03, effort=effort, random_state=seed,
    )  # fmt: skip
    found = record.sensitive[SENSITIVE]
    return {
        "balanced_accuracy": found.balanced_accuracy,
        "leakage": found.parts["audit"].value,
        "low": found.parts["audit"].low,
        "high": found.parts["audit"].high,
        "attacker": found.parts["audit"].attacker,
        "leakage_weak": found.leakage_weak.value if found.leakage_weak else None,
        "leakage_fit_part": found.parts["fit"].value if "fit" in found.parts else None,
        "utility": record.utility[UTILITY].score.release,
        "retention": record.mean_retention,
        "own_information": record.mean_own_information,
        "verdict": record.verdict,
        "critical": [f.code for f in record.findings if f.severity == "critical"],
        "game_estimate": getattr(CASES[name], "diagnostics", {}).get("game_leakage"),
        "make_cpu_seconds": round(fit_seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", action="append", choices=CASES, help="default: all")
    parser.add_argument("--seed", action="append", type=int, help="default: 0 1 2 for DeepMinMax, 0 for the rest")
    parser.add_argument("--effort", default="standard")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    ledger = Ledger("deepminmax_adult")
    for name in options.case or CASES:
        for seed in options.seed or ((0, 1, 2) if name in SEEDED else (0,)):
            ledger.measure(f"{name} / {seed}", lambda n=name, r=seed: measure(n, r, options.effort))


if __name__ == "__main__":
    main()
