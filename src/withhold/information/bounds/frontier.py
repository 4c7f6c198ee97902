"""What is possible: the least loss of utility at each budget of leakage (AIOI, Lemma 2.1), exact and certified.

Bertran et al., "Adversarially Learned Representations for Information Obfuscation and Inference", ICML 2019
(bertran2019aioi). The released variable Y of the paper is Z here.

    loss(k) = min I(U;X|Z) over releases Z of X with I(S;Z) <= k
            >= max(0, I(U;X) - H(U) + T(k)),     T(k) = min H(U|Z) over p(z|u,s) with I(S;Z) <= k.

T is convex, T(k) >= I(U;S) - k (Lemma 2.2 for X = (U, S)), and T(k) = 0 from k = I(U;S) on. It is computed from both
sides: lines below it, each with a certificate that one function call checks, and mechanisms p(z|u,s) above it. The
paper's own solver gives points above the curve only (see `restricted`).

The restriction I(U;Z) <= I(U;X) of the lemma costs nothing: erasing Z at random scales I(U;Z) and I(S;Z) alike.
"""

import json
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from withhold.contracts.checks import refused
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.quantity import as_budgets
from withhold.information.bounds.certificate import Certificate, check_certificate
from withhold.information.bounds.envelope import MOST_CLASSES
from withhold.information.bounds.mechanism import Mechanism
from withhold.information.bounds.sides import both_sides
from withhold.information.measures.joint import as_numbers, check_joint

Reals = NDArray[np.float64]

TOLERANCE = 1e-3


@dataclass(frozen=True)
class Frontier:
    """The curve at some budgets.

    Attributes
    ----------
    budgets : ndarray, shape (n,)
        k in nats.
    lower_bound, upper_bound : ndarray, shape (n,)
        Certified ends of Lemma 2.1's bound on the loss I(U;X|Z). No release of X loses less than `lower_bound`;
        `upper_bound` is reached by the mechanism below where X tells U and S, and says only how exact the bound is
        where X tells less.
    certificates : tuple of Certificate
        One for each budget; `check_certificate` recomputes its bound.
    mechanisms : tuple of Mechanism
        Channels p(z|u,s) that keep within each budget.
    u_s, u_x : float
        I(U;S), and the I(U;X) the loss is counted from.
    entropy_u, entropy_s : float
        H(U), H(S).
    exact_classes : bool
        False where S had more than eight classes and some were merged: then the lower bound is that of the merged S.
    """

    budgets: Reals
    lower_bound: Reals
    upper_bound: Reals
    certificates: tuple[Certificate, ...] = field(repr=False)
    mechanisms: tuple[Mechanism, ...] = field(repr=False)
    u_s: float
    u_x: float
    entropy_u: float
    entropy_s: float
    exact_classes: bool = True

    @property
    def gap(self) -> Reals:
        """How far the two ends are apart."""
        return self.upper_bound - self.lower_bound

    @property
    def vacuous(self) -> bool:
        """Whether the bound says nothing even without any leakage, because X tells too little of U."""
        return bool(self.u_x - self.entropy_u + self.mechanisms[0].uncertainty <= 0.0) if len(self.budgets) else True

    def to_json(self) -> str:
        """Return budgets, both ends and the certificates as JSON text."""
        known = {
            "budgets": self.budgets.tolist(),
            "lower_bound": self.lower_bound.tolist(),
            "upper_bound": self.upper_bound.tolist(),
            "certificates": [json.loads(c.to_json()) for c in self.certificates],
        }
        return json.dumps(known)


def frontier(
    joint: ArrayLike,
    budgets: ArrayLike | None = None,
    *,
    utility_information: float | None = None,
    tolerance: float = TOLERANCE,
) -> Frontier:
    """Return certified bounds on the least loss I(U;X|Z) among releases with I(S;Z) <= k.

    Parameters
    ----------
    joint : array_like, shape (n_u, n_s)
        p(u, s). Exact for up to eight classes of S; with more, classes are merged for the lower bound, which stays
        valid, and the gap tells what that costs.
    budgets : array_like or None
        Values of k in nats; None: 21 values from 0 to I(U;S).
    utility_information : float or None
        I(U;X); None: H(U), as if X told U.
    tolerance : float
        Wanted gap in nats, where I(U;S) is 0.2 nat or more; in proportion to it below.

    Examples
    --------
    >>> joint = [[0.45, 0.05], [0.05, 0.45]]  # U is S, but for one in ten
    >>> found = frontier(joint, [0.0, 0.1])
    >>> found.lower_bound.round(3).tolist(), bool(found.gap.max() < 1e-3)  # ln 2 - G(k), G(.1) = .351902
    ([0.555, 0.341], True)
    >>> bool(check_certificate(found.certificates[1], joint, 0.1) == found.lower_bound[1])
    True
    """
    p = check_joint(joint)
    if p.ndim != 2:
        raise InvalidParameterError(f"The joint must be a table p(u, s) (got {p.ndim} axes).")
    u_s, h_u, h_s = _entropies(p)
    if not 0 < tolerance < np.inf:
        raise refused("tolerance", "a number of nats above 0", tolerance)
    ks = np.linspace(0.0, max(0.0, u_s), 21) if budgets is None else as_budgets(budgets)
    u_x = h_u if utility_information is None else float(as_numbers(utility_information, "The 'utility_information'"))
    if not 0.0 <= u_x <= h_u * (1 + 1e-9) + 1e-12:
        raise refused("utility_information", f"between 0 and H(U) = {h_u:.6g} nat", u_x)
    lines, uppers = both_sides(p, ks, tolerance)
    lowers = [check_certificate(c, p, float(k)) for c, k in zip(lines, ks, strict=True)]
    deficit = u_x - h_u
    return Frontier(
        ks,
        np.maximum(0.0, deficit + np.array(lowers)),
        np.maximum(0.0, deficit + np.array([m.uncertainty for m in uppers])),
        tuple(lines),
        tuple(uppers),
        u_s,
        u_x,
        h_u,
        h_s,
        int((p.sum(axis=0) > 0).sum()) <= MOST_CLASSES,
    )


def _entropies(p: Reals) -> tuple[float, float, float]:
    h_u, h_s = float(entr(p.sum(axis=1)).sum()), float(entr(p.sum(axis=0)).sum())
    return max(0.0, h_u + h_s - float(entr(p).sum())), h_u, h_s
