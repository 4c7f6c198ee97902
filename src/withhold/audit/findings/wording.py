"""Words that findings share."""

from collections.abc import Sequence

from withhold.contracts.finding import Finding, Severity


def finding(code: str, severity: Severity, text: str, columns: Sequence[str] = (), remedy: str = "") -> Finding:
    """Make a finding; it carries a column when it is about exactly one, and a remedy that its text does not hold.

    Examples
    --------
    >>> finding("constant_column", "info", "'a' holds one value.", ["a"]).column
    'a'
    """
    column = columns[0] if len(columns) == 1 else None
    return Finding(code=code, severity=severity, text=text, column=column, remedy="" if remedy in text else remedy)
