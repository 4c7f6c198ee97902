"""CrossGrad: training on records that are moved towards other domains (shankar2018crossgrad, ICLR 2018).

A classifier of labels is trained also on records moved along the gradient of a domain classifier, which makes them
look like records of other domains, and the domain classifier on records moved along the gradient of the label
classifier. Algorithm 1: `moved` makes x_d and x_l, `learner_loss` and `domain_loss` of `CrossGame` are lines 6 and 7.
As in the authors' code the domain embedding is no input of the label network and the gradient is clipped to +-.1;
records are standardised, so `epsilon` is in standard deviations. Otherwise the departures are those of `IIDM`, in
whose paper it is a baseline with `alpha` chosen from .1 .25 .5 .75 .9. It does not try to make the representation
invariant.

Guarantee. None: nothing is hidden.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from withhold.contracts.checks import Share, Weight
from withhold.contracts.guarantee import Guarantee
from withhold.methods.iidm.game import InvarianceGame, InvarianceRecipe, LabelledRecords, cross_entropy
from withhold.methods.iidm.invariant_classifier import InvariantClassifier
from withhold.nets.encoders import Encoder
from withhold.nets.perceptron import Perceptron
from withhold.training.game import Player, constant

if TYPE_CHECKING:
    from lightning_fabric import Fabric

CLIP = 0.1  # of the gradient in the record, as in the authors' code


@dataclass
class CrossGame(InvarianceGame):
    """A label network and a domain network that move each other's records; `domain` is the encoder of the latter."""

    domain: Encoder = field(kw_only=True)
    alpha: float = field(kw_only=True)
    epsilon: float = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        head = Perceptron((self.domain.dimensions, *self.recipe.head, self.records.classes))
        self.domains = nn.Sequential(self.domain, head)
        self.fabric.setup_module(self.domains)

    def players(self) -> list[Player]:
        """Return the domain network and the label network, in the order in which they move."""
        domain, label = self.player("domain", self.domains, self.domain_loss), super().players()
        domain.schedule = constant
        return [domain, *label]

    def learner_loss(self, rows: Tensor) -> Tensor:
        """Return the loss of the labels, of records and of records moved towards other domains."""
        x, secrets = self.records.H[rows], self.records.secrets[rows]
        x_d = moved(x, lambda inputs: cross_entropy(self.domains(inputs), secrets), self.epsilon)
        task = self.task(self.noisy(self.encoder(x)), rows)
        self.note(task)
        return (1 - self.alpha) * task + self.alpha * self.task(self.noisy(self.encoder(x_d)), rows)

    def domain_loss(self, rows: Tensor) -> Tensor:
        """Return the loss of the domains, of records and of records moved towards other labels."""
        x, secrets = self.records.H[rows], self.records.secrets[rows]
        x_l = moved(x, lambda inputs: self.task(self.encoder(inputs), rows), self.epsilon)
        plain, far = cross_entropy(self.domains(x), secrets), cross_entropy(self.domains(x_l), secrets)
        return (1 - self.alpha) * plain + self.alpha * far


@dataclass(kw_only=True, eq=False, repr=False)
class CrossGrad(InvariantClassifier):
    """Learn a representation for a task that carries over to domains not seen in training; it hides nothing.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.25
        Weight of the moved records.
    epsilon : float, default=10.0
        Length of the move: times the clipped gradient, in standard deviations of the features.
    **parameters
        Those of `IIDM` that do not speak of hiding; attributes are the same.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> S, y = rng.integers(3, size=300), rng.integers(2, size=300)
    >>> X = np.c_[S + 0.3 * rng.normal(size=300), 2 * y + 0.3 * rng.normal(size=300)]
    >>> CrossGrad(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S).predict_proba(X).shape
    (300, 2)
    """

    command_name = "crossgrad"
    reference = "shankar2018crossgrad"

    alpha: Share = 0.25
    epsilon: Weight = 10.0

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        alpha, epsilon, domain = float(self.alpha), float(self.epsilon), self._new_encoder()
        return CrossGame(records, recipe, fabric, encoder, None, domain=domain, alpha=alpha, epsilon=epsilon)

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        claim = "None: nothing is hidden; it aims at accuracy on unseen domains."
        return Guarantee(claim=claim, against="nobody", reference=self.reference)


def moved(x: Tensor, loss: Callable[[Tensor], Tensor], epsilon: float) -> Tensor:
    """Return x + epsilon * clip(gradient of each record's own loss in x); a constant for what comes after.

    `loss` is the mean of the losses of the records `x` (n, p).
    """
    with torch.enable_grad():
        inputs = x.detach().requires_grad_(True)
        (gradient,) = torch.autograd.grad(loss(inputs) * len(x), inputs)
    return x + epsilon * gradient.clamp(-CLIP, CLIP)
