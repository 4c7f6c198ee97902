"""Small words that sentences share, and text that cannot act on a terminal."""

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

_ON_COMMAND_LINE: ContextVar[bool] = ContextVar("on_command_line", default=False)

# Controls of terminals (C0, DEL, C1), marks that turn the direction of text, and bytes that are no text at all.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str, lines: bool = False) -> str:
    r"""Return `text` with whatever a terminal would act on spelled out.

    Parameters
    ----------
    text : str
    lines : bool, default=False
        Keep line breaks and tabs, for text of several lines whose parts are safe.

    Examples
    --------
    >>> print(printable("sex\x1b[2J\rPASS"))
    sex\x1b[2J\rPASS
    >>> printable("Köln, 東京")
    'Köln, 東京'
    """
    return _UNSAFE.sub(lambda found: found[0] if lines and found[0] in "\n\t" else _spelled(found[0]), text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


@contextmanager
def on_command_line() -> Iterator[None]:
    """Let advice name options instead of parameters."""
    before = _ON_COMMAND_LINE.set(True)
    try:
        yield
    finally:
        _ON_COMMAND_LINE.reset(before)


def advice(parameter: str, options: str) -> str:
    """Return what the caller can type: a parameter in Python, options on the command line.

    Examples
    --------
    >>> advice("keep=['a']", "--keep a")
    "keep=['a']"
    >>> with on_command_line():
    ...     advice("keep=['a']", "--keep a")
    '--keep a'
    """
    return options if _ON_COMMAND_LINE.get() else parameter


def option(name: str, value: object = None) -> str:
    """Return an option as the caller writes it, alone or with a value; a switch is given with True.

    Examples
    --------
    >>> option("cross_fit"), option("cross_fit", 5), option("method", "leace"), option("drop_utility", True)
    ('cross_fit', 'cross_fit=5', "method='leace'", 'drop_utility=True')
    >>> with on_command_line():
    ...     option("cross_fit", 5), option("drop_utility", True)
    ('--cross-fit 5', '--drop-utility')
    """
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        return advice(name, flag)
    return advice(f"{name}={value!r}", flag if value is True else f"{flag} {shlex.quote(str(value))}")


def flags(option: str, names: Sequence[str]) -> str:
    """Repeat an option for each name, quoted for a shell.

    Examples
    --------
    >>> flags("--drop", ["age", "Patient ID"])
    "--drop age --drop 'Patient ID'"
    """
    return " ".join(f"{option} {shlex.quote(name)}" for name in names)


def verb(columns: Sequence[str], one: str, several: str) -> str:
    """Choose the form of a verb by the number of columns.

    Examples
    --------
    >>> verb(["a", "b"], "holds", "hold")
    'hold'
    """
    return one if len(columns) == 1 else several


def listed(names: Sequence[str], most: int = 3, quote: str = "'") -> str:
    """Quote the first names and count the rest.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"])
    "'a', 'b', 'c' and 1 more"
    >>> listed(["a", "b"])
    "'a' and 'b'"
    """
    quoted = [f"{quote}{name}{quote}" for name in names]
    if len(quoted) > most:
        return f"{', '.join(quoted[:most])} and {len(quoted) - most} more"
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def together(names: Sequence[str], most: int = 3) -> str:
    """Name several attributes as one thing.

    Examples
    --------
    >>> together(["sex", "race"]), together(["a", "b", "c", "d"])
    ('sex and race together', 'all 4 attributes together')
    """
    if len(names) > most:
        return f"all {len(names)} attributes together"
    return f"{', '.join(names[:-1])} and {names[-1]} together"


def percent(share: float) -> str:
    """Write a share as whole percent.

    Examples
    --------
    >>> percent(0.474), percent(0.002)
    ('47 %', 'less than 1 %')
    """
    return "less than 1 %" if share < 0.005 else f"{100 * share:.0f} %"


def nearest(name: str, known: Sequence[str]) -> str:
    """Suggest what was meant by a name that is not known, or say what there is.

    Examples
    --------
    >>> nearest("sexe", ["age", "sex"]), nearest("x", ["age", "sex"])
    ("Did you mean 'sex'?", "Choose from 'age' and 'sex'.")
    """
    close = get_close_matches(name, known, n=1)
    return (
        f"Did you mean {close[0]!r}?" if close else f"Choose from {listed(known, 8)}." if known else "There are none."
    )
