"""RevGrad: domain-adversarial training with a gradient reversal layer (ganin2016domain, JMLR 17, 2016).

One optimiser moves encoder, label predictor and discriminator in one step; a layer that changes the sign of the
gradient stands between encoder and discriminator. Equations (16) and (17) are `reversed_gradient`, (18) is
`ReversalGame.learner_loss`, the schedule of section 5.2.2 is `ramp`. All training records have labels, of several
domains; otherwise the departures are those of `IIDM`, in whose paper it is a baseline (that does not mention the ramp,
which stays). The discriminator gets one step for each of the encoder, so that it is seldom near its optimum.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any

from torch import Tensor, nn
from torch.nn import functional

from withhold.contracts.checks import Weight
from withhold.contracts.ranges import Range
from withhold.methods.iidm.game import Deception, InvarianceGame, LabelledRecords
from withhold.methods.iidm.invariant_classifier import InvariantClassifier
from withhold.training.game import Player


class ReversalGame(InvarianceGame):
    """One player that moves all three networks; `deceive` is what the discriminator makes small."""

    def players(self) -> list[Player]:
        """Return the one player."""
        everything = nn.ModuleDict({"learner": self.learner, "discriminator": self.discriminator})
        return [self.player("all", everything, self.learner_loss)]

    def learner_loss(self, rows: Tensor) -> Tensor:
        """Return the objective, equation (18), of one batch."""
        Z, secrets = self.release(rows), self.records.secrets[rows]
        task, known = self.task(Z, rows), secrets >= 0
        if self.deceive is None or not bool(known.any()):
            return task
        weight = self.recipe.lam * ramp(self.seen / self.recipe.rounds)
        log_q = self.log_q(reversed_gradient(Z, weight))[known]
        found = self.deceive(log_q, secrets[known], self.records.labels[rows][known])
        self.note(task, found)
        return task + found


@dataclass(kw_only=True, eq=False, repr=False)
class RevGrad(InvariantClassifier):
    """Learn a representation for a task by reversing the gradient of a discriminator of the attribute.

    Parameters
    ----------
    lam : float, default=1.0
        Weight of the reversed gradient at the end of its ramp.
    **parameters
        Those of `IIDM` that do not speak of the discriminator; attributes are the same.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> S, y = rng.integers(3, size=300), rng.integers(2, size=300)
    >>> X = np.c_[S + 0.3 * rng.normal(size=300), 2 * y + 0.3 * rng.normal(size=300)]
    >>> RevGrad(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S).predict_proba(X).shape
    (300, 2)
    """

    command_name = "revgrad"
    reference = "ganin2016domain"
    game = ReversalGame

    lam: Annotated[Weight, Range(0.3, 30.0)] = 1.0

    def _hiding(self) -> dict[str, Any]:
        return {"lam": float(self.lam), "kappa": 1, "warm_up": 0}

    def _deception(self, records: LabelledRecords) -> Deception:
        return lambda log_q, secrets, labels: functional.nll_loss(log_q, secrets)


def reversed_gradient(Z: Tensor, weight: float) -> Tensor:
    """Return `Z`, whose gradient is multiplied by minus `weight`: equations (16) and (17)."""
    same = Z.view_as(Z)
    same.register_hook(lambda gradient: -weight * gradient)  # type: ignore[no-untyped-call]
    return same


def ramp(share: float) -> float:
    """Return the factor of `lam` at a share of the training: 0 at the start, so that early noise is not followed.

    Examples
    --------
    >>> ramp(0.0), round(ramp(0.5), 3)
    (0.0, 0.987)
    """
    return 2.0 / (1.0 + math.exp(-10.0 * share)) - 1.0
