"""Whether what is handed over holds a sensitive attribute itself, which no reading of attackers can make up for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from withhold.audit.findings.determining import copies
from withhold.audit.findings.evidence import classes
from withhold.audit.findings.wording import finding
from withhold.audit.leakage.evidence import Evidence
from withhold.audit.request import Request, attribute_table
from withhold.audit.verdict.verdict import CONTAINS
from withhold.audit.view.pixels import telling_pixels
from withhold.audit.view.reading import read_columns
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, verb
from withhold.data.attribute import Attribute, Attributes


@dataclass(frozen=True)
class Contained:
    """Where the file that is handed over holds sensitive attributes.

    Attributes
    ----------
    own : tuple of str
        Attributes whose own column the file still contains; it was taken out before attacking.
    copies : mapping of str to list of str
        Columns that are an attribute under another name, recoded or not, by attribute.
    """

    own: tuple[str, ...]
    copies: Mapping[str, list[str]]

    def evidence(self, name: str, given: Evidence) -> Evidence:
        """Add to the evidence about an attribute; any other name stands for all of them together."""
        if name in self.copies:
            own = tuple(one for one in self.own if one == name)
            return replace(given, copied=tuple(self.copies[name]), own=own)
        every = tuple(dict.fromkeys(column for columns in self.copies.values() for column in columns))
        return replace(given, copied=every, own=self.own)

    def findings(self) -> Iterator[Finding]:
        """Yield what must be said of each attribute that the file contains."""
        for name in self.own:
            text = (
                f"The file contains {name} itself, in '{name}': whoever has the file has {name}. The column was set "
                f"aside before attacking, and no such file can pass. Remove it, and audit what is left with {name} "
                "from elsewhere (--original, or --sensitive-from with --key)."
            )
            yield finding(CONTAINS, "critical", text, [name])
        for name, columns in self.copies.items():
            if columns:
                what = verb(columns, "is a copy", "are copies")
                text = f"The file contains {name} itself: {listed(columns)} {what} of it."
                yield finding(CONTAINS, "critical", text, columns)


def contained(request: Request, utility_in_release: bool) -> Contained:
    """Look for sensitive attributes among all columns that the recipient gets.

    Parameters
    ----------
    request : Request
        With the attacked columns, those set aside, and U.
    utility_in_release : bool
        Whether the recipient gets U.
    """
    tables = [request.release, request.set_aside, attribute_table(request.utility) if utility_in_release else None]
    held = request.release.column_names
    tables += [
        one.table.drop_columns([name for name in one.table.column_names if name in held])
        for one in request.surfaces
        if one.counts
    ]
    wanted = _wanted(request.sensitive)
    found: dict[str, dict[str, None]] = {attribute.name: {} for attribute in wanted}
    given = [table for table in tables if table is not None]
    for reading in chain.from_iterable(map(read_columns, given)):
        for attribute in wanted:
            found[attribute.name] |= dict.fromkeys(copies([reading], attribute))
    for attribute in wanted:
        pixels = chain.from_iterable(telling_pixels(table, classes(attribute)) for table in given)
        found[attribute.name] |= dict.fromkeys(copies(pixels, attribute))
    return Contained(request.own, {name: list(columns) for name, columns in found.items()})


def _wanted(sensitive: Attributes) -> list[Attribute]:
    """Return each attribute and, where there are several, their product."""
    joint = sensitive.joint() if len(sensitive) > 1 else None
    return [*sensitive] if joint is None else [*sensitive, replace(joint, name=f"{listed(sensitive.names)} together")]
