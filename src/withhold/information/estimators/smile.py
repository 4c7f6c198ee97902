"""SMILE: a density ratio learned with bounded gradients, valued with clipped exponentials.

J. Song, S. Ermon, "Understanding the Limitations of Variational Mutual Information Estimators", ICLR 2020
(song2020smile).

The critic learns log p(a, b) / p(a) p(b) by the Jensen-Shannon contrast; the Donsker-Varadhan value then clips e^T over
product pairs to [e^-clip, e^clip], which bounds the spread that makes MINE useless at large information. Clipping makes
the mean of e^T too small, so the value can exceed the information: it is an estimate and no bound.
"""

from functools import partial

from withhold.contracts.checks import refused
from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import RandomState
from withhold.information.estimators.contrast import jensen_shannon
from withhold.information.estimators.critics import (
    CriticTraining,
    cross_fitted,
    donsker_varadhan_value,
    held_out_scores,
)
from withhold.information.estimators.estimator import InformationEstimator
from withhold.information.estimators.inputs import Pair

CONDITION = "The interval is of the sampling of held-out rows and does not hold the bias of clipping."


class SMILE(InformationEstimator):
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
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a + rng.normal(size=500)  # .347 nat
    >>> found = SMILE(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
    >>> found.kind, 0.1 < found.value < 0.5
    ('estimate', True)
    """

    def __init__(
        self,
        *,
        clip: float = 5.0,
        training: CriticTraining | None = None,
        level: float = 0.95,
        random_state: RandomState = None,
    ) -> None:
        self.clip = clip
        self.training = training
        self.level = level
        self.random_state = random_state

    def _measure(self, pair: Pair) -> Quantity:
        if not self.clip > 0:
            raise refused("clip", "above 0", self.clip)
        folds = held_out_scores(pair, jensen_shannon, self.training or CriticTraining(), self.random_state)
        value = partial(donsker_varadhan_value, clip=self.clip)
        found, self.batch_value_ = cross_fitted(folds, value, "estimate", self.level, "SMILE", CONDITION)
        return found
