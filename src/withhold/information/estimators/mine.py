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
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from withhold.contracts.checks import refused
from withhold.information.estimators.contrast import averaged_donsker_varadhan, donsker_varadhan, log_mean_exp
from withhold.information.estimators.critics import CriticEstimator, Objective, product_mean


@dataclass(kw_only=True, eq=False, repr=False)
class MINE(CriticEstimator):
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
    >>> from withhold.information.estimators.critics import CriticTraining
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a + rng.normal(size=500)  # .347 nat
    >>> found = MINE(training=CriticTraining(steps=100), random_state=0).fit(a, b).estimate()
    >>> found.kind, found.n, 0.1 < found.value < 0.5
    ('lower_bound', 500, True)
    """

    average: float | None = None

    def _objectives(self) -> tuple[Objective, Objective]:
        if self.average is None:
            return donsker_varadhan, donsker_varadhan
        if not 0.0 < self.average <= 1.0:
            raise refused("average", "None, or above 0 and at most 1", self.average)
        return RunningAverage(self.average), donsker_varadhan

    def _value(self, scores: np.ndarray) -> tuple[float, np.ndarray]:
        return donsker_varadhan_value(scores)


def donsker_varadhan_value(scores: np.ndarray, clip: float = np.inf) -> tuple[float, np.ndarray]:
    """Return mean T - log mean e^T, corrected for the curvature of the log, and contributions that average to it.

    The log of a mean of m pairs is too small by about half their relative variance, which would flatter the bound.
    With `clip`, e^T is cut to [e^-clip, e^clip] over product pairs.

    Examples
    --------
    >>> donsker_varadhan_value(np.eye(3) * 2)[0]
    2.0
    """
    log_mean, relative = product_mean(np.clip(scores, -clip, clip))
    n = len(scores)
    value = float(scores.diagonal().mean()) - log_mean
    correction = 0.5 * float(np.var(relative)) / n
    return value - correction, scores.diagonal() - log_mean - relative - correction


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
