"""InfoNCE: which of n partners is the own one, a bound that is steady and at most log n.

A. van den Oord, Y. Li, O. Vinyals, "Representation Learning with Contrastive Predictive Coding", arXiv 2018
(oord2018infonce).

The mean log share of the own partner among n, plus log n, is at most I(A; B) on average over sets of n records, for any
critic. It cannot exceed log n: the held-out rows are scored in sets as large as they come, up to 2,048.
"""

from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import RandomState
from withhold.information.estimators.contrast import info_nce
from withhold.information.estimators.critics import CriticTraining, cross_fitted, held_out_scores, info_nce_value
from withhold.information.estimators.estimator import InformationEstimator
from withhold.information.estimators.inputs import Pair

CONDITION = "The interval is of the sampling of held-out rows, for the critics that were found."


class InfoNCE(InformationEstimator):
    """Contrastive lower bound, at most the log of the number of records scored together.

    Parameters
    ----------
    training : CriticTraining, optional
    level : float, default=0.95
    random_state : int, Generator, RandomState or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a + rng.normal(size=500)  # .347 nat
    >>> found = InfoNCE(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
    >>> found.kind, 0.1 < found.value < 0.5
    ('lower_bound', True)
    """

    def __init__(
        self, *, training: CriticTraining | None = None, level: float = 0.95, random_state: RandomState = None
    ) -> None:
        self.training = training
        self.level = level
        self.random_state = random_state

    def _measure(self, pair: Pair) -> Quantity:
        folds = held_out_scores(pair, info_nce, self.training or CriticTraining(), self.random_state)
        found, self.batch_value_ = cross_fitted(folds, info_nce_value, "lower_bound", self.level, "InfoNCE", CONDITION)
        return found
