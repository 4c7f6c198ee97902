"""NWJ: the bound of Nguyen, Wainwright and Jordan, unbiased for any fixed critic.

X. Nguyen, M. J. Wainwright, M. I. Jordan, "Estimating divergence functionals and the likelihood ratio by convex risk
minimization", IEEE Transactions on Information Theory 2010 (nguyen2010nwj).

E[T] on joint pairs minus E[e^(T-1)] on product pairs is at most I(A; B), with equality at T = 1 + log ratio. Without a
log around the mean it is unbiased on held-out rows, at the price of being lower than MINE for the same critic.
"""

from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import RandomState
from withhold.information.estimators.contrast import nguyen_wainwright_jordan
from withhold.information.estimators.critics import (
    CriticTraining,
    cross_fitted,
    held_out_scores,
    nguyen_wainwright_jordan_value,
)
from withhold.information.estimators.estimator import InformationEstimator
from withhold.information.estimators.inputs import Pair

CONDITION = "The interval is of the sampling of held-out rows, for the critics that were found."


class NWJ(InformationEstimator):
    """Lower bound of Nguyen, Wainwright and Jordan.

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
    >>> found = NWJ(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
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
        folds = held_out_scores(pair, nguyen_wainwright_jordan, self.training or CriticTraining(), self.random_state)
        value = nguyen_wainwright_jordan_value
        found, self.batch_value_ = cross_fitted(folds, value, "lower_bound", self.level, "NWJ", CONDITION)
        return found
