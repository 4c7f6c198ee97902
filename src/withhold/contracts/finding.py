"""A named observation about a release, in plain words."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Severity = Literal["info", "warning", "critical"]


class Finding(BaseModel):
    """One finding.

    Attributes
    ----------
    code : str
        Stable snake_case name, such as "constant_column" or "alignment_unproven".
    severity : {"info", "warning", "critical"}
        critical: the release should not be shared as it is; warning: a reader must know; info: context.
    text : str
        One or two plain sentences that name the column ("missing values in 'ca' reveal centre").
    column : str or None
        The column concerned.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    severity: Severity
    text: str
    column: str | None = None
