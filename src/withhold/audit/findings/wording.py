"""Words that findings share."""

from collections.abc import Sequence

from withhold.contracts.finding import Finding, Severity


def finding(code: str, severity: Severity, text: str, columns: Sequence[str] = (), remedy: str = "") -> Finding:
    """Make a finding; it carries its columns, and a remedy that its text does not hold.

    Examples
    --------
    >>> finding("constant_column", "info", "'a' holds one value.", ["a"]).column
    'a'
    >>> finding("constant_column", "info", "'a' and 'b' hold one value.", ["a", "b"]).columns
    ('a', 'b')
    """
    one, several = (columns[0], ()) if len(columns) == 1 else (None, tuple(columns))
    said = "" if remedy in text else remedy
    return Finding(code=code, severity=severity, text=text, column=one, columns=several, remedy=said)
