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
        The column concerned, where it is one.
    columns : tuple of str
        Every column concerned, also those that the text only counts; empty where `column` says it all.
    remedy : str
        What can be done about it; "" where the text says so, or where nothing can.

    Examples
    --------
    >>> Finding(code="constant_column", severity="info", text="'a' holds one value.", column="a").severity
    'info'
    >>> Finding(code="constant_column", severity="grave", text="'a' holds one value.")
    Traceback (most recent call last):
    ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Finding
    severity
      Input should be 'info', 'warning' or 'critical' ...
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    severity: Severity
    text: str
    column: str | None = None
    columns: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def concerned(self) -> tuple[str, ...]:
        """Every column concerned.

        Examples
        --------
        >>> Finding(code="constant_column", severity="info", text="'a' holds one value.", column="a").concerned
        ('a',)
        """
        return self.columns or (() if self.column is None else (self.column,))
