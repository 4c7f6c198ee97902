"""Which column plays which part: hidden, useful, subject, split, left out, feature."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.wording import nearest
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


def check_columns(wanted: Iterable[str], columns: Sequence[str], where: str, otherwise: str = "") -> None:
    """Refuse a name that is no column, with the closest one that is; `otherwise` says what else may help.

    Examples
    --------
    >>> check_columns(["sex"], ["age", "sex"], "adult.csv")
    >>> check_columns(["sexe"], ["age", "sex"], "adult.csv")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.DataError: adult.csv has no column 'sexe'. Did you mean 'sex'?
    """
    for name in (name for name in wanted if name not in columns):
        raise DataError(f"{where} has no column {name!r}. {nearest(name, columns)}{otherwise}")


def check_unique(columns: Sequence[str], where: str) -> None:
    """Refuse a table with two columns of one name: neither could be addressed.

    Examples
    --------
    >>> check_unique(["a", "b"], "t.csv")
    """
    twice = sorted({name for name in columns if list(columns).count(name) > 1})
    if twice:
        raise DataError(f"{where} has more than one column named {', '.join(map(repr, twice))}. Rename them.")


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

    Examples
    --------
    >>> assign(["age", "sex", "id"], "t.csv", sensitive=["sex"], groups="id").features
    ('age',)
    >>> assign(["age", "sex", "row"], "t.csv", sensitive=["sex"], index=["row"]).dropped
    ('row',)
    """
    check_unique(columns, where)
    single = {"groups": groups, "split": split, "key": None if key == groups else key}
    alone = [name for name in single.values() if name is not None]
    sensitive, utility, drop, keep = (tuple(dict.fromkeys(names)) for names in (sensitive, utility, drop, keep))
    check_columns([*sensitive, *utility, *alone, *drop, *keep], columns, where)
    drop = tuple(name for name in drop if name != key)
    drop += tuple(name for name in index if name not in {*sensitive, *utility, *alone, *drop, *keep})
    if not sensitive and needs_sensitive:
        raise InvalidParameterError("There is no column to hide yet. Add --sensitive COL.")
    parts = {"--sensitive": sensitive, "--utility": utility}
    parts |= {f"--{part}": () if name is None else (name,) for part, name in single.items()}
    parts["--drop"] = drop
    seen: dict[str, str] = {}
    for part, names in parts.items():
        for name in names:
            if name in seen:
                raise InvalidParameterError(f"{name!r} cannot be both {seen[name]} and {part}.")
            seen[name] = part
    refused = [name for name in keep if name in seen and name != groups]
    if refused:
        raise InvalidParameterError(f"{refused[0]!r} cannot be both --keep and {seen[refused[0]]}.")
    features = tuple(name for name in columns if name not in seen)
    if not features:
        raise DataError(
            f"{where} has nothing to release: every column has another use. Add columns, or give fewer of them a use."
        )
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
    '__index_level_0__' is a pandas index, never used as a feature: left out (--keep releases it as a column)
    """
    for name in pandas_index(table.schema):
        if name in roles.dropped:
            log(f"{name!r} is a pandas index, never used as a feature: left out (--keep releases it as a column)")
