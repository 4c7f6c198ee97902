r"""IIDM: invariance induction by discriminator matching.

Y. Iwasawa, K. Akuzawa, Y. Matsuo, "Stabilizing Adversarial Invariance Induction from Divergence Minimization
Perspective", IJCAI 2020 (iwasawa2020iidm).

Idea. To hide an attribute a, earlier methods move a record away from where the discriminator knows its attribute,
wherever that leads. Here a record is moved to where the discriminator says of it what it says, on average, of the
records of every other attribute. These averages, the centroids, are followed batch by batch.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, a                records, `y`, sensitive attributes S (several: jointly)
z, f_theta             released `Z` before its noise, ``encoder``
q_psi(y|z)             ``classifier``
q_phi(a|z)             ``discriminator``
Q^i_t(a), gamma        `Centroids`, `gamma`
lambda, kappa          `lam`, `kappa`
=====================  ================================================================

Equations. (1), the discriminator's part: `InvarianceGame.discriminator_loss`; (2) is what ``curves_["discriminator"]``
shows beside its maximum H(S); (3), (4) and (6): `discriminator_matching`; (5): `Centroids.update`.

Departures, and why. Of these ``preset="paper"`` has 3, 4 and 7; `invariance.invariance_settings` says what the paper
states, and where it is silent.

1. Release noise, in training too, on outputs of unit variance. Without it z shrinks until no discriminator of fixed
   scale sees anything, and whitening brings it back: .999 of the maximal H(a|z) read raw, .70 read whitened.
2. The sum over i in (6) is divided by its number of terms (``scaling="mean"``), so that one `lam` fits any number of
   attribute values; ``scaling="sum"`` is the paper's.
3. The sum of K - 1 divergences is computed in O(K): KL(Q^i || q) is linear in Q^i but for a constant.
4. The discriminator is warmed up before the first step of the encoder, and Q_0 is taken after that. A batch without
   records of an attribute leaves its centroid as it is.
5. The state with the smallest task + lam * leakage on held-out training rows is kept. The paper shows the best
   checkpoint.
6. Adam by default, the encoder's gradient clipped at 5, and its rate falls over the last two fifths; gradient penalty
   (R1, on z, of the discriminator alone) off by default. The paper used it with IIDM and does not state its weight, so
   it is off with ``preset="paper"`` too, unless given.
7. A missing attribute leaves the terms that need it. The paper has categorical attributes alone; a continuous one
   counts as its eight equal-mass bins, and the finding ``continuous_as_classes`` says how much of it they hold.

Bounds (the paper's section 3). The loss bounds KL(q^i || q^j), which is at most KL(p(z|a_i) || p(z|a_j)): it bounds
the smaller one, so a loss of 0 proves no invariance, as a discriminator that knows nothing also gives 0.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from withhold.contracts.checks import OneOf, Share
from withhold.methods.iidm.centroids import Centroids, others
from withhold.methods.iidm.game import InvarianceGame, InvarianceRecipe, LabelledRecords
from withhold.methods.iidm.invariant_classifier import AdversarialClassifier
from withhold.nets.encoders import Encoder

if TYPE_CHECKING:
    from lightning_fabric import Fabric


@dataclass(kw_only=True, eq=False, repr=False)
class IIDM(AdversarialClassifier):
    """Learn a representation for a task in which records of different attributes look alike to a discriminator.

    Parameters
    ----------
    lam : float, default=1.0
        Weight of hiding against the task.
    kappa : int, default=4
        Steps of the discriminator for one of the encoder.
    gamma : float in [0, 1], default=0.7
        Weight of the past in the centroids; with 1 they stay what they were at the start.
    scaling : {"mean", "sum"}, default="mean"
        Whether the divergences to the other attributes are averaged, or summed as in the paper.
    gradient_penalty : float, default=0.0
        Weight of the penalty on the discriminator's gradient in z.
    warm_up : int, default=100
        Steps of the discriminator before the first of the encoder.
    noise : float, default=0.3
        Standard deviation of the release noise; Z has unit variance in every dimension before it.
    dimensions : int, default=64
        Width of Z; a module given as `encoder` has its own.
    architecture : {"auto", "perceptron", "images", "windows"}, default="auto"
        Network of the encoder. "auto": a perceptron for tables and vectors, a convolutional network for images;
        windows of sensor signals, arrays (n, time, channels), must be named.
    encoder : torch.nn.Module, optional
        The user's own network. It is copied, and never saved: give it again to ``withhold.load``.
    hidden : int, default=128
        Width of hidden layers.
    rounds : int, optional
        Steps of the encoder; by default 200 to 1,500, growing with the number of rows.
    batch : int, default=128
    rate : float, default=0.001
        Learning rate of all networks.
    optimiser : {"adam", "rmsprop", "sgd"}, default="adam"
    preset : {None, "paper"}, default=None
        "paper": RMSprop without decay or clipping, no noise, z as it comes, divergences summed, the paper's networks
        for images and windows, a fifth of the rows held out, 10,000 rounds (20,000 for windows), the last state kept.
        `lam`, `kappa`, `gamma`, `gradient_penalty`, `rate`, `batch` and `rounds` stay the caller's.
    checkpoint : path, optional
        File that an interrupted fit goes on from, with the same result; removed at the end. It needs a `random_state`.
    sensitive_features, drop, output, decode, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous,
    device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    classes_ : ndarray
    diagnostics_ : dict
        ``maximum_leakage`` H(S) and ``game_leakage`` H(S) - CE of the game's discriminator after it went on alone, on
        held-out rows, in nats; ``held_out_accuracy``, ``held_out_task``; ``beyond_maximum``, the share of the second
        half of the training in which the discriminator was worse than knowing nothing.
    curves_ : dict
        ``task`` and ``discriminator`` (cross-entropies in nats) and ``leakage`` = H(S) - discriminator.

    Notes
    -----
    The attribute is needed by `fit` alone. Records of a value that the fit has not met are released and predicted as
    any other; nothing was done to hide that value. A continuous attribute is hidden as eight classes.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> S, y = rng.integers(3, size=300), rng.integers(2, size=300)
    >>> X = np.c_[S + 0.3 * rng.normal(size=300), 2 * y + 0.3 * rng.normal(size=300)]
    >>> method = IIDM(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S)
    >>> method.transform(X).shape, method.predict(X).shape
    ((300, 64), (300,))
    """

    command_name = "iidm"

    gamma: Share = 0.7
    scaling: Annotated[str, OneOf(("mean", "sum"))] = "mean"

    @property
    def _total(self) -> bool:
        """Whether divergences are summed, as in the paper."""
        return self.scaling == "sum" or self.preset == "paper"

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        centroids, total = Centroids(records.classes, gamma=float(self.gamma)), self._total

        def deceive(log_q: Tensor, secrets: Tensor, labels: Tensor) -> Tensor:
            return discriminator_matching(log_q, secrets, centroids, total=total)

        return InvarianceGame(records, recipe, fabric, encoder, deceive, centroids)


def discriminator_matching(log_q: Tensor, secrets: Tensor, centroids: Centroids, *, total: bool = False) -> Tensor:
    """Return the discriminator matching loss, equations (3) and (4) with the centroids of (5), a mean over records.

    sum over i != a of KL(Q^i || q) = constant - <sum over i != a of Q^i, log q>: a cross-entropy with a soft target.

    Parameters
    ----------
    log_q : Tensor (n, K)
        log q(. | z) of each record; the centroids are constants.
    secrets : Tensor of int (n,)
        The attribute a of each record.
    total : bool
        Sum over the other attributes, as in the paper; False: their mean.
    """
    target, constant, count = others(centroids, secrets)
    loss = constant - (target * log_q).sum(dim=-1)
    return torch.mean(loss if total else loss / count.clamp(min=1))
