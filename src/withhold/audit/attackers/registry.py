"""Which attackers there are: every file beside this one that defines some, found by name."""

import pkgutil
from collections.abc import Collection, Iterable, Sequence
from importlib import import_module
from typing import TypeVar

from withhold.audit.attackers.attacker import Attacker, ScoreAttacker
from withhold.contracts.checks import unknown
from withhold.contracts.errors import InvalidParameterError

# What some releases have beside columns.
BESIDE_COLUMNS = ("images", "words", "links", "relations")
Kind = TypeVar("Kind", Attacker, ScoreAttacker)


def _concrete(base: type[Kind]) -> Iterable[type[Kind]]:
    package = __name__.rpartition(".")[0]
    for module in sorted(info.name for info in pkgutil.iter_modules(import_module(package).__path__)):
        members = vars(import_module(f"{package}.{module}"))
        for member in members.values():
            if isinstance(member, type) and issubclass(member, base) and member is not base:
                yield member


def all_attackers() -> dict[str, type[Attacker]]:
    """Return every attacker of categorical attributes by name, optional extras included.

    Examples
    --------
    >>> "logistic" in all_attackers()
    True
    """
    members = _concrete(Attacker)  # type: ignore[type-abstract]
    return {member.name: member for member in members}


def all_score_attackers() -> dict[str, type[ScoreAttacker]]:
    """Return every attacker of continuous attributes by name.

    Examples
    --------
    >>> "quantile" in all_score_attackers()
    True
    """
    members = _concrete(ScoreAttacker)  # type: ignore[type-abstract]
    return {member.name: member for member in members}


def choose_panel(names: Sequence[str] | None = None, present: Collection[str] = ()) -> list[type[Attacker]]:
    """Return the panel: the standard one, with extras ("+name"), or exactly the names given.

    Parameters
    ----------
    names : sequence of str or None
        None: the standard panel. Names that all start with "+" are added to it; otherwise the names are the panel.
    present : collection of {"images", "words", "links", "relations"}
        What there is beside columns: attackers of images, words, links or relations are in the panel only then.

    Examples
    --------
    >>> [a.name for a in choose_panel(["logistic"])]
    ['logistic']
    """
    known = all_attackers()
    standard = [name for name, member in known.items() if not member.extra and _reads(member, present)]
    given = list(names or ())
    for name in given:
        if name.removeprefix("+") not in known:
            raise unknown("attacker", name, known)
        member = known[name.removeprefix("+")]
        if not _reads(member, present):
            raise InvalidParameterError(
                f"The attacker {name!r} only reads {member.inputs}, and the release has none. Leave it out."
            )
    added = [name.removeprefix("+") for name in given if name.startswith("+")]
    plain = [name for name in given if not name.startswith("+")]
    return [known[name] for name in dict.fromkeys([*(plain or standard), *added])]


def _reads(member: type[Attacker], present: Collection[str]) -> bool:
    return member.inputs not in BESIDE_COLUMNS or member.inputs in present
