"""Utility by a network and by boosted trees as well: at quick effort the audit predicts U by logistic regression and
small trees only, which under-states what a user can still do with a release."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from withhold.audit.attackers.network import Network
from withhold.audit.effort import find_effort
from withhold.audit.view import AttackView
from withhold.data.frames import to_frame


def network_accuracy(release: Any, labels: np.ndarray, fit: np.ndarray, seed: int) -> float:
    """Train the audit's network on the fit part and return its accuracy on the rest."""
    matrix = AttackView.fit(to_frame(release).table, row_order=False).dense
    codes = np.unique(labels, return_inverse=True)[1]
    model = Network(find_effort("quick")).fit(matrix[fit], codes[fit], np.random.default_rng(seed))
    return float((model.log_proba(matrix[~fit]).argmax(axis=1) == codes[~fit]).mean())


def boosted_accuracy(release: Any, labels: np.ndarray, fit: np.ndarray, seed: int) -> float:
    """Train boosted trees with scikit-learn's defaults on the fit part and return their accuracy on the rest."""
    frame = release if isinstance(release, pd.DataFrame) else pd.DataFrame(np.asarray(release))
    numbers = frame.apply(lambda c: c.cat.codes if isinstance(c.dtype, pd.CategoricalDtype) else c)
    X = numbers.to_numpy(dtype=float)
    model = HistGradientBoostingClassifier(random_state=seed).fit(X[fit], labels[fit])
    return float((model.predict(X[~fit]) == labels[~fit]).mean())
