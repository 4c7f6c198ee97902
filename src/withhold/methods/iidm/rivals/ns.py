"""NS: adversarial invariance with the non-saturating objective, by flipping labels.

The rival of section 4 of iwasawa2020iidm, after Goodfellow et al., NIPS 2014; trained towards a random other attribute
as in Fader Networks (Lample et al., NIPS 2017, lample2017fader), whose equation (4) is `flipped_likelihood` for K
values. Instead of lowering the likelihood of the true attribute it raises that of a wrong one, drawn anew each time:
the gradient is large where the discriminator is sure, and the objective is bounded. As AII it knows the decision
boundary alone: a record is sent across it, not to where the other records are. Symbols and departures are those of
`IIDM`.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from withhold.methods.iidm.game import Deception, LabelledRecords
from withhold.methods.iidm.invariant_classifier import AdversarialClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class NS(AdversarialClassifier):
    """Learn a representation for a task that a discriminator takes for that of another attribute.

    Parameters
    ----------
    **parameters
        Those of `IIDM` but `gamma` and `scaling`; attributes are the same.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> S, y = rng.integers(3, size=300), rng.integers(2, size=300)
    >>> X = np.c_[S + 0.3 * rng.normal(size=300), 2 * y + 0.3 * rng.normal(size=300)]
    >>> NS(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S).predict_proba(X).shape
    (300, 2)
    """

    command_name = "ns"
    reference = "lample2017fader"

    def _deception(self, records: LabelledRecords) -> Deception:
        return lambda log_q, secrets, labels: flipped_likelihood(log_q, other(secrets, records.classes))


def flipped_likelihood(log_q: Tensor, flipped: Tensor) -> Tensor:
    """Return the mean of -log q(a'|z) for the wrong attributes a' of `other`."""
    return -log_q.gather(-1, flipped.unsqueeze(-1)).mean()


def other(secrets: Tensor, classes: int) -> Tensor:
    """Return a random other value of each record's attribute.

    Examples
    --------
    >>> other(torch.tensor([0, 1, 1]), 2).tolist()
    [1, 0, 0]
    """
    step = torch.randint(1, classes, secrets.shape, device=secrets.device)
    return (secrets + step) % classes
