"""Estimators of I(Z; C) that an encoder is trained against, by name; each says what its own network learns.

All values are of a training batch: objectives, not figures. Where they are conditional, it is I(Z; C | Y).
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.information.estimators.club import club_of_attributes
from withhold.information.estimators.contrast import (
    conditional_donsker_varadhan,
    donsker_varadhan,
    shuffled_donsker_varadhan,
)
from withhold.information.estimators.gaussian import gaussian_information
from withhold.methods.mi_backprop.game import InformationTerm, Pool
from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.critic import JointCritic, SeparableCritic
from withhold.nets.perceptron import Perceptron

ESTIMATORS = ("mine", "classifier", "club", "gaussian")


@dataclass
class Secrets:
    """The attributes of the training rows, as estimators take them.

    Attributes
    ----------
    targets : Tensor (n, n_attributes)
        Class codes or normal scores, NaN where missing; see `AttributeLayout`.
    code : Tensor (n, width)
        The attributes as numbers: one-hot, or the score and whether it is known.
    marginal : Tensor (n, n_attributes)
        log p(c) of each row, or log p(c | y); 0 where missing.
    classes : Tensor (n,) or None
        Class of the task where the information is conditional on it, -1 where missing.
    n_classes : int
        Their number; 0 where it is not conditional.
    """

    targets: Tensor
    layout: AttributeLayout
    code: Tensor
    marginal: Tensor
    classes: Tensor | None = None
    n_classes: int = 0

    def __post_init__(self) -> None:
        known = ~self.targets.isnan().any(dim=1)
        if self.classes is not None:
            known = known & (self.classes >= 0)
        self.known = None if bool(known.all()) else known

    def complete(self, Z: Tensor, rows: Tensor) -> Pool:
        """Leave out rows with anything missing."""
        if self.known is None:
            return Z, rows
        kept = self.known[rows]
        return Z[kept], rows[kept]

    def context(self, rows: Tensor, like: Tensor) -> Tensor:
        """Return the class of the task one-hot, of no width where the information is unconditional."""
        if self.classes is None:
            return like.new_zeros(len(rows), 0)
        return functional.one_hot(self.classes[rows], self.n_classes).to(like.dtype)


def information_term(
    name: str, secrets: Secrets, dimensions: int, hidden: tuple[int, ...], critic: str = "separable"
) -> InformationTerm:
    """Return the estimator of that name, untrained.

    Parameters
    ----------
    name : {"mine", "classifier", "club", "gaussian"}
    dimensions : int
        Width of Z.
    hidden : tuple of int
        Hidden layers of its network.
    critic : {"separable", "joint"}
        Of MINE: an embedding of each side and all pairs of a batch, or one network and one shuffle, as in the paper.
    """
    if name == "mine":
        return MineTerm(secrets, dimensions, hidden, critic)
    if name == "gaussian":
        return GaussianTerm(secrets)
    return DensityTerm(secrets, dimensions, hidden, contrast=name == "club")


class MineTerm:
    """Equation (2): the Donsker-Varadhan bound of a statistics network that sees z and the attributes."""

    def __init__(self, secrets: Secrets, dimensions: int, hidden: tuple[int, ...], critic: str) -> None:
        self.secrets, self.joint = secrets, critic == "joint"
        kind = JointCritic if self.joint else SeparableCritic
        self.module: nn.Module = kind(dimensions, secrets.code.shape[1] + secrets.n_classes, hidden)

    def loss(self, Z: Tensor, rows: Tensor) -> Tensor:
        """Return minus the bound: line 8 of Algorithm 1 ascends it."""
        return -self.information(Z, rows)

    def information(self, Z: Tensor, rows: Tensor, pool: Pool | None = None) -> Tensor:
        """Return the bound on a batch."""
        Z, rows = self.secrets.complete(Z, rows)
        if len(rows) < 2:
            return Z.sum() * 0.0
        code = torch.cat([self.secrets.code[rows], self.secrets.context(rows, Z)], dim=1)
        classes = self.secrets.classes
        if classes is not None:
            return conditional_donsker_varadhan(self.module(Z, code), classes[rows])
        if not self.joint:
            return donsker_varadhan(self.module(Z, code))
        # Everybody gets somebody else's attributes: a turn by a random number of places.
        turned = code.roll(int(torch.randint(1, len(rows), ())), 0)
        paired = self.module.paired(torch.cat([Z, Z]), torch.cat([code, turned]))  # type: ignore[operator]
        return shuffled_donsker_varadhan(*paired.chunk(2))


class DensityTerm:
    """A model q(c | z): H(C) - CE, a lower bound, or CLUB, a contrast of q at a record's own attributes and others'."""

    def __init__(self, secrets: Secrets, dimensions: int, hidden: tuple[int, ...], *, contrast: bool) -> None:
        self.secrets, self.contrast = secrets, contrast
        self.module: nn.Module = Perceptron((dimensions + secrets.n_classes, *hidden, secrets.layout.width))

    def _outputs(self, Z: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        Z, rows = self.secrets.complete(Z, rows)
        outputs: Tensor = self.module(torch.cat([Z, self.secrets.context(rows, Z)], dim=1))
        return outputs, self.secrets.targets[rows], rows

    def loss(self, Z: Tensor, rows: Tensor) -> Tensor:
        """Return the cross-entropy of q, summed over attributes."""
        outputs, targets, _ = self._outputs(Z, rows)
        return -self.secrets.layout.log_density(outputs, targets).sum() / max(1, len(targets))

    def information(self, Z: Tensor, rows: Tensor, pool: Pool | None = None) -> Tensor:
        """Return the estimate, summed over attributes that have no joint."""
        outputs, targets, rows = self._outputs(Z, rows)
        layout, classes = self.secrets.layout, self.secrets.classes
        if not self.contrast:
            ratio = layout.log_density(outputs, targets) - self.secrets.marginal[rows]
            return ratio.sum() / max(1, len(rows))
        if classes is None:
            return club_of_attributes(layout, outputs, targets)
        groups = [classes[rows] == k for k in range(self.secrets.n_classes)]
        parts = [club_of_attributes(layout, outputs[g], targets[g]) * g.sum() for g in groups if bool(g.any())]
        return torch.stack(parts).sum() / len(rows) if parts else outputs.sum() * 0.0


class GaussianTerm:
    """The closed form for jointly Gaussian z and attributes: no network, and linear dependence only."""

    def __init__(self, secrets: Secrets) -> None:
        self.secrets = secrets
        self.module: nn.Module = nn.Module()

    def loss(self, Z: Tensor, rows: Tensor) -> Tensor:
        """Return nothing to learn."""
        return Z.sum() * 0.0

    def information(self, Z: Tensor, rows: Tensor, pool: Pool | None = None) -> Tensor:
        """Return the closed form over batch and pool, with the gradient that the batch alone would give.

        The covariances of a batch of 128 rows of 64 columns are too rough; rows of the pool steady them.
        """
        own = len(rows)
        if pool is not None:
            Z, rows = torch.cat([Z, pool[0]]), torch.cat([rows, pool[1]])
        share = len(rows) / own
        Z, rows = self.secrets.complete(Z, rows)
        code = self.secrets.code[rows]
        if self.secrets.classes is not None:
            classes = self.secrets.classes[rows]
            Z, code = (_centred(x, classes, self.secrets.n_classes) for x in (Z, code))
        value = gaussian_information(Z, code)
        return value.detach() + share * (value - value.detach())


def _centred(x: Tensor, classes: Tensor, n_classes: int) -> Tensor:
    """Return `x` less the mean of its class."""
    member = functional.one_hot(classes, n_classes).to(x.dtype)
    means = member.T @ x / member.sum(dim=0).clamp(min=1)[:, None]
    return x - means[classes]
