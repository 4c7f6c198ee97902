"""What a method is chosen by: the most utility within a budget, or the least leakage at a utility."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from withhold.contracts.choice_record import By, TrialRecord

# Scores closer than this are no reason to let more leak: the acceptance of a choice asks for no more.
TIE = 0.005


@dataclass(frozen=True)
class Objective:
    """What was asked for.

    Attributes
    ----------
    budget : float or None
        Nats that all attributes together may tell.
    each : mapping of str to float
        Nats that an attribute with a budget of its own may tell.
    target : float or None
        Accuracy or R squared; where it is given, it is what methods are chosen by.
    counted : float
        Share of a budget up to which the audit is foretold to pass the upper end: it allows for what attackers miss.

    Examples
    --------
    >>> Objective(0.05, None).by, Objective(0.05, 0.8).by
    ('budget', 'target_utility')
    """

    budget: float | None
    target: float | None
    each: Mapping[str, float] = field(default_factory=dict)
    counted: float = 1.0

    @property
    def by(self) -> By:
        """What methods are chosen by."""
        return "budget" if self.target is None else "target_utility"

    def held(self, trial: TrialRecord) -> bool:
        """Whether a trial holds what was asked for."""
        if trial.failed:
            return False
        if self.target is not None:
            return trial.kept >= self.target
        return self.budget is not None and self.share(trial) <= 1.0

    def share(self, trial: TrialRecord) -> float:
        """Return the upper end of what leaks over its budget, the worst of all budgets; in nats where there is none."""
        own = [trial.most_of(name) / (self.counted * limit) for name, limit in self.each.items()]
        return max([trial.most / (self.counted * (self.budget or 1.0)), *own])

    def best(self, trials: Sequence[TrialRecord]) -> TrialRecord | None:
        """Return the best trial: of those that hold what was asked for, else the closest; None where all failed."""
        done = [one for one in trials if not one.failed]
        holding = [one for one in done if self.held(one)]
        if not done:
            return None
        if self.target is not None:
            return min(holding, key=self.share) if holding else max(done, key=lambda one: one.kept)
        if not holding:
            return min(done, key=self.share)
        top = max(one.kept for one in holding)
        return min((one for one in holding if one.kept >= top - TIE), key=self.share)

    def upwards(self, trial: TrialRecord) -> bool:
        """Whether settings that keep more are to be tried next, rather than those that hide more."""
        return self.held(trial) == (self.target is None)

    def cannot_win(self, trial: TrialRecord, best: TrialRecord | None) -> bool:
        """Whether settings beyond `trial`, in the direction it points, cannot be better than the best so far.

        Settings that hide more keep no more; settings that keep more leak no less. Where nothing is read any more, an
        upper end above the budget is the width of the interval, which hiding more does not change.
        """
        if self.target is None and not self.held(trial) and trial.leakage is not None and trial.leakage.value <= 0:
            return True
        if best is None or best is trial or not self.held(best):
            return False
        if self.target is None:
            return not self.upwards(trial) and trial.kept <= best.kept
        return self.upwards(trial) and self.share(trial) >= self.share(best)

    def settled(self, best: TrialRecord | None, cap: float) -> bool:
        """Whether no release whatever can be better by more than a tie: none keeps more than `cap`."""
        return best is not None and self.target is None and self.held(best) and best.kept >= cap - TIE
