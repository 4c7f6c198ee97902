"""What bars a pass though little was learned: an attacker failed, none was given some content, a column tells alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from withhold.contracts.wording import listed, verb

# Codes of the findings, and of the verdicts that rest on them.
FAILED, UNREAD, TELLING = "attacker_failed", "partly_read", "column_reveals_s"


@dataclass(frozen=True)
class Failure:
    """An attacker that answered the prior in some fold, because it could not be fitted there.

    Attributes
    ----------
    member : str
        Of the panel.
    place : str
        What it was given to read, in words.
    why : str
    """

    member: str
    place: str
    why: str


def on(failures: Iterable[Failure]) -> str:
    """Name the places.

    Examples
    --------
    >>> on([Failure("mlp", "the release", "no convergence"), Failure("mlp", "the table of subjects", "too few")])
    'on the release and the table of subjects'
    """
    return f"on {listed(list(dict.fromkeys(one.place for one in failures)), quote='')}"


def by_member(failures: Iterable[Failure]) -> dict[str, str]:
    """Say of each member why it failed, and where.

    Examples
    --------
    >>> by_member([Failure("mlp", "the release", "no convergence"), Failure("mlp", "the table of subjects", "too few")])
    {'mlp': 'no convergence (on the release); too few (on the table of subjects)'}
    """
    every = list(failures)
    kinds = dict.fromkeys((one.member, one.why) for one in every)
    said: dict[str, list[str]] = {}
    for member, why in kinds:
        where = on(one for one in every if (one.member, one.why) == (member, why))
        said.setdefault(member, []).append(f"{why} ({where})")
    return {member: "; ".join(reasons) for member, reasons in said.items()}


@dataclass(frozen=True)
class Gaps:
    """Names of what is wanting; empty where nothing is.

    Attributes
    ----------
    failed : tuple of Failure
        Attackers that answered the prior in some fold of an attack that counts.
    unread : tuple of str
        Columns of which a part reached no attacker.
    telling : tuple of str
        Columns that alone tell more than the budget for sure, by a lookup of their values.
    """

    failed: tuple[Failure, ...] = ()
    unread: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()

    @property
    def cause(self) -> str:
        """The code of the first kind that there is, also that of its finding; "" where there is none."""
        return FAILED if self.failed else UNREAD if self.unread else TELLING if self.telling else ""

    def words(self, name: str) -> str:
        """Return all that is wanting in one clause.

        Examples
        --------
        >>> Gaps(failed=(Failure("lookup", "the release", "no convergence"),), unread=("note",)).words("sex")
        "the attacker 'lookup' failed on the release, and no attacker was given all that 'note' holds"
        """
        said: list[str] = []
        if self.failed:
            said += self._failed()
        if self.unread:
            said.append(f"no attacker was given all that {listed(self.unread)} {verb(self.unread, 'holds', 'hold')}")
        if self.telling:
            tells = verb(self.telling, "tells", "each tell")
            said.append(f"{listed(self.telling)} alone {tells} more about {name} than the budget allows")
        return ", and ".join(said)

    def _failed(self) -> Iterator[str]:
        """Yield who failed where, those together that failed at the same places."""
        places: dict[str, list[Failure]] = {}
        for one in self.failed:
            places.setdefault(one.member, []).append(one)
        alike: dict[str, list[str]] = {}
        for member, failures in places.items():
            alike.setdefault(on(failures), []).append(member)
        for where, members in alike.items():
            yield f"the {verb(members, 'attacker', 'attackers')} {listed(members)} failed {where}"


NONE = Gaps()


def joined(gaps: Iterable[Gaps]) -> Gaps:
    """Return all that is wanting about any of several attributes: it is wanting about all of them together.

    Examples
    --------
    >>> joined([Gaps(unread=("note",)), Gaps(unread=("note", "text"))]).unread
    ('note', 'text')
    """
    every = list(gaps)
    return Gaps(
        tuple(dict.fromkeys(one for gap in every for one in gap.failed)),
        tuple(dict.fromkeys(name for gap in every for name in gap.unread)),
        tuple(dict.fromkeys(name for gap in every for name in gap.telling)),
    )
