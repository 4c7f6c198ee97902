"""What several releases of one record cost together, exactly.

Epsilons and deltas of independent draws add up (Dwork and Roth, 2014, theorem 3.16): as fractions, so that a total is
met or exceeded and never nearly so. Every mechanism of this version has delta 0; a ledger may hold others.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from withhold.contracts.errors import BudgetExceededError
from withhold.contracts.wording import advice


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

    def __add__(self, other: "PrivacyLoss") -> "PrivacyLoss":
        return PrivacyLoss(self.epsilon + other.epsilon, self.delta + other.delta)

    def __mul__(self, times: int) -> "PrivacyLoss":
        return PrivacyLoss(self.epsilon * times, self.delta * times)

    def within(self, total: "PrivacyLoss") -> bool:
        """Say whether this is no more than a total."""
        return self.epsilon <= total.epsilon and self.delta <= total.delta


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
            f"of its own with {advice('identifiers=', '--key COL')}; or use a smaller epsilon."
        )
    records = f"{histories.total()} {'record' if histories.total() == 1 else 'records'}"
    raise BudgetExceededError(
        f"{beyond} of {records} would reach {what} {most:g} with this release; the limit is "
        f"{float(getattr(total, what)):g}. {why} {remedy}"
    )
