"""What several releases of one record cost together, exactly, and what a model trained by DP-SGD adds.

Epsilons and deltas of independent draws add up (Dwork and Roth, 2014, theorem 3.16): as fractions, so that a total is
met or exceeded and never nearly so. DP-SGD is accounted for with dp-accounting (extra `dp`), for one record added or
left out. A record that was trained on *and* is released needs the promise for replacing it by another: that is leaving
one out and adding another, (2 eps, (1 + e^eps) delta).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from withhold.contracts.checks import refused
from withhold.contracts.differential_privacy import DifferentialPrivacy
from withhold.contracts.errors import BudgetExceededError, MissingExtraError
from withhold.privacy.expansion import exponential_bounds
from withhold.privacy.mechanism import FITTED, NOT_COVERED, Exact, Mechanism, at_least, exact


@dataclass(frozen=True)
class PrivacyLoss:
    """An exact epsilon and delta; losses of one record add.

    Examples
    --------
    >>> PrivacyLoss(Fraction(1, 10)) + PrivacyLoss(Fraction(1, 5), Fraction(1, 10**6))
    PrivacyLoss(epsilon=Fraction(3, 10), delta=Fraction(1, 1000000))
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, mechanism: Mechanism) -> Self:
        """Return what one release by a mechanism costs."""
        return cls(mechanism.epsilon, mechanism.delta)

    def __add__(self, other: "PrivacyLoss") -> "PrivacyLoss":
        return PrivacyLoss(self.epsilon + other.epsilon, self.delta + other.delta)

    def __mul__(self, times: int) -> "PrivacyLoss":
        return PrivacyLoss(self.epsilon * times, self.delta * times)

    def replace_one(self) -> "PrivacyLoss":
        """Turn a promise for one record added or left out into one for a record replaced: (2 eps, (1 + e^eps) delta).

        Examples
        --------
        >>> loss = PrivacyLoss(Fraction(1), Fraction(1, 10**6)).replace_one()
        >>> loss.epsilon, round(float(loss.delta) * 1e6, 4)  # 1 + e
        (Fraction(2, 1), 3.7183)
        """
        if self.delta == 0:
            return PrivacyLoss(2 * self.epsilon)
        places = 64 + 2 * int(self.epsilon + 1)
        low, _ = exponential_bounds(self.epsilon, places)
        return PrivacyLoss(2 * self.epsilon, (1 + Fraction(1 << places, low)) * self.delta)

    def within(self, total: "PrivacyLoss") -> bool:
        """Say whether this is no more than a total."""
        return self.epsilon <= total.epsilon and self.delta <= total.delta


def together(
    parts: Iterable[Mechanism], *, trained: PrivacyLoss | None = None, excludes: tuple[str, ...] = NOT_COVERED
) -> DifferentialPrivacy:
    """Return the terms of several mechanisms that release parts of one record, such as a vector and its label.

    Parameters
    ----------
    parts : iterable of Mechanism
    trained : PrivacyLoss, optional
        What a model that was trained on the same record tells of it, for the record added or left out, where that model
        is part of the release (the decoder of a flow is: releases come out of it).
    excludes : tuple of str
        What the terms say nothing about.

    Examples
    --------
    >>> from withhold.privacy.privunit import PrivUnit
    >>> from withhold.privacy.randomised_response import RandomisedResponse
    >>> terms = together([PrivUnit(3, dimensions=8), RandomisedResponse(1, categories=10)])
    >>> terms.epsilon, len(terms.covers)
    (4.0, 2)
    """
    parts = list(parts)
    loss = sum((PrivacyLoss.of(part) for part in parts), PrivacyLoss(Fraction(0)))
    covers = tuple(line for part in parts for line in part.covered())
    if trained is not None:
        # First the model, which replacing the record changes by that much, then the record through that model.
        loss += trained.replace_one()
        covers = (*covers, "what the model that was trained on it tells of it")
        excludes = tuple(line for line in excludes if line != FITTED)
    return DifferentialPrivacy(
        notion="approximate" if loss.delta else "pure",
        epsilon=at_least(loss.epsilon),
        delta=at_least(loss.delta),
        unit="record",
        covers=covers,
        excludes=excludes,
        float_safe=trained is None and all(part.terms().float_safe for part in parts),
    )


