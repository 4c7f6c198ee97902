"""A certificate: a slope and prices from which anyone can recompute a lower bound with one evaluation.

For every lambda >= 1 and every table mu, every release with I(S;Z) <= k has

    H(U|Z) >= <p, mu> + lambda (H(S) - k) - g(lambda, mu)          (dual of Lemma 2.1; see `envelope`),

however the table was found. So a certificate cannot be wrong, only loose. It is evaluated in float64, with rounding of
about 1e-12 times the slope.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from withhold.contracts.checks import check_budget
from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.classes import merged
from withhold.information.bounds.envelope import Envelope
from withhold.information.measures.joint import check_joint

Reals = NDArray[np.float64]

FORMAT = "withhold-certificate-1"


@dataclass(frozen=True)
class Certificate:
    """A line below the curve of H(U|Z) over I(S;Z).

    Attributes
    ----------
    slope : float
        lambda; `math.inf` for a certificate about k = 0 only.
    prices : ndarray, shape (n_u, n_groups)
        mu; for an infinite slope the table nu (see `envelope`).
    groups : ndarray of int, shape (n_s,)
        Group of each class of S; the identity unless S has more than eight classes.
    """

    slope: float
    prices: Reals = field(repr=False)
    groups: NDArray[np.intp] = field(repr=False)

    def to_json(self) -> str:
        """Return the certificate as JSON text."""
        slope = None if math.isinf(self.slope) else self.slope
        known = {"format": FORMAT, "slope": slope, "prices": self.prices.tolist(), "groups": self.groups.tolist()}
        return json.dumps(known)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """Read what `to_json` wrote."""
        try:
            known = json.loads(text)
            slope = math.inf if known["slope"] is None else float(known["slope"])
            prices, groups = np.asarray(known["prices"], np.float64), np.asarray(known["groups"], np.intp)
            if known["format"] != FORMAT or prices.ndim != 2 or groups.ndim != 1 or slope < 1.0:
                raise ValueError(known["format"])
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidParameterError(
                f"A certificate must be JSON of the format {FORMAT} (got {text[:40]!r}). Use Certificate.to_json."
            ) from error
        return cls(slope, prices, groups)

    def save(self, path: Path | str) -> None:
        """Write the certificate to a file."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: Path | str) -> "Certificate":
        """Read a file that `save` wrote."""
        return cls.from_json(Path(path).read_text(encoding="utf-8"))


def check_certificate(certificate: Certificate, joint: ArrayLike, budget: float) -> float:
    """Return the lower bound on H(U|Z) that a certificate proves for releases with I(S;Z) <= budget.

    The loss I(U;X|Z) of such a release is at least I(U;X) - H(U) plus this number.

    Parameters
    ----------
    joint : array_like, shape (n_u, n_s)
        p(u, s): any joint of that shape, not only the one the certificate was made for.
    budget : float
        k in nats.

    Returns
    -------
    float
        In nats; -inf where the certificate says nothing (infinite slope, budget above zero).

    Raises
    ------
    InvalidParameterError
        A joint of another shape, a budget below zero or not finite, groups that are none.

    Examples
    --------
    >>> joint = np.array([[0.45, 0.05], [0.05, 0.45]])
    >>> line = Certificate(1.0, np.log(joint / joint.sum(1, keepdims=True)), np.arange(2))  # Lemma 2.2
    >>> round(check_certificate(line, joint, 0.1), 6)  # I(U;S) - 0.1
    0.268064
    """
    p = check_joint(joint)
    if sorted(set(certificate.groups.tolist())) != list(range(certificate.prices.shape[1])):
        got = certificate.groups.tolist()[:20]
        raise InvalidParameterError(f"The groups of a certificate must be 0, 1, ..., each used (got {got}).")
    if p.ndim != 2 or len(p) != len(certificate.prices) or p.shape[1] != len(certificate.groups):
        expected = f"of shape ({len(certificate.prices)}, {len(certificate.groups)})"
        raise InvalidParameterError(
            f"The joint must be {expected} (got {p.shape}). Use the joint that the certificate was made for."
        )
    check_budget(budget, zero=True)
    if math.isinf(certificate.slope) and budget > 0:
        return -math.inf
    height = intercept(certificate, merged(p, certificate.groups))
    return height if math.isinf(certificate.slope) else height - certificate.slope * budget


def intercept(certificate: Certificate, joint: Reals) -> float:
    """Return the certificate's bound at k = 0 for the joint of U and the groups of S."""
    live = joint.sum(axis=0) > 0
    p, prices, slope = joint[:, live], certificate.prices[:, live], certificate.slope
    reference = p.sum(axis=0)
    if slope == 1.0:  # the limit of g needs no partitions: one u for all of S is best
        entropy = -float(reference @ np.log(reference))
        return float((p * prices).sum()) + entropy - float(logsumexp(prices, axis=1).max())
    nu = prices if math.isinf(slope) else prices - slope * np.log(reference)
    return float((p * nu).sum()) - Envelope(reference).evaluate(slope, nu)[0]
