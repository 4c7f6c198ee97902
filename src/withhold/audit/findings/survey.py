"""All findings about a release, in one call."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from withhold.audit.findings.determining import beyond
from withhold.audit.findings.registry import all_finders
from withhold.audit.findings.scene import Scene
from withhold.contracts.finding import Finding

SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True)
class Survey:
    """What was found, critical findings first; and by attribute the columns that alone tell more than the budget."""

    findings: list[Finding]
    telling: dict[str, list[str]]


def survey(scene: Scene) -> Survey:
    """Look for everything that has a name.

    Examples
    --------
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from withhold.data.attributes import read_attributes
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(0, 2, 600)
    >>> table = pa.table({"shift": rng.integers(0, 2, 600) + 0.1 * sex, "noise": rng.normal(size=600)})
    >>> scene = Scene.of(table, list(read_attributes(sex)), np.arange(600) % 5)
    >>> [finding.code for finding in survey(scene).findings]
    ['column_determines_s', 'value_implies_s']
    """
    found: list[Finding] = []
    for by_attribute, some in groupby(all_finders().values(), key=lambda finder: finder.by_attribute):
        finders = list(some)
        for part in [scene.only(asked) for asked in scene.asked] if by_attribute else [scene]:
            for finder in finders:
                found += finder.look(part)
    telling = {asked.name: beyond(asked.told, scene.budgets.of(asked.name)) for asked in scene.asked}
    sources = {reading.name: reading.source for reading in scene.rows.after}
    found = [_of_the_file(one, sources) for one in found]
    return Survey(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)), telling)


def _of_the_file(found: Finding, sources: Mapping[str, str]) -> Finding:
    """Return a finding that names columns of the file also where its text speaks of parts of them."""
    columns = tuple(dict.fromkeys(sources.get(name, name) for name in found.concerned))
    if columns == found.concerned:
        return found
    return found.model_copy(update={"columns": columns})
