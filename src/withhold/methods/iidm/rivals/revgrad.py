"""RevGrad: domain-adversarial training with a gradient reversal layer (ganin2016domain, JMLR 17, 2016).

One optimiser moves encoder, label predictor and discriminator in one step; a layer that changes the sign of the
gradient stands between encoder and discriminator. Equations (16) and (17) are `Reversal`, (18) is
`ReversalGame.reversal_loss`, the schedule of section 5.2.2 is `ramp`. All training records have labels, of several
domains; otherwise the departures are those of `IIDM`, in whose paper it is a baseline (that does not mention the ramp,
which stays). The discriminator gets one step for each of the encoder, so that it is seldom near its optimum.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional

from withhold.contracts.checks import Weight
from withhold.methods.iidm.game import InvarianceGame, InvarianceRecipe, LabelledRecords
from withhold.methods.iidm.invariant_classifier import InvariantClassifier
from withhold.nets.encoders import Encoder
from withhold.training.game import Player

if TYPE_CHECKING:
    from lightning_fabric import Fabric


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

    lam: Weight = 1.0

    def _hiding(self) -> dict[str, Any]:
        return {"lam": float(self.lam), "kappa": 1, "warm_up": 0}

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        return ReversalGame(records, recipe, fabric, encoder, lambda log_q, a, _: functional.nll_loss(log_q, a))


class ReversalGame(InvarianceGame):
    """One player that moves all three networks; `deceive` is what the discriminator makes small."""

    def players(self) -> list[Player]:
        """Return the one player."""
        everything = nn.ModuleDict({"learner": self.learner, "discriminator": self.discriminator})
        optimiser = self.optimiser(everything, self.recipe.rate)
        return [
            Player(
                "all", everything, optimiser, 1, self.batches, self.reversal_loss, self.schedule, clip=self.recipe.clip
            ),
        ]

    def reversal_loss(self, rows: Tensor) -> Tensor:
        """Return the objective, equation (18), of one batch."""
        weight, Z = self.recipe.lam * ramp(self.seen / self.recipe.rounds), self.release(rows)
        task, known = self.task(Z, rows), self.records.secrets[rows] >= 0
        if self.deceive is None or not bool(known.any()):
            return task
        reversed_: Tensor = Reversal.apply(Z, weight)  # type: ignore[no-untyped-call]
        log_q = self.log_q(reversed_)[known]
        found = self.deceive(log_q, self.records.secrets[rows][known], self.records.labels[rows][known])
        self.note(task, found)
        return task + found


class Reversal(Function):
    """The identity, whose gradient is multiplied by minus `weight`: equations (16) and (17)."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: float) -> Tensor:  # noqa: D102
        ctx.weight = weight
        return inputs.view_as(inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # noqa: D102
        return -ctx.weight * gradient, None


def ramp(share: float) -> float:
    """Return the factor of `lam` at a share of the training: 0 at the start, so that early noise is not followed.

    Examples
    --------
    >>> ramp(0.0), round(ramp(0.5), 3)
    (0.0, 0.987)
    """
    return 2.0 / (1.0 + math.exp(-10.0 * share)) - 1.0
