"""TabICL, an optional extra: a network that was trained on made-up tables and reads a new one without training.

Its package holds no weights and would fetch them from the internet, which an audit never does: the environment variable
WITHHOLD_TABICL names the file, such as tabicl-classifier-v2-20260212.ckpt, that you fetched before. The file is read
by PyTorch as tensors alone. Reference: Qu, Holzmüller, Varoquaux and Le Morvan, ICML 2025, arXiv:2502.05564.
"""

import os
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.contracts.errors import MissingExtraError

WEIGHTS = "WITHHOLD_TABICL"
# Rows that are read beside each guess, and columns: on a processor twice the rows take three times as long.
MOST_ROWS, MOST_COLUMNS = 10_000, 500


class TabIcl(Attacker):
    """TabICL on category codes and raw numbers; joins the panel with ``--attackers +tabicl``."""

    name: ClassVar[str] = "tabicl"
    inputs: ClassVar[InputKind] = "ordinal"
    extra: ClassVar[bool] = True

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Keep the rows, or a random part of them, for the network; on the processor, the same for everybody."""
        try:
            from tabicl import TabICLClassifier
        except ImportError as error:
            raise MissingExtraError("The attacker 'tabicl' needs TabICL: pip install 'withhold[tabicl]'.") from error
        weights = os.environ.get(WEIGHTS, "")
        if not weights or not Path(weights).is_file():
            found = f"File not found: {weights!r}. " if weights else ""
            raise MissingExtraError(
                f"{found}The attacker 'tabicl' needs its weights: download them from "
                f"https://huggingface.co/jingang/TabICL and set {WEIGHTS} to the file."
            )
        rows = np.arange(len(X))
        if len(rows) > MOST_ROWS:
            part = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
            rows = part if len(np.unique(s[part])) == len(np.unique(s)) else rows[:MOST_ROWS]
        self._model = TabICLClassifier(
            model_path=weights,
            allow_auto_download=False,
            device="cpu",
            use_amp=False,
            random_state=int(rng.integers(2**31)),
            n_jobs=1,
        ).fit(X[rows, :MOST_COLUMNS], s[rows])
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        proba = np.asarray(self._model.predict_proba(X[:, :MOST_COLUMNS]), dtype=np.float64)
        return np.asarray(np.log(np.clip(proba, 1e-12, None)))
