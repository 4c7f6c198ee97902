r"""IIDM+: discriminator matching within each class of the task (semantic alignment).

The extension in section 4 of Y. Iwasawa, K. Akuzawa, Y. Matsuo, "Stabilizing Adversarial Invariance Induction from
Divergence Minimization Perspective", IJCAI 2020 (iwasawa2020iidm); after the conditional alignments of Li et al. 2018.

Idea. As IIDM, but a record is compared with the records of other attributes that have the same label. What label and
attribute have in common is then not fought over: the target is independence given the label.

=====================  ================================================================
paper                  here
=====================  ================================================================
x, y, a                records, `y`, sensitive attributes S (several: jointly)
z, f_theta             released `Z` before its noise, ``encoder``
q_psi(y|z)             ``classifier``
q_phi(a|z)             ``discriminator``
centroid of (a', y)    `Centroids` with labels, K x C of them
lambda, kappa, gamma   `lam`, `kappa`, `gamma`
=====================  ================================================================

Equations. (6) with the sum over a' != a among the records of label y: `semantic_matching`; (5): `Centroids.update`;
(1), the discriminator's part: `InvarianceGame.discriminator_loss`.

Departures, and why. As for IIDM, with ``preset="paper"`` too. A label that occurs with one attribute alone has nothing
to be aligned with: its records are in the task only, and the finding ``cells_empty`` names how many labels and records
these are. Records without a label are in no cell.

What it does not do. Where label and attribute depend on each other, Z tells of the attribute what the label tells of
it, also in a perfect fit: the target is p(a|y), not p(a).

Guarantee. None. How much an attacker learns is for the audit to measure.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from withhold.contracts.finding import Finding
from withhold.methods.iidm.centroids import Centroids, others
from withhold.methods.iidm.game import InvarianceGame, InvarianceRecipe, LabelledRecords
from withhold.methods.iidm.iidm import IIDM
from withhold.nets.encoders import Encoder

if TYPE_CHECKING:
    from lightning_fabric import Fabric


@dataclass(kw_only=True, eq=False, repr=False)
class IIDMPlus(IIDM):
    """Learn a representation for a task in which records of one label look alike, whatever their attribute.

    Parameters
    ----------
    lam, kappa, gamma, scaling, gradient_penalty, warm_up, noise, dimensions, architecture, encoder, hidden
        See `IIDM`.
    rounds, batch, rate, optimiser, preset, checkpoint
        See `IIDM`.
    sensitive_features, drop, output, decode, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous,
    device, random_state
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
    >>> IIDMPlus(rounds=40, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S).predict_proba(X).shape
    (300, 2)
    """

    command_name = "iidm-plus"

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        self._name_empty_cells(records)
        centroids = Centroids(records.classes, records.label_classes, gamma=float(self.gamma))
        total = self._total

        def deceive(log_q: Tensor, secrets: Tensor, labels: Tensor) -> Tensor:
            return semantic_matching(log_q, secrets, labels, centroids, total=total)

        return InvarianceGame(records, recipe, fabric, encoder, deceive, centroids)

    def _name_empty_cells(self, records: LabelledRecords) -> None:
        known = (records.secrets >= 0) & (records.labels >= 0)
        cells = records.labels[known] * records.classes + records.secrets[known]
        counts = torch.bincount(cells, minlength=records.classes * records.label_classes)
        table = counts.view(records.label_classes, records.classes)
        alone = (table > 0).sum(dim=1) == 1
        if bool(alone.any()):
            text = (
                f"{int(alone.sum())} of {records.label_classes} labels ({int(table[alone].sum())} records) occur with "
                "a single value of the attribute. IIDM+ has nothing to align them with, so it hides nothing in them. "
                "Use IIDM."
            )
            self.findings_.append(Finding(code="cells_empty", severity="warning", text=text))


def semantic_matching(
    log_q: Tensor, secrets: Tensor, labels: Tensor, centroids: Centroids, *, total: bool = False
) -> Tensor:
    """Return the matching loss of equation (6) with the sum over other attributes among records of the same label.

    Parameters
    ----------
    log_q : Tensor (n, K)
        log q(. | z) of each record; the centroids are constants.
    secrets, labels : Tensor of int (n,)
        Attribute and label; a label of -1 is unknown, and such a record has no part in the loss.
    centroids : Centroids
        With labels.
    total : bool
        Sum over the other attributes, as in the paper; False: their mean.
    """
    known = labels >= 0
    if not bool(known.any()):
        return log_q.sum() * 0.0
    target, constant, count = others(centroids, secrets[known], labels[known])
    loss = constant - (target * log_q[known]).sum(dim=-1)
    return torch.mean(loss if total else loss / count.clamp(min=1))
