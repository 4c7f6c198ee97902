r"""NS: adversarial invariance with the non-saturating objective, by flipping labels.

The rival of section 4 of Y. Iwasawa, K. Akuzawa, Y. Matsuo, "Stabilizing Adversarial Invariance Induction from
Divergence Minimization Perspective", IJCAI 2020 (iwasawa2020iidm), after I. Goodfellow et al., "Generative Adversarial
Nets", NIPS 2014; as a training towards a random other attribute it is that of G. Lample et al., "Fader Networks:
Manipulating Images by Sliding Attributes", NIPS 2017 (lample2017fader).

Idea. Instead of lowering the discriminator's likelihood of the true attribute, raise that of a wrong one: its gradient
is large where the discriminator is sure, and the objective has a lower bound.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, a                records, `y`, sensitive attributes S (several: jointly)
z, f_theta             released `Z` before its noise, ``encoder``
q_psi(y|z)             ``classifier``
q_phi(a|z)             ``discriminator``
lambda, kappa          `lam`, `kappa`
=====================  ================================================================

Equations. The paper has none for NS; `flipped_likelihood` is Fader's equation (4) for K values, the wrong value drawn
anew each time.

Departures, and why. Release noise on outputs of unit variance, the warm-up of the discriminator, the kept state and
what is done with missing and continuous attributes are as for IIDM, for the same reasons; so is ``preset="paper"``.

What goes wrong. As AII it knows the decision boundary alone: a record is sent across it, not to where the other
records are. It is here as a rival of IIDM.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from withhold.methods.invariance.invariant_classifier import InvariantClassifier
from withhold.nets.encoders import Encoder
from withhold.training.invariance import InvarianceGame, InvarianceRecipe, LabelledRecords

if TYPE_CHECKING:
    from lightning_fabric import Fabric


class NS(InvariantClassifier):
    """Learn a representation for a task that a discriminator takes for that of another attribute.

    Parameters
    ----------
    lam : float, default=1.0
        Weight of hiding against the task.
    kappa : int, default=4
        Steps of the discriminator for one of the encoder.
    gradient_penalty : float, default=0.0
        Weight of the penalty on the discriminator's gradient in z.
    warm_up, noise, dimensions, architecture, encoder, hidden, rounds, batch, rate, optimiser, preset, checkpoint
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
    >>> NS(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S).predict_proba(X).shape
    (300, 2)
    """

    command_name = "ns"
    reference = "lample2017fader"

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        def deceive(log_q: Tensor, secrets: Tensor, labels: Tensor) -> Tensor:
            return flipped_likelihood(log_q, other(secrets, records.classes))

        return InvarianceGame(records, recipe, fabric, encoder, deceive)


def flipped_likelihood(log_q: Tensor, flipped: Tensor) -> Tensor:
    """Return the mean of -log q(a'|z) for wrong attributes a'.

    Parameters
    ----------
    log_q : Tensor (n, K)
    flipped : Tensor of int (n,)
        From `other`.
    """
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
