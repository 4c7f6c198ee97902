"""Budgets: the most nats that may be learned, one for all sensitive attributes or one for each.

Several attributes are also judged together, because what tells nothing of either can tell all of their combination.
Together they may tell what ``joint`` says, else the plain number, else the sum of what they may tell one by one:
attributes that have nothing to do with each other, each at its budget, tell the sum, so that less would contradict what
was allowed, and more would allow what nobody asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from withhold.contracts.checks import check_budget
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.wording import advice, listed, nearest, verb

JOINT = "joint"
# Where nobody says a budget: the usual one, and the share of all there is to know above which a pass would say little.
USUAL_BUDGET, LARGE_SHARE = 0.05, 0.25


@dataclass(frozen=True)
class Budgets:
    """What may be learned of each sensitive attribute and of all together, in nats.

    Attributes
    ----------
    every : float or None
        For the attributes that are not named, and for all together.
    named : tuple of (str, float)
        By attribute; "joint" is all together.

    Examples
    --------
    >>> both = Budgets.read(["sex=.03", "race=.05"])
    >>> both.of("sex"), both.of("joint"), both.least
    (0.03, 0.08, 0.03)
    >>> Budgets.read({"sex": 0.03, "joint": 0.04, None: 0.05}).of("race")
    0.05
    """

    every: float | None = None
    named: tuple[tuple[str, float], ...] = ()

    @classmethod
    def read(cls, given: Any, name: str = "budget") -> "Budgets":
        """Read budgets as they are written.

        Parameters
        ----------
        given : None, float, str, mapping, sequence or Budgets
            A number; a mapping of attribute to number, the key None for all others; or texts such as ``sex=0.03`` and
            ``0.05``, as typed.
        name : str
            What the caller calls it.

        Raises
        ------
        InvalidParameterError
            No number above zero, or two for one attribute.
        """
        if isinstance(given, Budgets):
            return given
        if given is None or not isinstance(given, str | Mapping | Sequence):
            pairs: list[tuple[Any, Any]] = [] if given is None else [(None, given)]
        elif isinstance(given, Mapping):
            pairs = list(given.items())
        else:
            pairs = [_typed(one, name) for one in ([given] if isinstance(given, str) else given)]
        for who, budget in pairs:
            check_budget(budget, name if who is None else f"{name} of {who!r}")
        twice = next((who for i, (who, _) in enumerate(pairs) if who in [other for other, _ in pairs[:i]]), pairs)
        if twice is not pairs:
            whom = "all columns" if twice is None else f"{twice!r}"
            raise InvalidParameterError(f"{name} gives two limits for {whom}. Leave one.")
        every = next((float(budget) for who, budget in pairs if who is None), None)
        return cls(every, tuple((str(who), float(budget)) for who, budget in pairs if who is not None))

    def __bool__(self) -> bool:
        """Whether there is any limit."""
        return self.every is not None or bool(self.named)

    def of(self, attribute: str) -> float | None:
        """Return the budget of an attribute, or of ``"joint"``; None without one."""
        named = dict(self.named)
        if attribute in named or self.every is not None or attribute != JOINT:
            return named.get(attribute, self.every)
        return sum(named.values()) or None

    def together(self, attributes: Sequence[str]) -> float | None:
        """Return the budget of all attributes together: of one attribute its own."""
        return self.of(attributes[0] if len(attributes) == 1 else JOINT)

    @property
    def least(self) -> float | None:
        """The smallest of all: whoever learns no more than this of all together keeps every budget."""
        return min([budget for _, budget in self.named] + ([] if self.every is None else [self.every]), default=None)

    @property
    def written(self) -> float | tuple[str, ...] | None:
        """The same as it is typed: a number, or a text for each."""
        if not self.named:
            return self.every
        texts = tuple(f"{name}={budget!r}" for name, budget in self.named)
        return texts if self.every is None else (*texts, repr(self.every))

    def changed(self, name: str, budget: float) -> "Budgets":
        """Return the same with another budget for one attribute, or for all together.

        Examples
        --------
        >>> Budgets.read({"sex": 0.03, "race": 0.05}).changed("sex", 0.04).written
        ('race=0.05', 'sex=0.04')
        """
        return Budgets(self.every, (*((one, own) for one, own in self.named if one != name), (name, budget)))

    def check(self, attributes: Sequence[str]) -> "Budgets":
        """Refuse budgets that are not about these attributes, or not about all of them.

        Returns
        -------
        Budgets
            The same.

        Raises
        ------
        InvalidParameterError

        Examples
        --------
        >>> Budgets.read({"sex": 0.03}).check(["sex", "race"])
        Traceback (most recent call last):
        ...
        withhold.contracts.errors.InvalidParameterError: 'race' has no budget. Give it one, budget={'race': 0.05}, ...
        """
        if not self.named:
            return self
        known = [*attributes, *([JOINT] if len(attributes) > 1 else [])]
        for name in (name for name, _ in self.named if name not in known):
            raise InvalidParameterError(f"A budget is given for {name!r}, which is not hidden. {nearest(name, known)}")
        if len(attributes) > 1 and JOINT in attributes:
            raise InvalidParameterError(f"{JOINT!r} means all hidden columns together. Rename the column of that name.")
        left = [name for name in attributes if self.of(name) is None]
        if left:
            one = advice(f"budget={{{left[0]!r}: 0.05}}", f"--budget {quote(f'{left[0]}=0.05')}")
            rest = advice("{None: 0.05}", "a plain --budget 0.05")
            raise InvalidParameterError(
                f"{listed(left)} {verb(left, 'has', 'have')} no budget. Give {verb(left, 'it', 'each')} one, {one}, or "
                f"{rest} for all that are not named."
            )
        return self


NO_BUDGET = Budgets()


def usual_budget(entropy: float) -> float:
    """Return the budget that is proposed where nobody says one, for an attribute of so many nats.

    Examples
    --------
    >>> usual_budget(0.69), usual_budget(0.1)
    (0.05, 0.03)
    """
    return min(USUAL_BUDGET, float(f"{LARGE_SHARE * entropy:.1g}"))


def _typed(text: Any, name: str) -> tuple[str | None, Any]:
    """Return whose budget a text is, and the number."""
    who, _, number = str(text).rpartition("=")
    try:
        return who or None, float(number)
    except ValueError as error:
        raise InvalidParameterError(
            f"{name} takes nats such as 0.05, or a column and its nats such as sex=0.03 (got {str(text)!r})."
        ) from error
