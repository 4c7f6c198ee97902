"""What a command hands back: lines for people, a document, an exit code."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, ClassVar, Protocol

from withhold.contracts.errors import WithholdError
from withhold.contracts.wording import printable


def note(text: str) -> None:
    """Write one line of progress to stderr."""
    print(printable(text), file=sys.stderr, flush=True)


def say(text: str, stream: IO[str]) -> None:
    """Write one line of a result."""
    print(printable(text), file=stream)


DONE = 0
OVER_BUDGET = 1
USAGE = 2
BAD_DATA = 3
INCONCLUSIVE = 4
INTERRUPTED = 130


class InterruptError(WithholdError):
    """Ctrl-C, with what can be continued."""

    exit_code: ClassVar[int] = INTERRUPTED


class Document(Protocol):
    """A pydantic record."""

    def model_dump_json(self, *, indent: int | None = None) -> str:
        """Return the record as JSON."""
        ...


@dataclass(frozen=True)
class Outcome:
    """The result of one command.

    Attributes
    ----------
    document : record or mapping
        What `--json` prints, and nothing else is printed then.
    show : callable
        Writes the same for a person to the stream it is given.
    code : int
        0 done, and within budget if one was given; 1 the audit failed its budget; 4 inconclusive.
    """

    document: Document | Mapping[str, Any]
    show: Callable[[IO[str]], None] = field(repr=False)
    code: int = DONE


def code_of(verdict: str | None) -> int:
    """Return the exit code of a verdict.

    Examples
    --------
    >>> [code_of(verdict) for verdict in ("pass", None, "fail", "inconclusive")]
    [0, 0, 1, 4]
    """
    return {"fail": OVER_BUDGET, "inconclusive": INCONCLUSIVE}.get(verdict or "", DONE)
