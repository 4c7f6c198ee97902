"""Choosing lambda without data free of the bias: the largest that still fits and lowers the information."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from withhold.contracts.checks import refused
from withhold.contracts.finding import Finding

LAMBDAS = (0.0, 0.25, 0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Trial:
    """One value of lambda and what it came to, on held-out training rows: they have the bias of the rest.

    Attributes
    ----------
    accuracy, task : float
        Of the label; the task's cross-entropy in nats.
    leakage : float
        Information about the attributes in nats, as a fresh classifier reads it.
    error : float
        Half of the 95 % interval of `leakage`.
    """

    lam: float
    accuracy: float
    task: float
    leakage: float
    error: float


def choose(trials: Sequence[Trial], tolerance: float) -> int:
    """Return the number of the trial with the largest lambda that still fits and lowers the information.

    It fits if it is at most `tolerance` less accurate than the most accurate trial. It lowers the information if it
    tells less than the smallest lambda does, by more than the error of its own reading. The smallest lambda is taken
    where no other does both.

    Examples
    --------
    >>> trials = [Trial(0.0, 0.99, 0.03, 1.70, 0.02), Trial(1.0, 0.98, 0.08, 1.45, 0.02), Trial(2.0, 0.3, 2, 0.1, 0.02)]
    >>> trials[choose(trials, 0.02)].lam
    1.0
    """
    order = sorted(range(len(trials)), key=lambda i: trials[i].lam)
    base, best = trials[order[0]], max(trial.accuracy for trial in trials)
    good = [
        i
        for i in order[1:]
        if trials[i].accuracy >= best - tolerance and trials[i].leakage < base.leakage - trials[i].error
    ]
    return good[-1] if good else order[0]


def select_lambda(
    method: Any,
    X: Any,
    y: Any,
    sensitive_features: Any,
    groups: Any,
    lambdas: Sequence[float],
    tolerance: float,
) -> tuple[list[Trial], Any]:
    """Fit copies of `method`, one for each lambda; return what each came to and the one that `choose` takes."""
    numbers = [value for value in lambdas if isinstance(value, int | float | np.number)]
    values = sorted({float(value) for value in numbers})
    if len(values) < 2 or len(numbers) < len(lambdas):
        raise refused("lambdas", "at least two numbers", lambdas)
    fitted, trials = [], list[Trial]()
    for lam in values:
        kept = None if method.checkpoint is None else f"{method.checkpoint}.{lam:g}"
        one = clone(method).set_params(lam=lam, checkpoint=kept, encoder=method.encoder, noise_key=method.noise_key)
        one.fit(X, y, sensitive_features=sensitive_features, groups=groups)
        found = one.diagnostics_
        leakage, error = found.get("held_out_leakage", math.nan), found.get("held_out_leakage_error", math.nan)
        trials.append(Trial(lam, found["held_out_accuracy"], found["held_out_task"], leakage, error))
        fitted.append(one)
    number = choose(trials, tolerance)
    if number == 0:
        text = "Every larger lambda either lost the task or hid no more, so the smallest was taken."
        fitted[0].findings_.append(Finding(code="no_useful_lambda", severity="warning", text=text))
    return trials, fitted[number]
