"""The four problems of the comparison: features, S, U, and the rows that methods are fitted on."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from known_worlds.registry import WORLDS
from ledger import data_dir

COMPAS_FIT = 0.7
PARITY_ROWS = 40_000
MONEY = ("capital_gain", "capital_loss")


@dataclass(frozen=True)
class Problem:
    """One problem.

    Attributes
    ----------
    table : DataFrame
        Features in the shape they came in; neither S nor U.
    s, u : ndarray of str
    fit : ndarray of bool
        Rows that methods are fitted on; they are released too.
    names : tuple of str
        Of S and U.
    dense : bool
        Whether the features are an embedding, whose columns have no meaning of their own.
    """

    table: pd.DataFrame
    s: np.ndarray
    u: np.ndarray
    fit: np.ndarray
    names: tuple[str, str]
    dense: bool = False

    def matrix(self) -> pd.DataFrame:
        """Return what methods for matrices are given: categories one-hot, money as log1p, numbers as z-scores."""
        if self.dense:
            return self.table
        table = self.table.assign(**{name: np.log1p(self.table[name]) for name in MONEY if name in self.table})
        numbers = table.select_dtypes("number").columns
        table[numbers] = table[numbers].astype(float).fillna(table[numbers].median())
        table[numbers] = (table[numbers] - table.loc[self.fit, numbers].mean()) / table.loc[self.fit, numbers].std()
        return pd.get_dummies(table, dtype=float)


def adult(seed: int) -> Problem:
    """Adult, official parts; S = sex, U = income."""
    table = pd.read_parquet(data_dir() / "adult.parquet")
    table = table.sort_values("split", ascending=False, kind="stable", ignore_index=True)
    fit = (table["split"] == "train").to_numpy()
    s, u = table["sex"].astype(str).to_numpy(), table["income"].astype(str).to_numpy()
    return Problem(table.drop(columns=["split", "sex", "income"]), s, u, fit, ("sex", "income"))


def compas(seed: int) -> Problem:
    """COMPAS, the rows that ProPublica's own analysis keeps; S = race, its two large groups; U = two_year_recid."""
    table = pd.read_parquet(data_dir() / "compas_two_years.parquet")
    table = table[(table.propublica_filter == 1) & table.race.isin(["African-American", "Caucasian"])]
    table = table.reset_index(drop=True)
    s, u = table["race"].astype(str).to_numpy(), table["two_year_recid"].astype(str).to_numpy()
    # is_recid is U under another name; the text of the charge has hundreds of values.
    features = table.drop(columns=["id", "race", "two_year_recid", "is_recid", "propublica_filter", "c_charge_desc"])
    for name in features.select_dtypes(exclude="number"):
        features[name] = features[name].astype(str).astype("category")
    fit = np.zeros(len(table), dtype=bool)
    fit[np.random.default_rng([seed, 1]).permutation(len(table))[: int(COMPAS_FIT * len(table))]] = True
    return Problem(features, s, u, fit, ("race", "two_year_recid"))


def german(seed: int) -> Problem:
    """German credit; S = sex, U = credit. Sex also stands in the column of personal status, which is left out."""
    table = pd.read_parquet(data_dir() / "german_credit.parquet")
    s, u = table["sex"].astype(str).to_numpy(), table["credit"].astype(str).to_numpy()
    features = table.drop(columns=["personal_status", "sex", "credit"])
    for name in features.select_dtypes(exclude="number"):
        features[name] = features[name].astype(str).astype("category")
    return Problem(features, s, u, np.ones(len(table), dtype=bool), ("sex", "credit"))


def parity(name: str, seed: int) -> Problem:
    """Draw xor2 or xor3: S is the parity of signs in a latent; the first half of the rows is fitted on."""
    sample = WORLDS[name].draw(PARITY_ROWS, np.random.default_rng([seed, 2]))
    table = sample.release.to_pandas()
    fit = np.arange(PARITY_ROWS) < PARITY_ROWS // 2
    return Problem(table, sample.sensitive["s"].astype(str), sample.utility.astype(str), fit, ("s", "u"), dense=True)


PROBLEMS = {
    "Adult": adult,
    "COMPAS": compas,
    "xor2": lambda seed: parity("xor2", seed),
    "xor3": lambda seed: parity("xor3", seed),
}
