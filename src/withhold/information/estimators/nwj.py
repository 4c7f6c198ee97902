"""NWJ: the bound of Nguyen, Wainwright and Jordan, unbiased for any fixed critic.

X. Nguyen, M. J. Wainwright, M. I. Jordan, "Estimating divergence functionals and the likelihood ratio by convex risk
minimization", IEEE Transactions on Information Theory 2010 (nguyen2010nwj).

E[T] on joint pairs minus E[e^(T-1)] on product pairs is at most I(A; B), with equality at T = 1 + log ratio. Without a
log around the mean it is unbiased on held-out rows, at the price of being lower than MINE for the same critic.
"""

from dataclasses import dataclass

import numpy as np

from withhold.information.estimators.contrast import nguyen_wainwright_jordan
from withhold.information.estimators.critics import CriticEstimator, Objective, product_mean


@dataclass(kw_only=True, eq=False, repr=False)
class NWJ(CriticEstimator):
    """Lower bound of Nguyen, Wainwright and Jordan.

    Parameters
    ----------
    training : CriticTraining, optional
    level : float, default=0.95
    random_state : int, Generator, RandomState or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from withhold.information.estimators.critics import CriticTraining
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a + rng.normal(size=500)  # .347 nat
    >>> found = NWJ(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
    >>> found.kind, 0.1 < found.value < 0.5
    ('lower_bound', True)
    """

    def _objectives(self) -> tuple[Objective, Objective]:
        return nguyen_wainwright_jordan, nguyen_wainwright_jordan

    def _value(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        return nguyen_wainwright_jordan_value(scores)


def nguyen_wainwright_jordan_value(scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Return mean T - mean e^(T - 1), which needs no correction, and contributions.

    Examples
    --------
    >>> nguyen_wainwright_jordan_value(np.ones((3, 3)))[0]
    0.0
    """
    log_mean, relative = product_mean(scores - 1.0)
    mean = float(np.exp(log_mean))
    return float(scores.diagonal().mean()) - mean, scores.diagonal() - mean * (1.0 + relative)
