"""The terms of a differential-privacy promise, in fields a program can read and in a paragraph a lawyer can quote."""

import math
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from withhold.contracts.rounding import rounded_up

Notion = Literal["pure", "approximate"]
Unit = Literal["record", "training set"]
Adjacency = Literal["replace one record", "add or remove one record"]


class DifferentialPrivacy(BaseModel):
    """What is promised, for what, and what is not.

    Attributes
    ----------
    notion : {"pure", "approximate"}
        Approximate promises may be broken altogether with probability `delta`.
    epsilon, delta : float
        The largest log-ratio of the probabilities of an output for two neighbouring inputs, and the probability that is
        exempted.
    unit : {"record", "training set"}
        "record": each released record is randomised by itself and the promise is about that record's own release
        (local). "training set": it is about what a fitted model tells of one record among many (central). The two are
        not comparable at equal epsilon.
    adjacency : {"replace one record", "add or remove one record"}
    covers, excludes : tuple of str
        What the promise extends to, and what it says nothing about.
    float_safe : bool
        Whether the draws are exact. False: the proof is about real numbers and the program draws floating-point ones.

    Examples
    --------
    >>> terms = DifferentialPrivacy(notion="pure", epsilon=1.0, unit="record", covers=("the record",), float_safe=True)
    >>> print(terms.sentence())
    Whatever the record was, no release is more than 2.72 times as likely for it as for another: ...
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    notion: Notion
    epsilon: float = Field(ge=0.0)
    delta: float = Field(default=0.0, ge=0.0, le=1.0)
    unit: Unit
    adjacency: Adjacency = "replace one record"
    covers: tuple[str, ...]
    excludes: tuple[str, ...] = ()
    float_safe: bool

    def sentence(self) -> str:
        """Return the promise as one paragraph; its numbers are rounded up."""
        limits = [f"It covers {_listed(self.covers)}."]
        limits += [f"It does not cover {_listed(self.excludes)}."] if self.excludes else []
        return " ".join([self._claimed(), *limits, self._drawn()])

    def __str__(self) -> str:
        """Return the same for a terminal: a statement per line, and a list of what is covered and what is not."""
        lines = [self._claimed(), "It covers:", *(f"- {one}" for one in self.covers)]
        lines += ["It does not cover:", *(f"- {one}" for one in self.excludes)] if self.excludes else []
        return "\n".join([*lines, self._drawn()])

    def _claimed(self) -> str:
        factor = rounded_up(math.exp(self.epsilon), 3) if self.epsilon < 30 else f"exp({rounded_up(self.epsilon, 6)})"
        one = "release" if self.unit == "record" else "fitted model"
        given = "the record was" if self.unit == "record" else "the other records were"
        claim = f"Whatever {given}, no {f'set of {one}s' if self.delta else one} is more than {factor} times as likely"
        if self.unit == "record":
            claim += " for it as for another"
        else:
            change = "replaced" if self.adjacency == "replace one record" else "added or left out"
            claim += f" when one record is {change}"
        if self.delta:
            claim += f", up to an added probability of {rounded_up(self.delta, 3)}"
        place = "local" if self.unit == "record" else "central"
        text = f"{claim}: {self.notion} {place} differential privacy with epsilon {rounded_up(self.epsilon, 6)}"
        return text + (f" and delta {rounded_up(self.delta, 3)}." if self.delta else ".")

    def _drawn(self) -> str:
        if self.float_safe:
            return (
                "The random draws are exact: integers from the operating system's generator, no floating-point noise. "
                "What is assumed is that this generator cannot be told from fair coins."
            )
        return "The noise is drawn in floating point, for which the proof does not hold as it stands: not float-safe."


def _listed(items: tuple[str, ...]) -> str:
    return items[0] if len(items) == 1 else "; ".join(items[:-1]) + "; and " + items[-1]
