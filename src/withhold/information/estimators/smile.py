"""SMILE: a density ratio learned with bounded gradients, valued with clipped exponentials.

J. Song, S. Ermon, "Understanding the Limitations of Variational Mutual Information Estimators", ICLR 2020
(song2020smile).

The critic learns log p(a, b) / p(a) p(b) by the Jensen-Shannon contrast; the Donsker-Varadhan value then clips e^T over
product pairs to [e^-clip, e^clip], which bounds the spread that makes MINE useless at large information. Clipping makes
the mean of e^T too small, so the value can exceed the information: it is an estimate and no bound.
"""

from dataclasses import dataclass

import numpy as np

from withhold.contracts.checks import refused
from withhold.information.estimators.contrast import jensen_shannon
from withhold.information.estimators.critics import CriticEstimator, Objective
from withhold.information.estimators.mine import donsker_varadhan_value


@dataclass(kw_only=True, eq=False, repr=False)
class SMILE(CriticEstimator):
    """Clipped estimate of Song and Ermon: no bound.

    Parameters
    ----------
    clip : float, default=5.0
        Scores over product pairs are cut to [-clip, clip].
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
    >>> found = SMILE(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
    >>> found.kind, 0.1 < found.value < 0.5
    ('estimate', True)
    """

    kind = "estimate"
    condition = "The interval is of the sampling of held-out rows and does not hold the bias of clipping."
    clip: float = 5.0

    def _objectives(self) -> tuple[Objective, Objective]:
        if not self.clip > 0:
            raise refused("clip", "above 0", self.clip)
        return jensen_shannon, jensen_shannon

    def _value(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        return donsker_varadhan_value(scores, self.clip)
