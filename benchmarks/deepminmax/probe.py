"""Utility by a network as well: at quick effort the audit predicts U by logistic regression and boosting only, which
under-states what a user can still do with a dense representation."""

from typing import Any

import numpy as np

from withhold.audit.attackers.network import Network
from withhold.audit.effort import find_effort
from withhold.audit.view.view import AttackView
from withhold.data.frames import to_frame


def network_accuracy(release: Any, labels: np.ndarray, fit: np.ndarray, seed: int) -> float:
    """Train the audit's network on the fit part and return its accuracy on the rest."""
    matrix = AttackView.fit(to_frame(release).table, row_order=False).dense
    codes = np.unique(labels, return_inverse=True)[1]
    model = Network(find_effort("quick")).fit(matrix[fit], codes[fit], np.random.default_rng(seed))
    return float((model.log_proba(matrix[~fit]).argmax(axis=1) == codes[~fit]).mean())
