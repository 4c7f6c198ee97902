"""AII: adversarial invariance induction, after Xie et al., NIPS 2017 (xie2017controllable).

An encoder lowers the discriminator's likelihood of the true attribute: equation (1) of iwasawa2020iidm, in whose
symbols and with whose departures (see `IIDM`) it is written here; ``gradient_penalty`` > 0 is that paper's AII+GP.
With an optimal discriminator H(a|z) would grow until z is independent of a. But log q(a|z) has no lower bound: the
encoder may flee from the discriminator without end, and the finding ``discriminator_lost`` says so.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from dataclasses import dataclass

from torch import Tensor

from withhold.methods.iidm.game import Deception, LabelledRecords
from withhold.methods.iidm.invariant_classifier import AdversarialClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class AII(AdversarialClassifier):
    """Learn a representation for a task from which a discriminator does not tell the attribute.

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
    >>> AII(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S).predict_proba(X).shape
    (300, 2)
    """

    command_name = "aii"
    reference = "xie2017controllable"

    def _deception(self, records: LabelledRecords) -> Deception:
        return lambda log_q, secrets, labels: likelihood(log_q, secrets)


def likelihood(log_q: Tensor, secrets: Tensor) -> Tensor:
    """Return the mean of log q(a|z), the second term of equation (1): unbounded below."""
    return log_q.gather(-1, secrets.unsqueeze(-1)).mean()
