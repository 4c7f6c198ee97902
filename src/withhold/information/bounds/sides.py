"""Certificates and mechanisms for a whole joint: equal rows lumped, classes of S merged beyond eight, all put back."""

import math

import numpy as np
from numpy.typing import NDArray

from withhold.information.bounds.certificate import Certificate, check_certificate
from withhold.information.bounds.classes import Lumped, lump, merge_columns, merged
from withhold.information.bounds.curve import Curve, Line, between
from withhold.information.bounds.envelope import MOST_CLASSES
from withhold.information.bounds.families import mix
from withhold.information.bounds.mechanism import Mechanism, telling
from withhold.information.bounds.no_leakage import quantile_family
from withhold.information.bounds.prices import first_prices

Reals = NDArray[np.float64]
Codes = NDArray[np.intp]

# Where classes were merged the gap is that of the merging: a finer solution of the merged problem would not help.
COARSER = 5.0
# Nats of I(U;S) from which on the tolerance is absolute.
PLENTY = 0.2


def both_sides(joint: Reals, budgets: Reals, tolerance: float) -> tuple[list[Certificate], list[Mechanism]]:
    """Return for each budget the best certificate and the best mechanism of p(u, s).

    Parameters
    ----------
    joint : ndarray, shape (n_u, n_s)
        Columns and rows of no mass are allowed.
    tolerance : float
        Wanted gap, where I(U;S) is 0.2 nat or more; in proportion to it below.

    Returns
    -------
    certificates : list of Certificate
    mechanisms : list of Mechanism

    Examples
    --------
    >>> certificates, mechanisms = both_sides(np.diag([0.5, 0.5]), np.array([0.1]), 1e-3)
    >>> certificates[0].slope, round(mechanisms[0].uncertainty, 6), round(math.log(2) - 0.1, 6)
    (1.0, 0.593147, 0.593147)
    """
    live = np.flatnonzero(joint.sum(axis=0) > 0)
    kept = joint[:, live]
    small = len(live) <= MOST_CLASSES
    group = np.arange(len(live)) if small else merge_columns(kept, MOST_CLASSES)
    lumped = lump(merged(kept, group))
    curve = Curve.start(lumped.joint)
    within = tolerance * (1.0 if small else COARSER) * min(1.0, max(curve.most, 1e-9) / PLENTY)
    inner = [float(k) for k in budgets if k < curve.most]
    found = dict(zip(inner, curve.upper(inner, within), strict=True))
    groups = np.zeros(joint.shape[1], np.intp)
    groups[live] = group
    lines = [_certificate(curve.lower(float(k))[1], lumped, curve, groups) for k in budgets]
    told = telling(joint)
    if small:
        whole = {k: Mechanism.of(_lift(m, lumped, joint, groups), joint) for k, m in found.items()}
        return lines, [whole.get(float(k), told) for k in budgets]
    # Lemma 2.2 needs no partitions: it holds for all classes of S.
    plain = _lemma_2_2(joint)
    lines = [_higher(line, plain, joint, float(k)) for line, k in zip(lines, budgets, strict=True)]
    # What hides the merged S leaks a little of the whole S: how much is computed, and then shared with the ends.
    known = [
        _independent(joint, live),
        told,
        *(Mechanism.of(_lift(m, lumped, joint, groups), joint) for m in found.values()),
    ]
    return lines, [_shared(known, float(k)) for k in budgets]


def lines_below(joint: Reals) -> list[Certificate]:
    """Return certificates of finite slope for a joint whose cells all have mass, without looking for mechanisms.

    Examples
    --------
    >>> len(lines_below(np.array([[0.4, 0.1], [0.1, 0.4]])))
    16
    """
    small = joint.shape[1] <= MOST_CLASSES
    group = np.arange(joint.shape[1]) if small else merge_columns(joint, MOST_CLASSES)
    lumped = lump(merged(joint, group))
    curve = Curve.start(lumped.joint)
    return [_certificate(line, lumped, curve, group) for line in curve.lines]


def _higher(a: Certificate, b: Certificate, joint: Reals, budget: float) -> Certificate:
    return a if check_certificate(a, joint, budget) >= check_certificate(b, joint, budget) else b


def _shared(known: list[Mechanism], budget: float) -> Mechanism:
    low, high = between(known, budget)
    return high if high.leakage <= budget else high.repaired(budget, low)


def _independent(joint: Reals, live: Codes) -> Mechanism:
    """Return a release that is independent of S: one quantile for all S, and U from it."""
    mixture = mix(joint[:, live], quantile_family(joint[:, live]), None)
    if mixture is None:
        raise ArithmeticError("The linear programme of a coupling that always exists was not solved.")
    atoms = np.zeros((len(mixture.atoms), *joint.shape))
    atoms[:, :, live] = mixture.atoms
    return Mechanism.of(atoms, joint)


def _lift(mechanism: Mechanism, lumped: Lumped, joint: Reals, groups: Codes) -> Reals:
    """Return p(z, u, s) of a channel that was found for the lumped joint."""
    grouped = merged(joint, groups)
    atoms = lumped.lift_atoms(mechanism.channel * lumped.joint)
    share = np.divide(joint, grouped[:, groups], out=np.zeros_like(joint), where=grouped[:, groups] > 0)
    lifted: Reals = atoms[:, :, groups] * share
    return lifted


def _certificate(line: Line, lumped: Lumped, curve: Curve, groups: Codes) -> Certificate:
    """Write a line in terms of the whole joint: prices for every u, a group for every class of S."""
    mu = line.prices
    if math.isfinite(line.slope):
        mu = mu + line.slope * np.log(curve.envelope.reference)
    return Certificate(line.slope, lumped.lift_prices(mu), groups)


def _lemma_2_2(joint: Reals) -> Certificate:
    rows, columns = joint.sum(axis=1) > 0, joint.sum(axis=0) > 0
    table = joint[np.ix_(rows, columns)]
    block = first_prices(table) + np.log(table.sum(axis=0))
    prices = np.full(joint.shape, block.min())
    prices[np.ix_(rows, columns)] = block
    return Certificate(1.0, prices, np.arange(joint.shape[1]))
