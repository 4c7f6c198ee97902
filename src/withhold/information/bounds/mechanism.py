"""A release as a channel p(z | u, s): what it leaks of S, what it leaves unknown of U, repaired to meet a budget.

Two channels can be used in turn ("time-sharing": which one was used is part of Z), and both I(S;Z) and H(U|Z) are then
averaged. A channel that leaks a little too much, because a linear programme is solved to 1e-9, is repaired in that way
with one that leaks less.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Mechanism:
    """A channel and its two numbers, computed from the channel itself.

    Attributes
    ----------
    channel : ndarray, shape (n_z, n_u, n_s)
        p(z | u, s); sums to one over z, uniform where p(u, s) = 0.
    leakage : float
        I(S;Z).
    uncertainty : float
        H(U|Z).

    Examples
    --------
    >>> half = Mechanism.of(np.stack([np.eye(2) / 2, np.zeros((2, 2))]), np.eye(2) / 2)
    >>> half.leakage, round(half.uncertainty, 6)
    (0.0, 0.693147)
    """

    channel: Reals
    leakage: float
    uncertainty: float

    @classmethod
    def of(cls, atoms: Reals, joint: Reals) -> "Mechanism":
        """Return the mechanism of joint masses p(z, u, s), renormalised so that they average to `joint`."""
        total = atoms.sum(axis=0)
        channel = np.full(atoms.shape, 1.0 / len(atoms))
        np.divide(atoms, total, out=channel, where=(total > 0) & (joint > 0))
        exact = channel * joint
        return cls(channel, leakage(exact), uncertainty(exact))

    def share_time(self, other: "Mechanism", weight: float) -> "Mechanism":
        """Use this one with probability `weight`, else `other`, and say which."""
        channel = np.concatenate([weight * self.channel, (1.0 - weight) * other.channel])
        return Mechanism(
            channel,
            weight * self.leakage + (1.0 - weight) * other.leakage,
            weight * self.uncertainty + (1.0 - weight) * other.uncertainty,
        )

    def repaired(self, budget: float, safe: "Mechanism") -> "Mechanism":
        """Meet `budget` by using `safe`, which leaks less, as often as needed."""
        if self.leakage <= budget or self.leakage <= safe.leakage:
            return self
        return self.share_time(safe, max(0.0, (budget - safe.leakage) / (self.leakage - safe.leakage)))


def leakage(atoms: Reals) -> float:
    """Return I(S;Z) of p(z, u, s) in nats."""
    table = atoms.sum(axis=1)
    found = entr(table.sum(axis=0)).sum() + entr(table.sum(axis=1)).sum() - entr(table).sum()
    return max(0.0, float(found))


def uncertainty(atoms: Reals) -> float:
    """Return H(U|Z) of p(z, u, s) in nats."""
    table = atoms.sum(axis=2)
    return max(0.0, float(entr(table).sum() - entr(table.sum(axis=1)).sum()))


def telling(joint: Reals) -> Mechanism:
    """Return Z = U: nothing left unknown, and all of I(U;S) leaked."""
    return Mechanism.of(np.eye(len(joint))[:, :, None] * joint, joint)
