"""A budget stated as accuracy, in nats: the least information that allows an attacker so much.

For a given advantage the cheapest attack, in information, solves a rate-distortion problem with distortion
1/(K p(s)) for a wrong guess of class s; its rate is what the budget must stay below. Solved by Blahut's iteration
(Blahut 1972, "Computation of channel capacity and rate-distortion functions").
"""

import numpy as np

from withhold.contracts.budgets import Budgets
from withhold.contracts.errors import InvalidParameterError
from withhold.data.attributes import Attributes

ITERATIONS = 2000
BISECTIONS = 60


def budget_in_nats(budgets: Budgets, advantage: float | None, attributes: Attributes) -> Budgets:
    """Return the budgets in nats, whichever way they were stated.

    With several attributes the smallest of theirs and their joint's is taken, so that each keeps the advantage.

    Parameters
    ----------
    budgets : Budgets
        Nats, returned as they are once they are known to be about these attributes.
    advantage : float or None
        Balanced accuracy above chance.
    attributes : Attributes
        What is hidden.
    """
    if advantage is None:
        return budgets.check(attributes.names)
    joint = attributes.joint()
    every = [*attributes, *([joint] if joint is not None and len(attributes) > 1 else [])]
    found = []
    for attribute in every:
        if attribute.kind != "categorical":
            raise InvalidParameterError(
                f"--budget-advantage applies to classes, and {attribute.name!r} is {attribute.kind}. Use --budget."
            )
        counts = np.bincount(attribute.codes[attribute.known]).astype(float)
        found.append(least_information(counts[counts > 0] / counts.sum(), advantage))
    return Budgets(min(found))


def least_information(prior: np.ndarray, advantage: float) -> float:
    """Return the least mutual information, in nats, with which balanced accuracy can be `advantage` above chance.

    Parameters
    ----------
    prior : ndarray
        Shares of the classes.
    advantage : float
        Balanced accuracy above 1/K.

    Examples
    --------
    Two equal classes: the binary symmetric channel of that accuracy.

    >>> p = 0.6
    >>> exact = np.log(2) + p * np.log(p) + (1 - p) * np.log(1 - p)
    >>> bool(abs(least_information(np.array([0.5, 0.5]), 0.1) - exact) < 1e-6)
    True
    """
    classes = len(prior)
    target = 1 / classes + advantage
    if target > 1:
        raise InvalidParameterError(
            f"--budget-advantage can be at most {1 - 1 / classes:.3f} with {classes} classes (got {advantage:g})."
        )
    low, high = 0.0, 1.0
    while _attack(prior, high)[0] < target and high < 2**20:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _attack(prior, middle)[0] < target else (low, middle)
    # The lower end: a budget rounded down never promises too much.
    return _attack(prior, low)[1]


def _attack(prior: np.ndarray, reward: float) -> tuple[float, float]:
    """Return balanced accuracy and information of the best trade at this reward per unit of accuracy."""
    classes = len(prior)
    gain = np.diag(reward / (classes * prior))
    gain = np.exp(gain - gain.max(axis=1, keepdims=True))
    guess = np.full(classes, 1 / classes)
    for _ in range(ITERATIONS):
        channel = guess * gain
        channel /= channel.sum(axis=1, keepdims=True)
        updated = prior @ channel
        if np.abs(updated - guess).max() < 1e-12:
            break
        guess = updated
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(channel > 0, channel * np.log(channel / (prior @ channel)), 0.0)
    return float(np.diag(channel).mean()), float(prior @ terms.sum(axis=1))
