"""The search: each method once, cheap first, then further settings of the best, until none can win or time is over."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from withhold.contracts.choice_record import Ended, TrialRecord
from withhold.contracts.timetable import in_words
from withhold.workflow.choosing.candidates import COSTS, FORMULAS, Ladder, between
from withhold.workflow.choosing.objective import Objective
from withhold.workflow.choosing.trial import Candidate

# All trials together take at most so many times what the best method takes alone, so that the whole takes three times.
# A best that is a formula counts as the cheapest method that learns: its own time would leave none for another.
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

    def allows(self, seconds: float, spent: float, best: TrialRecord | None, tried: Sequence[TrialRecord]) -> bool:
        """Whether so many seconds more keep the search within its time."""
        if self.until is not None and self.now() + seconds > self.until:
            return False
        if best is None:
            return True
        fit = best.fit_seconds
        if best.method in FORMULAS:
            learned = [one.fit_seconds for one in tried if one.method not in FORMULAS and not one.failed]
            fit = max(fit, min(learned, default=self.usual))
        return spent + seconds <= MOST_TIMES * (fit * self.growth + self.judging)


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
        going = list(self.ladders)
        while going and not self._settled:
            ladder = self._turn(going)
            candidate = self._next(ladder)
            if candidate is None:
                going.remove(ladder)
            elif self._affords(candidate, last=not any(other != ladder and not self._of(other) for other in going)):
                self._try(candidate)
            else:
                self.left.append(str(candidate))
                going.remove(ladder)
        short = bool(self.left)
        if short and not self.trials:  # one is always tried
            firsts = [ladder.rungs[ladder.start] for ladder in self.ladders]
            cheapest = min(firsts, key=lambda one: self.clock.cost(one, ()))
            self.left.remove(str(cheapest))
            self._try(cheapest)
        self.ended = "cannot_win" if self._settled else "time" if short else "nothing_left"
        return self.best

    @property
    def best(self) -> TrialRecord | None:
        """The best trial so far."""
        return self.objective.best(self.trials)

    @property
    def spent(self) -> float:
        """CPU seconds of all trials."""
        return self.clock.measuring + sum(one.seconds for one in self.trials)

    @property
    def _settled(self) -> bool:
        return self.objective.settled(self.best, self.cap)

    def _of(self, ladder: Ladder) -> list[TrialRecord]:
        """Return the trials of a ladder, in order."""
        return [one for one in self.trials if one.method == ladder.method]

    def _turn(self, going: Sequence[Ladder]) -> Ladder:
        """Return whose turn it is: the first that was not tried yet, then the one that has the best so far."""
        for ladder in going:
            if not self._of(ladder):
                return ladder
        best = self.objective.best([trial for ladder in going for trial in self._of(ladder)])
        return next((ladder for ladder in going if best is not None and ladder.method == best.method), going[0])

    def _next(self, ladder: Ladder) -> Candidate | None:
        """Return the setting to which the trials of a ladder point: the next rung, once between two where they turn."""
        rungs, tried = {str(rung): place for place, rung in enumerate(ladder.rungs)}, self._of(ladder)
        if not tried:
            return ladder.rungs[ladder.start]
        last = tried[-1]
        place = rungs.get(str(last))
        if last.failed or place is None or self.objective.cannot_win(last, self.best):
            return None
        if len(tried) > 1 and (last.leakage, last.kept) == (tried[-2].leakage, tried[-2].kept):
            return None  # a setting that changed nothing: a game that reads nothing ends alike whatever it aims at
        beyond = place + (1 if self.objective.upwards(last) else -1)
        if not 0 <= beyond < len(ladder.rungs):
            return None
        if str(ladder.rungs[beyond]) in [str(one) for one in tried]:
            return between(ladder.rungs[place], ladder.rungs[beyond])
        return ladder.rungs[beyond]

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
        return not self.trials or self.clock.allows(cost, self.spent, self.best, self.trials)
