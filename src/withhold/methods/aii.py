r"""AII: adversarial invariance induction.

Q. Xie, Z. Dai, Y. Du, E. Hovy, G. Neubig, "Controllable Invariance through Adversarial Feature Learning", NIPS 2017
(xie2017controllable), in the form of equation (1) of Y. Iwasawa, K. Akuzawa, Y. Matsuo, "Stabilizing Adversarial
Invariance Induction from Divergence Minimization Perspective", IJCAI 2020 (iwasawa2020iidm).

Idea. A discriminator learns to tell the attribute from the representation, in alternation with an encoder that learns
a task and lowers the discriminator's likelihood of the true attribute. With an optimal discriminator at each step the
encoder would maximise H(a|z), which is largest exactly where z is independent of a.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, a                records, `y`, sensitive attributes S (several: jointly)
z, f_theta             released `Z` before its noise, ``encoder``
q_psi(y|z)             ``classifier``
q_phi(a|z)             ``discriminator``
lambda, kappa          `lam`, `kappa`
=====================  ================================================================

Equations. (1) of the second paper: `likelihood` for the encoder, `InvarianceGame.discriminator_loss` for the
discriminator; (2), H(a|z) <= H_{p,q}(a|z): ``curves_["discriminator"]``.

Departures, and why. Release noise on outputs of unit variance, the warm-up of the discriminator, the kept state and
what is done with missing and continuous attributes are as for IIDM, for the same reasons. ``gradient_penalty`` > 0 is
the paper's AII+GP, with the penalty taken on z and given to the discriminator alone. ``preset="paper"`` is the second
paper's training, as for IIDM.

What goes wrong. log q(a|z) has no lower bound: the encoder may flee from the discriminator without end instead of
hiding the attribute, and the discriminator's cross-entropy then exceeds H(S), which no sound discriminator does. The
finding ``discriminator_lost`` says so. It is here as a rival of IIDM.

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from typing import TYPE_CHECKING

from torch import Tensor

from withhold.methods.invariance.invariant_classifier import InvariantClassifier
from withhold.nets.encoders import Encoder
from withhold.training.invariance import InvarianceGame, InvarianceRecipe, LabelledRecords

if TYPE_CHECKING:
    from lightning_fabric import Fabric


class AII(InvariantClassifier):
    """Learn a representation for a task from which a discriminator does not tell the attribute.

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
    >>> AII(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S).predict_proba(X).shape
    (300, 2)
    """

    command_name = "aii"
    reference = "xie2017controllable"

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        return InvarianceGame(records, recipe, fabric, encoder, lambda log_q, a, _: likelihood(log_q, a))


def likelihood(log_q: Tensor, secrets: Tensor) -> Tensor:
    """Return the mean of log q(a|z), the second term of equation (1): unbounded below.

    Parameters
    ----------
    log_q : Tensor (n, K)
    secrets : Tensor of int (n,)
    """
    return log_q.gather(-1, secrets.unsqueeze(-1)).mean()
