"""Rows whose attribute nobody knows: they are in the release, and no attacker learns from them or is scored on them."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.findings.scene import Scene
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed
from withhold.data.attribute import Attribute

UNKNOWN = Code("sensitive_unknown", ("warning",), "Leave these rows out, or audit them with their values.")


def unknown_rows(sensitive: Sequence[Attribute]) -> list[Finding]:
    """Say how many rows are released without being judged, of each attribute and of all together.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> unknown_rows(list(read_attributes(["f", "m", None, "f"], role="sex")))[0].text[:61]
    "1 of 4 rows has no known 'sex': it is released, not judged (a"
    """
    found = [_found(f"no known '{one.name}'", ~one.known, [one.name]) for one in sensitive]
    lacking = [~one.known for one in sensitive if not one.known.all()]
    if len(lacking) > 1:
        names = [one.name for one in sensitive]
        what = f"no known value of one of {listed(names)}"
        found.append(_found(what, np.any(lacking, axis=0), [], " of what these tell together"))
    return [one for one in found if one is not None]


def _found(lacks: str, unknown: npt.NDArray[np.bool_], columns: Sequence[str], of: str = "") -> Finding | None:
    count = int(unknown.sum())
    if count == 0:
        return None
    one = count == 1
    them = "it" if one else "them"
    text = (
        f"{count:,} of {len(unknown):,} rows {'has' if one else 'have'} {lacks}: {'it is' if one else 'they are'} "
        f"released, not judged{of} (attackers neither learn from {them} nor are scored on {them})."
    )
    return UNKNOWN.found(text, columns)


def _look(scene: Scene) -> Iterable[Finding]:
    return unknown_rows(scene.every.sensitive)


FINDER = Finder((UNKNOWN,), _look, place=19)
