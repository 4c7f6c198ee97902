"""What a fit will do with columns, said before it starts: which are left out, which come out constant or pooled."""

from collections.abc import Callable
from shlex import quote
from typing import Any

import pyarrow as pa

from withhold.contracts.images import image_names
from withhold.data.arrow_types import plain_encodings
from withhold.data.codec import TableCodec
from withhold.data.subjects import repeating_identifier
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.roles import Roles


def say_columns(features: Any, sanitizer: Sanitizer, log: Callable[[str], None]) -> frozenset[str]:
    """Say what a reader must know of columns before hours are spent on them.

    Parameters
    ----------
    features : pyarrow.Table or ndarray
        What the sanitiser is about to be fitted on; of arrays and images nothing is said.
    sanitizer : Sanitizer
        Unfitted.
    log : callable
        Called with one line each.

    Returns
    -------
    frozenset of str
        The texts that were said.

    Examples
    --------
    >>> from withhold.methods.controls import Noise
    >>> table = pa.table({"ward": ["A"] * 60, "n": list(range(30)) * 2})
    >>> said = say_columns(table, Noise(), print)
    Column 'ward' has one value ('A') and tells nothing. (constant_column)
    """
    if not isinstance(features, pa.Table) or image_names(features):
        return frozenset()
    told = [one for one in coded(features, sanitizer).findings if one.severity != "info"]
    for finding in told:
        log(f"{finding.text} ({finding.code})")
    return frozenset(finding.text for finding in told)


def coded(features: pa.Table, sanitizer: Sanitizer) -> TableCodec:
    """Return how a fit would code columns: which it leaves out, and as what it reads the others."""
    keep, categorical, continuous = (
        [name for name in asked if name in features.column_names]
        for asked in (sanitizer.keep, sanitizer.categorical, sanitizer.continuous)
    )
    return TableCodec.fit(plain_encodings(features), keep=keep, categorical=categorical, continuous=continuous)


def say_subjects(table: pa.Table, roles: Roles, log: Callable[[str], None]) -> None:
    """Point out a column that seems to name subjects with several records, where no subjects were named.

    Parameters
    ----------
    roles : Roles
        Of its columns.
    log : callable
        Called with one line, or not at all.
    """
    candidates = [name for name in (*roles.features, *roles.dropped) if name in table.column_names]
    found = repeating_identifier(table, candidates, table.select(list(roles.sensitive)))
    if found is not None:
        name, subjects = found
        log(
            f"{name!r} seems to name {subjects:,} subjects in {table.num_rows:,} rows. Add --groups {quote(name)} to "
            "keep all records of one together and to have them attacked together."
        )
