"""Small words between the command line and the work: lists of names, and lines on stderr."""

import sys
from collections.abc import Sequence
from typing import IO

from withhold.contracts.printable import printable


def names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return what a repeatable option collected, once each.

    Examples
    --------
    >>> names(None), names(["sex", "age", "sex"])
    ((), ('sex', 'age'))
    """
    return tuple(dict.fromkeys(given or ()))


def note(text: str) -> None:
    """Write one line of progress to stderr."""
    print(printable(text), file=sys.stderr, flush=True)


def say(text: str, stream: IO[str]) -> None:
    """Write one line of a result."""
    print(printable(text), file=stream)
