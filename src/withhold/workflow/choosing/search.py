"""The search: candidates are tried, cheap first, until none left can win or it would take too long."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from withhold.contracts.choice_record import Ended, TrialRecord
from withhold.contracts.timetable import in_words
from withhold.workflow.choosing.candidates import COSTS, Ladder
from withhold.workflow.choosing.objective import Objective
from withhold.workflow.choosing.trial import Candidate

# All trials together take at most so many times what the best method takes alone, so that the whole takes three times.
# A best that takes less than the default method counts as that: what a formula takes would leave no time for another.
MOST_TIMES = 2.0

Try = Callable[[Candidate], TrialRecord]


@dataclass(frozen=True)
class Clock:
    """What the search may take.

    Attributes
    ----------
    measuring : float
        CPU seconds of measuring a release.
    usual : float
        Foretold CPU seconds of a fit of DeepMinMax on the rows of a trial.
    growth : float
        How many times more rows are fitted at last than in a trial.
    judging : float
        Foretold CPU seconds of the audit.
    until : float or None
        When to stop, on the clock `now`.
    """

    measuring: float
    usual: float
    growth: float
    judging: float
    until: float | None = None
    now: Callable[[], float] = time.monotonic

    def cost(self, candidate: Candidate, tried: Sequence[TrialRecord]) -> float:
        """Return what a trial is foretold to take: as much as the last of its method, else a share of another's."""
        known = [one.seconds for one in tried if one.method == candidate.method and not one.failed]
        if known:
            return known[-1]
        fits = [one.fit_seconds for one in tried if one.method == "deepminmax" and not one.failed]
        return self.measuring + COSTS.get(candidate.method, 1.0) * (fits[-1] if fits else self.usual)

    def share(self, last: bool) -> float:
        """Return the seconds that a trial may take: half of what is left, all of it where no other method comes."""
        return float("inf") if self.until is None else max(0.0, self.until - self.now()) / (1 if last else 2)

    def allows(self, seconds: float, spent: float, best: TrialRecord | None) -> bool:
        """Whether so many seconds more keep the search within its time."""
        if self.until is not None and self.now() + seconds > self.until:
            return False
        if best is None:
            return True
        alone = max(best.fit_seconds, self.usual) * self.growth + self.judging
        return spent + seconds <= MOST_TIMES * alone


@dataclass
class Search:
    """What was found so far; `run` goes on until nothing is left to try.

    Attributes
    ----------
    cap : float
        What no release can keep more than.
    attempt : callable
        Tries a candidate.
    known : mapping of str to TrialRecord
        Trials that an interrupted search finished, by candidate: they are not repeated.
    log : callable
        Told which candidate would take too long.
    """

    objective: Objective
    ladders: Sequence[Ladder]
    clock: Clock
    cap: float
    attempt: Try
    known: Mapping[str, TrialRecord] = field(default_factory=dict)
    log: Callable[[str], None] = lambda text: None
    trials: list[TrialRecord] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    ended: Ended = "nothing_left"

    def run(self) -> TrialRecord | None:
        """Try what can win; return the best, None where everything failed."""
        for ladder in self.ladders:
            for candidate in self._climb(ladder):
                if self.objective.settled(self.best, self.cap):
                    self.ended = "cannot_win"
                    return self.best
                if not self._affords(candidate, ladder is self.ladders[-1]):
                    self.left.append(str(candidate))
                    self.ended = "time"
                    break
                self._try(candidate)
        if not self.trials and self.left:  # one is always tried
            firsts = [ladder.rungs[ladder.start] for ladder in self.ladders]
            cheapest = min(firsts, key=lambda one: self.clock.cost(one, ()))
            self.left.remove(str(cheapest))
            self._try(cheapest)
        if self.objective.settled(self.best, self.cap) and not self.left:
            self.ended = "cannot_win"
        return self.best

    @property
    def best(self) -> TrialRecord | None:
        """The best trial so far."""
        return self.objective.best(self.trials)

    @property
    def spent(self) -> float:
        """CPU seconds of all trials."""
        return self.clock.measuring + sum(one.seconds for one in self.trials)

    def _climb(self, ladder: Ladder) -> Iterator[Candidate]:
        """Yield the rungs of a ladder from its start in the direction that each trial points to, until it turns."""
        place, direction = ladder.start, 0
        while 0 <= place < len(ladder.rungs):
            before = len(self.trials)
            yield ladder.rungs[place]
            if len(self.trials) == before:
                return
            trial = self.trials[-1]
            if trial.failed:
                return
            step = 1 if self.objective.upwards(trial) else -1
            if (direction and step != direction) or self.objective.cannot_win(trial, self.best):
                return
            direction, place = step, place + step

    def _try(self, candidate: Candidate) -> None:
        self.trials.append(self.known.get(str(candidate)) or self.attempt(candidate))

    def _affords(self, candidate: Candidate, last: bool) -> bool:
        if str(candidate) in self.known:
            return True
        cost, share = self.clock.cost(candidate, self.trials), self.clock.share(last)
        if cost > share:
            self.log(
                f"leaving out {candidate}: its trial is foretold to take {in_words(cost)}, and its share of --time is "
                f"{in_words(share)}"
            )
            return False
        return not self.trials or self.clock.allows(cost, self.spent, self.best)