def dp_sgd_loss(noise_multiplier: float, sample_rate: float, steps: int, delta: Exact) -> PrivacyLoss:
    """Return what a model trained by DP-SGD tells of one record added or left out.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm.
    sample_rate : float
        Probability that a record is in a batch; batches are drawn by Poisson sampling.
    steps : int
    delta : number
        In (0, 1); epsilon is the smallest that the accountant can vouch for at it.

    Notes
    -----
    Opacus adds floating-point noise: the promise is on paper, not float-safe. See `dp_sgd_terms`.
    """
    wanted = exact(delta, "delta", "dp_sgd_loss")
    for name, value, fits in (
        ("noise_multiplier", noise_multiplier, noise_multiplier > 0),
        ("sample_rate", sample_rate, 0 < sample_rate <= 1),
        ("steps", steps, steps >= 1),
        ("delta", delta, wanted < 1),
    ):
        if not fits:
            expected = {"sample_rate": "above 0 and at most 1", "steps": "at least 1", "delta": "above 0 and below 1"}
            raise refused(name, expected.get(name, "above 0"), value)
    try:
        import dp_accounting
        from dp_accounting.pld import PLDAccountant
    except ImportError as error:
        raise MissingExtraError("Accounting for DP-SGD needs dp-accounting: pip install 'withhold[dp]'.") from error
    step = dp_accounting.PoissonSampledDpEvent(sample_rate, dp_accounting.GaussianDpEvent(noise_multiplier))
    accountant = PLDAccountant().compose(dp_accounting.SelfComposedDpEvent(step, steps))
    return PrivacyLoss(Fraction(float(accountant.get_epsilon(float(wanted)))), wanted)


def dp_sgd_terms(loss: PrivacyLoss, *, replace: bool = False) -> DifferentialPrivacy:
    """Return the terms of a model trained by DP-SGD, for one record added or left out or, if asked, replaced.

    Examples
    --------
    >>> terms = dp_sgd_terms(PrivacyLoss(Fraction(1), Fraction(1, 10**6)), replace=True)
    >>> terms.epsilon, terms.adjacency, terms.unit, terms.float_safe
    (2.0, 'replace one record', 'training set', False)
    """
    held = loss.replace_one() if replace else loss
    return DifferentialPrivacy(
        notion="approximate",
        epsilon=at_least(held.epsilon),
        delta=at_least(held.delta),
        unit="training set",
        adjacency="replace one record" if replace else "add or remove one record",
        covers=("what the trained parameters tell of one training record",),
        excludes=(
            "settings that were chosen by looking at the same records",
            "what is released of a record beside the model",
            "several records of one person, unless they count as one record",
        ),
        float_safe=False,
    )


def refuse_beyond(histories: Counter[tuple[PrivacyLoss, int]], loss: PrivacyLoss, total: PrivacyLoss | None) -> None:
    """Refuse a release after which some record would have cost more than `total`.

    Parameters
    ----------
    histories : Counter of (PrivacyLoss, int)
        How many records have cost so much before and are so many times in this release.
    loss : PrivacyLoss
        What one row of this release costs.
    total : PrivacyLoss or None
        None: no limit.

    Raises
    ------
    BudgetExceededError

    Examples
    --------
    >>> refuse_beyond(Counter([(PrivacyLoss(Fraction(1)), 1)]), PrivacyLoss(Fraction(1)), PrivacyLoss(Fraction(2)))
    """
    spent = {kind: kind[0] + loss * kind[1] for kind in histories}
    if total is None or all(after.within(total) for after in spent.values()):
        return
    worst = {kind: after for kind, after in spent.items() if not after.within(total)}
    beyond = sum(histories[kind] for kind in worst)
    what = "epsilon" if any(after.epsilon > total.epsilon for after in worst.values()) else "delta"
    most = max(float(getattr(after, what)) for after in worst.values())
    why = "Releases of one record add up; nothing was released or entered."
    remedy = "Leave these records out, or use a smaller epsilon."
    if all((before + loss).within(total) for before, _ in worst):  # once each, they could be released
        copies = max(copies for _, copies in worst)
        why = f"These records are up to {copies} times in this release; nothing was released or entered."
        remedy = (
            "Leave the copies out; if they are different people with equal values, name each record by an identifier "
            "of its own (identifiers=, on the command line --key COL); or use a smaller epsilon."
        )
    raise BudgetExceededError(
        f"{beyond} of {histories.total()} records would reach {what} {most:g} with this release; the limit is "
        f"{float(getattr(total, what)):g}. {why} {remedy}"
    )
