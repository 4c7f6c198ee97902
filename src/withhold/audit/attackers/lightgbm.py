"""LightGBM, an optional extra: a second, larger boosted forest."""

from typing import ClassVar, Self

import numpy as np

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.boosting import rounds_for
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.contracts.errors import MissingExtraError


class LightGbm(Attacker):
    """300 trees of 63 leaves; joins the panel with ``--attackers +lightgbm``."""

    name: ClassVar[str] = "lightgbm"
    inputs: ClassVar[InputKind] = "ordinal"
    extra: ClassVar[bool] = True

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Fit on one thread, so that the result is the same everywhere."""
        try:
            from lightgbm import LGBMClassifier
        except ImportError as error:
            raise MissingExtraError("The attacker 'lightgbm' needs LightGBM: pip install 'withhold[gbm]'.") from error
        self._model = LGBMClassifier(
            n_estimators=rounds_for(300, int(s.max()) + 1),
            num_leaves=63,
            learning_rate=0.05,
            random_state=int(rng.integers(2**31)),
            n_jobs=1,
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
        ).fit(X, s)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        proba = np.asarray(self._model.booster_.predict(X, num_threads=1), dtype=np.float64)
        if proba.ndim == 1:
            proba = np.column_stack([1.0 - proba, proba])
        return np.log(np.clip(proba, 1e-12, None))
