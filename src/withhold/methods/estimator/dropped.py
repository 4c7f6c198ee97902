"""Columns that a fit leaves out because they look like identifiers or free text: the caller is told, once."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from withhold.contracts.errors import DroppedColumnsWarning
from withhold.contracts.wording import listed
from withhold.methods.estimator.contract import Method


def warn_of_dropped(method: Method, above: int) -> None:
    """Warn of columns that are no features, and how to keep or drop them; the caller is `above` frames up."""
    names = [] if method.codec_ is None else [column.name for column in method.codec_.schema.dropped]
    if not names:
        return
    they = (
        "looks like an identifier or free text and is"
        if len(names) == 1
        else "look like identifiers or free text and are"
    )
    warnings.warn(
        f"{listed(names)} {they} left out of the release. Pass drop={names!r} to leave out the same columns "
        f"whatever the data, or keep={names!r} to release them.",
        DroppedColumnsWarning,
        stacklevel=above + 1,
    )


@contextmanager
def told_elsewhere() -> Iterator[None]:
    """Keep the warning from callers whose record tells of dropped columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedColumnsWarning)
        yield
