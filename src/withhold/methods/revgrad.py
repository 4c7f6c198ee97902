r"""RevGrad: domain-adversarial training with a gradient reversal layer.

Y. Ganin, E. Ustinova, H. Ajakan, P. Germain, H. Larochelle, F. Laviolette, M. Marchand, V. Lempitsky,
"Domain-Adversarial Training of Neural Networks", JMLR 17, 2016 (ganin2016domain).

Idea. Encoder, label predictor and discriminator are trained in one step by one optimiser. Between encoder and
discriminator stands a layer that changes the sign of the gradient: the discriminator descends the loss of the
attribute, the encoder ascends it.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, d                records, `y`, sensitive attributes S (several: jointly)
G_f, G_y, G_d          ``encoder``, ``classifier``, ``discriminator``
R(x)                   `Reversal`
lambda_p               `lam` times `ramp`
=====================  ================================================================

Equations. (16) and (17), the reversal layer: `Reversal`; the schedule of section 5.2.2, 2/(1 + exp(-10 p)) - 1: `ramp`;
(18), the whole objective: `ReversalGame.reversal_loss`.

Departures, and why. All training records have labels: this is the supervised case, with several domains. Release noise
on outputs of unit variance, the kept state and what is done with missing and continuous attributes are as for IIDM, for
the same reasons. Adam in place of SGD with momentum. ``preset="paper"`` is the training of iwasawa2020iidm, where it is
a baseline (RMSprop and the networks as for IIDM); that paper does not mention the ramp, which stays.

What goes wrong. The discriminator gets one step for each of the encoder, so that it is seldom near its optimum. It is
here as a rival of IIDM.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional

from withhold.contracts.seeds import RandomState
from withhold.methods.invariance.invariant_classifier import InvariantClassifier
from withhold.nets.encoders import Encoder
from withhold.privacy.noise_key import NoiseKey
from withhold.training.game import Player
from withhold.training.invariance import InvarianceGame, InvarianceRecipe, LabelledRecords

if TYPE_CHECKING:
    from lightning_fabric import Fabric


class RevGrad(InvariantClassifier):
    """Learn a representation for a task by reversing the gradient of a discriminator of the attribute.

    Parameters
    ----------
    lam : float, default=1.0
        Weight of the reversed gradient at the end of its ramp.
    noise, dimensions, architecture, encoder, hidden, rounds, batch, rate, optimiser, preset, checkpoint
        See `IIDM`.
    output, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous, device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    classes_, diagnostics_, curves_
        See `IIDM`.

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

    def __init__(
        self,
        *,
        lam: float = 1.0,
        noise: float = 0.3,
        dimensions: int = 64,
        architecture: str = "auto",
        encoder: nn.Module | None = None,
        hidden: int = 128,
        rounds: int | None = None,
        batch: int = 128,
        rate: float = 1e-3,
        optimiser: str = "adam",
        preset: str | None = None,
        checkpoint: str | Path | None = None,
        output: str = "auto",
        noise_key: NoiseKey | None = None,
        noise_seed: int | None = None,
        keep: Sequence[str] = (),
        sensitive_kinds: Mapping[str, str] | None = None,
        categorical: Sequence[str] = (),
        continuous: Sequence[str] = (),
        device: str = "auto",
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            lam=lam,
            kappa=1,
            warm_up=0,
            noise=noise,
            dimensions=dimensions,
            architecture=architecture,
            encoder=encoder,
            hidden=hidden,
            rounds=rounds,
            batch=batch,
            rate=rate,
            optimiser=optimiser,
            preset=preset,
            checkpoint=checkpoint,
            output=output,
            noise_key=noise_key,
            noise_seed=noise_seed,
            keep=keep,
            sensitive_kinds=sensitive_kinds,
            categorical=categorical,
            continuous=continuous,
            device=device,
            random_state=random_state,
        )

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
