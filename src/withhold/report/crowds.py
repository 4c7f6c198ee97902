"""Rows of a hundred people on the first page."""

from dataclasses import dataclass

from markupsafe import Markup

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.budgets import JOINT
from withhold.report.figures.people import People, row

CROWDS = 3  # at most


@dataclass(frozen=True)
class Crowd:
    """A row of a hundred people for one attribute."""

    name: str
    right: int
    figure: Markup
    key: list[tuple[str, str]]


def crowds(audit: AuditRecord) -> list[Crowd]:
    """Return a row of people for each attribute that has classes, not for all together."""
    drawn: list[Crowd] = []
    for i, (name, result) in enumerate(audit.sensitive.items()):
        people = People.of(result)
        if people is not None and name != JOINT and len(drawn) < CROWDS:
            drawn.append(Crowd(name, people.release, row(name, people, f"s{i}"), people.key()))
    return drawn
