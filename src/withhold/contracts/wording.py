"""Small words that sentences share: quoted lists, forms of verbs, percents."""

from collections.abc import Sequence


def verb(columns: Sequence[str], one: str, several: str) -> str:
    """Choose the form of a verb by the number of columns.

    Examples
    --------
    >>> verb(["a", "b"], "holds", "hold")
    'hold'
    """
    return one if len(columns) == 1 else several


def listed(names: Sequence[str], most: int = 3) -> str:
    """Quote the first names and count the rest.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"])
    "'a', 'b', 'c' and 1 more"
    >>> listed(["a", "b"])
    "'a' and 'b'"
    """
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > most:
        return f"{', '.join(quoted[:most])} and {len(quoted) - most} more"
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def percent(share: float) -> str:
    """Write a share as whole percent.

    Examples
    --------
    >>> percent(0.474), percent(0.002)
    ('47 %', 'less than 1 %')
    """
    return "less than 1 %" if share < 0.005 else f"{100 * share:.0f} %"
