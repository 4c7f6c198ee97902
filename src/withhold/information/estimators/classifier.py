"""The classifier bound: how much better than the prior a classifier guesses a class, in nats.

For a discrete S, I(S; Z) = H(S) - H(S | Z) and no classifier's cross-entropy is below H(S | Z), so H(S) - CE is a lower
bound, whatever the classifier (barber2003im). It is the best conditioned of all: log-ratios are bounded once the
guesses are mixed with the prior, so the interval can be trusted where those of MINE and NWJ cannot.
"""

from typing import Any

import numpy as np
from scipy.special import log_softmax
from sklearn.base import clone

from withhold.contracts.errors import InvalidTypeError
from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import RandomState
from withhold.information.calibration import fit_calibration
from withhold.information.estimators.conditionals import ConditionalTraining, Fold, cross_fitted_conditionals
from withhold.information.estimators.estimator import InformationEstimator, check_finite, interval
from withhold.information.estimators.inputs import Pair

CONDITION = "The interval is of the sampling of held-out rows, for the classifiers that were found."


class ClassifierBound(InformationEstimator):
    """Lower bound H(S) - CE of a calibrated classifier; one of the variables must be discrete.

    If both are, `b` is guessed from `a`.

    Parameters
    ----------
    classifier : scikit-learn classifier, optional
        With `predict_proba`; by default a small network.
    training : ConditionalTraining, optional
        Of the network; folds and rows kept aside also apply to `classifier`.
    level : float, default=0.95
    random_state : int, Generator, RandomState or None, default=None

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(2, size=1000)
    >>> found = ClassifierBound(random_state=0).fit(s + rng.normal(size=1000), s).estimate()  # .115 nat
    >>> found.kind, 0.05 < found.value < 0.18
    ('lower_bound', True)
    """

    takes = ("mixed", "discrete")

    def __init__(
        self,
        *,
        classifier: Any = None,
        training: ConditionalTraining | None = None,
        level: float = 0.95,
        random_state: RandomState = None,
    ) -> None:
        self.classifier = classifier
        self.training = training
        self.level = level
        self.random_state = random_state

    def _measure(self, pair: Pair) -> Quantity:
        if self.classifier is not None and not hasattr(self.classifier, "predict_proba"):
            raise InvalidTypeError(
                f"classifier must have predict_proba (got {self.classifier!r}). Use LogisticRegression()."
            )
        asked = pair if pair.b.discrete else Pair(pair.b, pair.a)
        settings = self.training or ConditionalTraining()
        if self.classifier is not None:
            settings = ConditionalTraining(steps=0, folds=settings.folds, aside=settings.aside)
        surprise, log_q = np.zeros(len(pair)), np.zeros(len(pair))
        for fold in cross_fitted_conditionals(asked, settings, self.random_state):
            log_q[fold.held] = self._guesses(fold)
            surprise = -np.log(np.bincount(fold.b.numpy()) / len(pair))[fold.b.numpy()]
        ratios = surprise + log_q
        mean = check_finite(float(ratios.mean()), "ClassifierBound")
        low, high = interval(ratios, mean, self.level)
        return Quantity(
            value=mean, low=low, high=high, kind="lower_bound", level=self.level, n=len(pair), condition=CONDITION
        )

    def _guesses(self, fold: Fold) -> np.ndarray:
        """Calibrated log q(s | z) of the held rows' own classes."""
        codes = fold.b.numpy()
        prior = np.bincount(codes[fold.learned], minlength=fold.model.classes) + 1.0
        log_prior = np.log(prior / prior.sum())
        fitted = self.classifier
        if fitted is not None:
            fitted = clone(fitted).fit(fold.a.numpy()[fold.learned], codes[fold.learned])

        def say(rows: np.ndarray) -> np.ndarray:
            if fitted is None:
                return np.asarray(log_softmax(fold.model(fold.a[rows]).double().numpy(), axis=1))
            guess = np.zeros((len(rows), fold.model.classes))
            guess[:, fitted.classes_] = fitted.predict_proba(fold.a.numpy()[rows])
            return np.asarray(np.log(np.maximum(guess, 1e-12)))

        calibration = fit_calibration(say(fold.aside), codes[fold.aside], log_prior)
        own: np.ndarray = calibration.apply(say(fold.held))[np.arange(len(fold.held)), codes[fold.held]]
        return own
