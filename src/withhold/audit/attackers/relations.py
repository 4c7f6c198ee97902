"""Boosting on what several columns, rows or pixels tell only together: residuals, agreement, copies, image statistics.

These columns are calculated from the others. Among the others they would hide a thin leak of one column from every
attacker that screens or cuts columns one by one, so that they have a reader of their own.
"""

from typing import ClassVar

from withhold.audit.attackers.attacker import InputKind
from withhold.audit.attackers.boosting import Boosting


class Relations(Boosting):
    """Histogram gradient boosting on relations between columns, rows and pixels, where the release has any."""

    name: ClassVar[str] = "relations"
    inputs: ClassVar[InputKind] = "relations"
