r"""CrossGrad: training on records that are moved towards other domains.

S. Shankar, V. Piratla, S. Chakrabarti, S. Chaudhuri, P. Jyothi, S. Sarawagi, "Generalizing Across Domains via
Cross-Gradient Training", ICLR 2018 (shankar2018crossgrad).

Idea. A classifier of labels should not care for the domain. It is trained also on records moved along the gradient of
a domain classifier, which makes them look like records of other domains; the domain classifier is trained also on
records moved along the gradient of the label classifier, so that its gradient does not change the label.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, d                records, `y`, sensitive attributes S (several: jointly)
J_l, J_d               losses of ``classifier`` over ``encoder`` and of the domain network
eps_l, eps_d           `epsilon`
alpha_l, alpha_d       `alpha`
=====================  ================================================================

Equations. Algorithm 1: `moved` makes x_d and x_l, `CrossGame.learner_loss` and `CrossGame.domain_loss` are lines 6 and
7.

Departures, and why. As in the authors' code the domain embedding is not an input of the label network, and the
gradient is clipped to +-.1 before it is multiplied. Records are standardised, so `epsilon` is in standard deviations.
Release noise and kept state are as for IIDM. ``preset="paper"`` is the training of iwasawa2020iidm, where it is a
baseline (RMSprop and the networks as for IIDM) and `alpha` was chosen from .1 .25 .5 .75 .9 on validation rows.

What it is not. It does not try to make the representation invariant: an attacker finds in Z about what he finds after
plain training. It is here because it is a rival in accuracy on unseen domains.

Guarantee. None: nothing is hidden.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import RandomState
from withhold.methods.estimator.settings import check_number
from withhold.methods.invariance.invariant_classifier import InvariantClassifier
from withhold.nets.encoders import Encoder
from withhold.nets.perceptron import Perceptron
from withhold.privacy.noise_key import NoiseKey
from withhold.training.game import Player
from withhold.training.invariance import (
    InvarianceGame,
    InvarianceRecipe,
    LabelledRecords,
    cross_entropy,
)

if TYPE_CHECKING:
    from lightning_fabric import Fabric

CLIP = 0.1  # of the gradient in the record, as in the authors' code


class CrossGrad(InvariantClassifier):
    """Learn a representation for a task that carries over to domains not seen in training; it hides nothing.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.25
        Weight of the moved records.
    epsilon : float, default=10.0
        Length of the move: times the clipped gradient, in standard deviations of the features.
    noise, dimensions, architecture, encoder, hidden, rounds, batch, rate, optimiser, preset, checkpoint
        See `IIDM`.
    output, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous, device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    classes_, diagnostics_
        See `IIDM`.
    curves_ : dict
        ``task``.

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

    def __init__(
        self,
        *,
        alpha: float = 0.25,
        epsilon: float = 10.0,
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
        self.alpha = alpha
        self.epsilon = epsilon

    def _recipe(self, n: int) -> InvarianceRecipe:
        check_number(self, "alpha", 0.0, 1.0, why="It is a weight.", remedy="Pass 0.25.")
        check_number(self, "epsilon", 0.0, why="It is the length of a move.", remedy="Pass 10.")
        return super()._recipe(n)

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        alpha, epsilon = float(self.alpha), float(self.epsilon)
        return CrossGame(
            records, recipe, fabric, encoder, None, domain=self._new_encoder(), alpha=alpha, epsilon=epsilon
        )

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        claim = "None: nothing is hidden; it aims at accuracy on unseen domains."
        return Guarantee(claim=claim, against="nobody", reference=self.reference)


class CrossGame(InvarianceGame):
    """A label network and a domain network that move each other's records.

    Parameters
    ----------
    records, recipe, fabric, encoder, deceive
        See `InvarianceGame`.
    domain : Encoder
        Of the domain network.
    alpha, epsilon : float
    """

    def __init__(
        self,
        records: LabelledRecords,
        recipe: InvarianceRecipe,
        fabric: "Fabric",
        encoder: Encoder,
        deceive: None,
        *,
        domain: Encoder,
        alpha: float,
        epsilon: float,
    ) -> None:
        super().__init__(records, recipe, fabric, encoder, deceive)
        head = Perceptron((domain.dimensions, *recipe.head, records.classes))
        self.domain, self.alpha, self.epsilon = nn.Sequential(domain, head), alpha, epsilon
        fabric.setup_module(self.domain)

    def players(self) -> list[Player]:
        """Return the domain network and the label network, in the order in which they move."""
        rate, clip = self.recipe.rate, self.recipe.clip
        domain, label = self.optimiser(self.domain, rate), self.optimiser(self.learner, rate)
        return [
            Player("domain", self.domain, domain, 1, self.batches, self.domain_loss, clip=clip),
            Player("label", self.learner, label, 1, self.batches, self.learner_loss, self.schedule, clip=clip),
        ]

    def learner_loss(self, rows: Tensor) -> Tensor:
        """Return the loss of the labels, of records and of records moved towards other domains."""
        x, secrets = self.records.H[rows], self.records.secrets[rows]
        x_d = moved(x, lambda inputs: cross_entropy(self.domain(inputs), secrets), self.epsilon)
        task = self.task(self.noisy(self.encoder(x)), rows)
        self.note(task)
        return (1 - self.alpha) * task + self.alpha * self.task(self.noisy(self.encoder(x_d)), rows)

    def domain_loss(self, rows: Tensor) -> Tensor:
        """Return the loss of the domains, of records and of records moved towards other labels."""
        x, secrets = self.records.H[rows], self.records.secrets[rows]
        x_l = moved(x, lambda inputs: self.task(self.encoder(inputs), rows), self.epsilon)
        plain, far = cross_entropy(self.domain(x), secrets), cross_entropy(self.domain(x_l), secrets)
        return (1 - self.alpha) * plain + self.alpha * far


def moved(x: Tensor, loss: Callable[[Tensor], Tensor], epsilon: float) -> Tensor:
    """Return x + epsilon * clip(gradient of each record's own loss in x); a constant for what comes after.

    Parameters
    ----------
    x : Tensor (n, p)
    loss : callable
        Mean loss of the records.
    epsilon : float
    """
    with torch.enable_grad():
        inputs = x.detach().requires_grad_(True)
        (gradient,) = torch.autograd.grad(loss(inputs) * len(x), inputs)
    return x + epsilon * gradient.clamp(-CLIP, CLIP)
