"""Text that a file brought along, in a form that a terminal only shows: column names, levels, paths, notes."""

import re

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
