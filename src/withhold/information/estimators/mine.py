"""MINE: the Donsker-Varadhan bound with a trained critic, valued on rows the critic has not seen.

M. I. Belghazi et al., "Mutual Information Neural Estimation", ICML 2018 (belghazi2018mine).

I(A; B) is the largest value over all T of E[T] on joint pairs minus log E[e^T] on product pairs. Any one T gives a
lower bound. Departures from the paper, and why:

1. The value is that of held-out rows: on its training rows a critic reads what it memorised, above the truth.
2. All pairs of a batch are product pairs, not one shuffle; a log of a mean over few pairs is too small, and the bound
   too large. The rest of that bias is subtracted to first order.
3. Means of exponentials are taken in logs.
4. The critic is separable unless asked otherwise; the running average (EMA) that makes the gradient unbiased is an
   option, because with whole batches of pairs its effect is small.

No estimator of this kind can certify more than about log n nats (mcallester2020limitations), and the spread of this
one grows exponentially with the information (song2020smile).
"""

import math

import torch
from torch import Tensor

from withhold.contracts.checks import refused
from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import RandomState
from withhold.information.estimators.contrast import averaged_donsker_varadhan, donsker_varadhan, log_mean_exp
from withhold.information.estimators.critics import (
    CriticTraining,
    cross_fitted,
    donsker_varadhan_value,
    held_out_scores,
)
from withhold.information.estimators.estimator import InformationEstimator
from withhold.information.estimators.inputs import Pair

CONDITION = "The interval is of the sampling of held-out rows, for the critics that were found."


class MINE(InformationEstimator):
    """Lower bound of Donsker and Varadhan.

    Parameters
    ----------
    average : float or None, default=None
        Rate of the running average in the gradient's denominator, such as 0.01; None: the batch alone.
    training : CriticTraining, optional
    level : float, default=0.95
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    batch_value_ : float
        Mean of the objective over the last training batches. Papers print it as the information; it is not.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a + rng.normal(size=500)  # .347 nat
    >>> found = MINE(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
    >>> found.kind, found.n, 0.1 < found.value < 0.5
    ('lower_bound', 500, True)
    """

    def __init__(
        self,
        *,
        average: float | None = None,
        training: CriticTraining | None = None,
        level: float = 0.95,
        random_state: RandomState = None,
    ) -> None:
        self.average = average
        self.training = training
        self.level = level
        self.random_state = random_state

    def _measure(self, pair: Pair) -> Quantity:
        if self.average is not None and not 0.0 < self.average <= 1.0:
            raise refused("average", "None, or above 0 and at most 1", self.average)
        objective = donsker_varadhan if self.average is None else RunningAverage(self.average)
        folds = held_out_scores(
            pair, objective, self.training or CriticTraining(), self.random_state, valued=donsker_varadhan
        )
        found, self.batch_value_ = cross_fitted(
            folds, donsker_varadhan_value, "lower_bound", self.level, "MINE", CONDITION
        )
        return found


class RunningAverage:
    """The Donsker-Varadhan objective with a running average of e^T in the gradient's denominator.

    Parameters
    ----------
    rate : float
        Weight of the newest batch.

    Examples
    --------
    >>> objective = RunningAverage(0.5)
    >>> _ = objective(torch.zeros(4, 4)), objective(torch.full((4, 4), math.log(3.0)))
    >>> round(float(objective.log_average.exp()), 6)
    2.0
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.log_average: Tensor | None = None

    def __call__(self, scores: Tensor) -> Tensor:
        """Return a scalar with the value of the bound and the gradient of the surrogate."""
        new = log_mean_exp(scores.detach())
        old = self.log_average
        self.log_average = (
            new if old is None else torch.logaddexp(old + math.log1p(-self.rate), new + math.log(self.rate))
        )
        surrogate = averaged_donsker_varadhan(scores, self.log_average)
        return surrogate + (donsker_varadhan(scores) - surrogate).detach()
