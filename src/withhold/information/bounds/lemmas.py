"""The two simple bounds of AIOI: Lemma 2.2 from below, a straight line, and Lemma 2.3 from above, erasure.

Lemma 2.1, which is sharper than both, is `information.bounds.frontier`.

Bertran et al. (ICML 2019, bertran2019aioi); the released Y of the paper is Z here.

Lemma 2.2, Eq. (6):  I(U;X|Z) >= I(U;S) - I(U;S|X) - I(S;Z).
    Where I(U;S|X) is unknown, min(H(U|X), H(S|X)) is above it, and the bound stays valid.
Lemma 2.3, Eq. (8):  I(U;X|Z) = max(0, 1 - k / I(S;X)) I(U;X) is reached by releasing X with probability k / I(S;X) and
    an erasure symbol otherwise. The symbol lies outside X: the release is not in the domain of X.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.contracts.errors import InvalidParameterError

Reals = NDArray[np.float64]


def linear_lower_bound(
    budgets: ArrayLike,
    u_s: float,
    *,
    u_s_given_x: float | None = None,
    u_given_x: float | None = None,
    s_given_x: float | None = None,
) -> Reals:
    """Return Lemma 2.2's lower bound on the loss I(U;X|Z) at each budget.

    Parameters
    ----------
    budgets : array_like
        k in nats.
    u_s : float
        I(U;S).
    u_s_given_x : float or None
        I(U;S|X), where it is known.
    u_given_x, s_given_x : float or None
        H(U|X) and H(S|X), or numbers above them; the smaller one stands in for I(U;S|X).

    Examples
    --------
    >>> linear_lower_bound([0.0, 0.1, 0.5], 0.4, u_s_given_x=0.05).round(2).tolist()
    [0.35, 0.25, 0.0]
    """
    known = [value for value in (u_s_given_x, u_given_x, s_given_x) if value is not None]
    if not known:
        raise InvalidParameterError("One of I(U;S|X), H(U|X) and H(S|X) must be given. Pass u_s_given_x.")
    found: Reals = np.maximum(0.0, u_s - min(known) - np.asarray(budgets, np.float64))
    return found


def erasure_upper_bound(budgets: ArrayLike, u_x: float, s_x: float) -> Reals:
    """Return the loss I(U;X|Z) that Lemma 2.3's release reaches at each budget.

    Parameters
    ----------
    budgets : array_like
        k in nats.
    u_x, s_x : float
        I(U;X) and I(S;X); a number above I(S;X), such as H(S), gives a release that leaks less than it may.

    Examples
    --------
    >>> erasure_upper_bound([0.0, 0.1, 0.5], 0.6, 0.4).round(2).tolist()
    [0.6, 0.45, 0.0]
    """
    ks = np.asarray(budgets, np.float64)
    if s_x <= 0.0:
        return np.zeros_like(ks)
    found: Reals = np.maximum(0.0, 1.0 - ks / s_x) * u_x
    return found
