"""A finder: it looks at a scene for what has a name; and the codes it may give, with severity and remedy."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

from withhold.audit.findings.scene import Asked, Scene
from withhold.audit.findings.wording import finding
from withhold.contracts.finding import Finding, Severity


@dataclass(frozen=True)
class Code:
    """What can be found, by name.

    Attributes
    ----------
    name : str
        Stable snake_case name.
    severities : tuple of {"critical", "warning", "info"}
        Those it can have; the first unless the finder says otherwise.
    remedy : str
        What can be done about it.

    Examples
    --------
    >>> Code("constant_column", ("info",), "Leave it out.").found("'a' holds one value.", ["a"]).column
    'a'
    """

    name: str
    severities: tuple[Severity, ...]
    remedy: str

    def found(self, text: str, columns: Sequence[str] = (), severity: Severity | None = None) -> Finding:
        """Return the finding about some columns."""
        return finding(self.name, severity or self.severities[0], text, columns, self.remedy)


@dataclass(frozen=True)
class Finder:
    """One question asked of every release.

    Attributes
    ----------
    codes : tuple of Code
        All that it may find.
    look : callable
        Given the scene, returns what it found.
    place : int
        Findings of one severity come in this order.
    by_attribute : bool
        Whether it looks for each sensitive attribute in turn: then all such findings about one come together.
    """

    codes: tuple[Code, ...]
    look: Callable[[Scene], Iterable[Finding]]
    place: int = 100
    by_attribute: bool = False

    @classmethod
    def of_each(
        cls, codes: tuple[Code, ...], look: Callable[[Scene, Asked], Iterable[Finding]], place: int = 100
    ) -> Self:
        """Make a finder that asks the same of each sensitive attribute."""

        def look_for_all(scene: Scene) -> Iterable[Finding]:
            return chain.from_iterable(look(scene, asked) for asked in scene.asked)

        return cls(codes, look_for_all, place, True)
