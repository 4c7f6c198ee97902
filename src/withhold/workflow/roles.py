"""Which column plays which part: hidden, useful, subject, split, left out, feature."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError, sentence
from withhold.data.schema import pandas_index


@dataclass(frozen=True)
class Roles:
    """The part each column plays.

    Attributes
    ----------
    features : tuple of str
        What the method sees, in the order of the table.
    kept_groups : bool
        Whether the subject column is copied into the release because the user asked to keep it.
    key : str or None
        The column that names records in the ledger of releases; no feature, and no part of the release.
    """

    sensitive: tuple[str, ...]
    utility: tuple[str, ...]
    groups: str | None
    split: str | None
    dropped: tuple[str, ...]
    keep: tuple[str, ...]
    features: tuple[str, ...]
    kept_groups: bool
    key: str | None = None

    @property
    def names_records(self) -> str | None:
        """The column that names records in the ledger: the key, or else the subject."""
        return self.groups if self.key is None else self.key


def check_columns(wanted: Iterable[str], columns: Sequence[str], where: str) -> None:
    """Refuse a name that is no column, with the closest one that is.

    Examples
    --------
    >>> check_columns(["sex"], ["age", "sex"], "adult.csv")
    >>> check_columns(["sexe"], ["age", "sex"], "adult.csv")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.DataError: The column 'sexe' must be a column of adult.csv. Got 2 columns without it. ...
    """
    for name in wanted:
        if name in columns:
            continue
        close = get_close_matches(name, columns, n=1, cutoff=0.5)
        shown = ", ".join(map(repr, columns[:8])) + (", ..." if len(columns) > 8 else "")
        remedy = f"Did you mean {close[0]!r}?" if close else f"The columns are {shown}."
        why = "Names are compared exactly."
        raise DataError(
            sentence(f"The column {name!r}", f"a column of {where}", f"{len(columns)} columns without it", why, remedy)
        )


def check_unique(columns: Sequence[str], where: str) -> None:
    """Refuse a table with two columns of one name: neither could be addressed.

    Examples
    --------
    >>> check_unique(["a", "b"], "t.csv")
    """
    twice = sorted({name for name in columns if list(columns).count(name) > 1})
    if twice:
        why = "A column is addressed by its name, so which one was hidden could not be said."
        got = ", ".join(map(repr, twice)) + " more than once"
        raise DataError(sentence(f"The column names of {where}", "unique", got, why, "Rename the columns."))


def assign(
    columns: Sequence[str],
    where: str,
    *,
    sensitive: Sequence[str],
    utility: Sequence[str] = (),
    groups: str | None = None,
    split: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    needs_sensitive: bool = True,
    index: Sequence[str] = (),
    key: str | None = None,
) -> Roles:
    """Give every column of a table its part.

    Parameters
    ----------
    columns : sequence of str
        The table's columns.
    where : str
        What the table is called in messages.
    sensitive, utility, drop, keep : sequence of str
        Columns to hide, to stay useful, to leave out, to keep though they look like identifiers.
    groups, split : str or None
        The column of subjects, and the one that says train or test.
    needs_sensitive : bool
        Whether the method hides something in particular.
    index : sequence of str
        Columns that hold row labels of pandas: left out like `drop`, unless they have another part or are kept.
    key : str or None
        The column that names records in a ledger; it may be that of the subjects, or one that is left out anyway.

    Returns
    -------
    Roles

    Examples
    --------
    >>> assign(["age", "sex", "id"], "t.csv", sensitive=["sex"], groups="id").features
    ('age',)
    >>> assign(["age", "sex", "row"], "t.csv", sensitive=["sex"], index=["row"]).dropped
    ('row',)
    """
    check_unique(columns, where)
    single = [name for name in (groups, split, None if key == groups else key) if name is not None]
    sensitive, utility, drop, keep = (tuple(dict.fromkeys(names)) for names in (sensitive, utility, drop, keep))
    check_columns([*sensitive, *utility, *single, *drop, *keep], columns, where)
    drop = tuple(name for name in drop if name != key)
    drop += tuple(name for name in index if name not in {*sensitive, *utility, *single, *drop, *keep})
    if not sensitive and needs_sensitive:
        why = "Without it there is nothing to hide."
        raise InvalidParameterError(
            sentence("The 'sensitive' parameter", "at least one column", "none", why, "Name a column.")
        )
    parts = {"sensitive": sensitive, "utility": utility, "groups, split or key": tuple(single), "drop": drop}
    seen: dict[str, str] = {}
    for part, names in parts.items():
        for name in names:
            if name in seen:
                got = f"{seen[name]} and {part}" if seen[name] != part else f"{part} twice"
                hidden = "sensitive" in (seen[name], part)
                why = "A column that is hidden cannot also be " if hidden else "A column cannot be "
                why += "handed over or group the rows." if hidden else "two of them at once."
                raise InvalidParameterError(
                    sentence(f"The column {name!r}", "given one part", got, why, "Remove it from one of them.")
                )
            seen[name] = part
    refused = [name for name in keep if name in seen and name != groups]
    if refused:
        why = "Only features and the subject column can be kept."
        got = f"{refused[0]!r}, which is {seen[refused[0]]}"
        raise InvalidParameterError(sentence("The 'keep' parameter", "feature columns", got, why, "Remove it."))
    features = tuple(name for name in columns if name not in seen)
    if not features:
        why = "There would be nothing to release."
        got = (
            "one column, which has another part"
            if len(columns) == 1
            else f"{len(columns)} columns, all with another part"
        )
        raise DataError(sentence(f"The table {where}", "more than these columns", got, why, "Add feature columns."))
    kept = tuple(name for name in keep if name != groups)
    return Roles(sensitive, utility, groups, split, drop, kept, features, groups is not None and groups in keep, key)


def say_row_labels(table: pa.Table, roles: Roles, log: Callable[[str], None]) -> None:
    """Say which columns are left out because they hold the row labels of a pandas frame.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pa.Table.from_pandas(pd.DataFrame({"a": [1, 2], "s": [0, 1]}, index=[7, 9]))
    >>> roles = assign(table.column_names, "t.parquet", sensitive=["s"], index=pandas_index(table.schema))
    >>> say_row_labels(table, roles, print)
    '__index_level_0__' holds the row labels of pandas: no feature, left out (--keep releases it as a column)
    """
    for name in pandas_index(table.schema):
        if name in roles.dropped:
            log(f"{name!r} holds the row labels of pandas: no feature, left out (--keep releases it as a column)")
