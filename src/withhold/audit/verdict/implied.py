"""What a release must leak of S, by what it was shown to keep of U, whoever attacks.

A fresh panel guesses U from the release. The guess is made from the release, so I(U;Z) is at least what the guess tells
of U; and a release that keeps that much of U leaks at least the smallest k with G(k) >= I(U;Z) (AIOI, Lemma 2.1; never
less than I(U;Z) - H(U|S)). Certificates of that curve are made on one half of the guessed rows, with the table that
turns a guess into probabilities of U; the other half confines both at once (see `information.bounds.from_data`).

An attacker who found less than the lower end has missed at least the difference.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from withhold.audit.kept.kept import Kept
from withhold.audit.leakage.assessment import Assessment
from withhold.audit.request import Request
from withhold.contracts.finding import Finding
from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import stream
from withhold.contracts.threats import ImpliedLeakage
from withhold.data.attribute import Attribute
from withhold.data.shares import smoothed_shares
from withhold.information.bounds.certificate import intercept
from withhold.information.bounds.classes import merged
from withhold.information.bounds.from_data import confine, freeze, mixed_with_prior

Codes = NDArray[np.int64]

LEAST_ROWS = 100
# The curve of more classes takes longer than the rest of the audit.
MOST_CLASSES = 50
CERTIFICATE = (
    "Lemma 2.1 with certificates from one half of the rows, confined on the other by the empirical Bernstein "
    "inequality; rows are taken as independent"
)


def implied_leakage(
    utility: str,
    u: Codes,
    s: Codes,
    guess: Codes,
    audited: Quantity,
    rng: np.random.Generator,
    level: float = 0.95,
    independent: bool = True,
) -> ImpliedLeakage | None:
    """Return the least I(S;Z) with which a release can keep what `guess` shows of U.

    Parameters
    ----------
    utility : str
        Name of U.
    u, s, guess : ndarray of int, shape (n,)
        Codes of U, of S and of the guess of U from the release, of rows that no model was fitted on.
    audited : Quantity
        What the attackers learned of S from the same release.
    independent : bool
        False where rows belong to subjects: then there is no lower end, and no finding.

    Returns
    -------
    ImpliedLeakage or None
        None for fewer than a hundred rows or a constant.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(0, 2, 8000)
    >>> blind = Quantity(value=0.0, low=0.0, high=0.01, kind="lower_bound")
    >>> found = implied_leakage("u", s, s, s, blind, rng)  # the release tells U, and U is S
    >>> found.below_bound, bool(0.5 < found.leakage.low < 0.6932)
    (True, True)
    """
    u, s, guess = (np.unique(codes, return_inverse=True)[1].astype(np.int64) for codes in (u, s, guess))
    n, sizes = len(u), (int(u.max(initial=0)) + 1, int(s.max(initial=0)) + 1)
    if n < LEAST_ROWS or min(sizes) < 2 or max(sizes) > MOST_CLASSES:
        return None
    first = rng.permutation(n) < n // 2
    counts = _table(u[first], s[first], sizes)
    prior = smoothed_shares(counts.sum(axis=1))
    told = _table(guess[first], u[first], (int(guess.max()) + 1, sizes[0]))
    logs = mixed_with_prior((told + prior) / (told.sum(axis=1, keepdims=True) + 1.0), prior)
    reference = smoothed_shares(counts.sum(axis=0))
    lines = freeze(counts)
    rows = logs[guess[~first], u[~first]]
    # Every line falls by its slope for each nat: where it meets zero, no less can leak.
    share = 1.0 - (1.0 - level) / len(lines)
    rest = (reference, u[~first], s[~first], rows, float(logs.min()), np.zeros(1), share)
    lows = [float(confine([line], *rest).low[0]) / line.slope for line in lines]
    joint = _table(u, s, sizes) / n
    h_u, h_s = float(entr(joint.sum(axis=1)).sum()), float(entr(joint.sum(axis=0)).sum())
    kept = max(0.0, h_u + float(rows.mean()))
    value = max(0.0, *((intercept(c, merged(joint, c.groups)) - h_u + kept) / c.slope for c in lines))
    low = min(max(lows), value) if independent else None
    spread = 1.96 * float(rows.std(ddof=1)) / len(rows) ** 0.5
    return ImpliedLeakage(
        utility=utility,
        kept=Quantity(value=kept, low=max(0.0, kept - spread), kind="lower_bound", level=0.95, n=len(rows)),
        leakage=Quantity(value=value, low=low, kind="lower_bound", level=level, n=len(rows)),
        floor=max(0.0, kept - (float(entr(joint).sum()) - h_s)),
        audited=audited,
        below_bound=low is not None and low > audited.value,
        certificate=CERTIFICATE,
    )


def measure_implied(
    request: Request, kept: Kept, assessments: Mapping[str, Assessment], level: float, seed: int
) -> dict[str, ImpliedLeakage]:
    """Return for each categorical S what the release must leak of it, by the utility attribute that proves most."""
    found: dict[str, ImpliedLeakage] = {}
    for s in request.sensitive:
        if s.kind != "categorical" or s.name not in assessments:
            continue
        audited = assessments[s.name].result.leakage
        proofs = [
            proof
            for u in request.utility
            if u.name in kept.guesses and (proof := _one(u, s, kept, audited, request, level, seed)) is not None
        ]
        if proofs:
            found[s.name] = max(proofs, key=lambda proof: (proof.leakage.low or 0.0, proof.leakage.value))
    return found


def implied_findings(implied: Mapping[str, ImpliedLeakage]) -> list[Finding]:
    """Return a finding for each attribute of which the attackers must have missed something."""
    return [
        Finding(
            code="below_bound",
            severity="critical",
            text=f"What the release keeps of '{one.utility}' proves that it leaks at least {one.leakage.low:.3f} nat "
            f"about '{name}'; the attackers found {one.audited.value:.3f}. They missed at least the difference.",
            column=name,
        )
        for name, one in implied.items()
        if one.below_bound and one.audited is not None
    ]


def _one(
    u: Attribute, s: Attribute, kept: Kept, audited: Quantity, request: Request, level: float, seed: int
) -> ImpliedLeakage | None:
    guess = kept.guesses[u.name]
    known = s.known[guess.rows]
    rows = guess.rows[known]
    rng = stream(seed, "audit", "implied", u.name, s.name)
    codes = guess.guess[known].astype(np.int64)
    return implied_leakage(
        u.name, u.codes[rows], s.codes[rows], codes, audited, rng, level, independent=request.groups is None
    )


def _table(rows: Codes, columns: Codes, shape: tuple[int, int]) -> NDArray[np.float64]:
    counts = np.zeros(shape)
    np.add.at(counts, (rows, columns), 1.0)
    return counts
