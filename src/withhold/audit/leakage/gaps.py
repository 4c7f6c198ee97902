"""What bars a pass though little was learned: an attacker failed, none was given some content, a column tells alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from withhold.contracts.wording import listed, verb

FAILED, TELLING = "attacker_failed", "column_reveals_s"


@dataclass(frozen=True)
class Gaps:
    """Names of what is wanting; empty where nothing is.

    Attributes
    ----------
    failed : tuple of str
        Attackers that answered the prior in some fold, because they could not be fitted there.
    unread : tuple of str
        Columns of which a part reached no attacker.
    telling : tuple of str
        Columns that alone tell more than the budget for sure, by a lookup of their values.
    """

    failed: tuple[str, ...] = ()
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
        >>> Gaps(failed=("lookup",), unread=("note",)).words("sex")
        "the attacker 'lookup' failed in some fold, and no attacker was given all that 'note' holds"
        """
        said = []
        if self.failed:
            said.append(f"the {verb(self.failed, 'attacker', 'attackers')} {listed(self.failed)} failed in some fold")
        if self.unread:
            said.append(f"no attacker was given all that {listed(self.unread)} {verb(self.unread, 'holds', 'hold')}")
        if self.telling:
            tells = verb(self.telling, "tells", "each tell")
            said.append(f"{listed(self.telling)} alone {tells} more about {name} than the budget allows")
        return ", and ".join(said)


NONE = Gaps()


def joined(gaps: Iterable[Gaps]) -> Gaps:
    """Return all that is wanting about any of several attributes: it is wanting about all of them together.

    Examples
    --------
    >>> joined([Gaps(failed=("mlp",)), Gaps(failed=("mlp", "qda"))]).failed
    ('mlp', 'qda')
    """
    every = list(gaps)
    kinds = (dict.fromkeys(n for one in every for n in getattr(one, k)) for k in ("failed", "unread", "telling"))
    return Gaps(*(tuple(kind) for kind in kinds))


# Code of the finding, and of the verdict that rests on it.
UNREAD = "partly_read"
