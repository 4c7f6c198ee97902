"""InfoNCE: which of n partners is the own one, a bound that is steady and at most log n.

A. van den Oord, Y. Li, O. Vinyals, "Representation Learning with Contrastive Predictive Coding", arXiv 2018
(oord2018infonce).

The mean log share of the own partner among n, plus log n, is at most I(A; B) on average over sets of n records, for any
critic. It cannot exceed log n: the held-out rows are scored in sets as large as they come, up to 2,048.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from withhold.information.estimators.contrast import info_nce
from withhold.information.estimators.critics import CriticEstimator, Objective


@dataclass(kw_only=True, eq=False, repr=False)
class InfoNCE(CriticEstimator):
    """Contrastive lower bound, at most the log of the number of records scored together.

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
    >>> found = InfoNCE(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
    >>> found.kind, 0.1 < found.value < 0.5
    ('lower_bound', True)
    """

    def _objectives(self) -> tuple[Objective, Objective]:
        return info_nce, info_nce

    def _value(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        return info_nce_value(scores)


def info_nce_value(scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean log share of the own partner plus log n, and contributions.

    Examples
    --------
    >>> info_nce_value(np.zeros((4, 4)))[0]
    0.0
    """
    n = len(scores)
    log_share = scores - logsumexp(scores, axis=1, keepdims=True)
    own = log_share.diagonal() + np.log(n)
    taken = np.exp(log_share).sum(axis=0) - 1.0  # how much a record's b took from the others
    return float(own.mean()), own - taken
