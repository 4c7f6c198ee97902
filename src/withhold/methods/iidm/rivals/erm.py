"""Plain training (ERM): the baseline that hides nothing.

The same encoder, classifier and release noise as the methods that hide an attribute, without a discriminator: what an
attacker finds in its release is what hiding has to take away, and its accuracy is what hiding may cost. After the
training a discriminator learns alone, so that ``game_leakage`` can be compared. ``preset="paper"`` is the CNN of
iwasawa2020iidm.

Guarantee. None: nothing is hidden.
"""

from dataclasses import dataclass

from withhold.contracts.guarantee import Guarantee
from withhold.methods.iidm.invariant_classifier import InvariantClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class ERM(InvariantClassifier):
    """Learn a representation for a task and hide nothing.

    Parameters
    ----------
    **parameters
        Those of `IIDM` that do not speak of hiding; attributes are the same.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> S, y = rng.integers(3, size=300), rng.integers(2, size=300)
    >>> X = np.c_[S + 0.3 * rng.normal(size=300), 2 * y + 0.3 * rng.normal(size=300)]
    >>> method = ERM(rounds=100, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S)
    >>> bool(method.score(X, y) > 0.9), method.diagnostics_["game_leakage"] > 0.5
    (True, True)
    """

    command_name = "erm"

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(claim="None: nothing is hidden; a baseline.", against="nobody", assumptions=(), reference="")
