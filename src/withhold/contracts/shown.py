"""How a record shows itself in Python: as a page, a picture, a frame, in a notebook.

Whoever makes these is found by name when it is asked for: contracts import nothing, and a record that nobody looks at
loads neither matplotlib nor templates.
"""

from typing import Any

from withhold.contracts.lazy import lazily

_made_by, _ = lazily(
    "withhold",
    {
        "LeakageDisplay": "withhold.report.display",
        "frame": "withhold.report.display",
        "in_notebook": "withhold.report.page",
        "write_report": "withhold.workflow.report",
    },
)


class Shown:
    """A record of an audit or a run that can be looked at.

    Examples
    --------
    >>> from withhold.contracts.audit_record import AuditRecord, Splits
    >>> audit = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=1, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=1, folds=2), sensitive={},
    ... )
    >>> len(audit.to_frame()), "Not attacked" in audit._repr_html_()
    (0, True)
    """

    def plot(self, ax: Any = None) -> Any:
        """Draw what attackers learned of each attribute, beside the original data and the budget.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Raises
        ------
        MissingExtraError
            matplotlib is not installed.
        """
        return _made_by("LeakageDisplay").from_record(self).plot(ax).ax_

    def to_frame(self) -> Any:
        """Return one row per sensitive attribute as a pandas DataFrame; information is in nats."""
        return _made_by("frame")(self)

    def save(self, path: Any, *, title: str = "", overwrite: bool = False) -> Any:
        """Write the page (.html) or the record itself (.json).

        Parameters
        ----------
        path : str or Path
        title : str, optional
            What the page calls the release.
        overwrite : bool, default=False
            Replace an existing file.

        Returns
        -------
        Path
            Of the file.

        Raises
        ------
        InvalidParameterError
            The file exists, or its ending is neither.
        """
        return _made_by("write_report")(self, path, title=title, overwrite=overwrite)

    def _repr_html_(self) -> str:
        return str(_made_by("in_notebook")(self))
