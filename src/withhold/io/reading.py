"""What a caller says about files that state little themselves: separators, encodings, missing values, text, dates."""

import codecs
from dataclasses import dataclass, replace

from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.wording import advice

_NAMED_SEPARATORS = {r"\t": "\t", "tab": "\t", "space": " "}


@dataclass(frozen=True)
class Reading:
    r"""How files are to be read; what is None is found out from the file.

    Attributes
    ----------
    sep : str or None
        The character between two columns of a text file; ``"\\t"`` and ``"tab"`` are a tab.
    decimal : {",", "."} or None
        The decimal mark of a text file.
    encoding : str or None
        The encoding of a text file, by its Python name.
    missing : tuple of str
        Spellings of a missing value, beside the usual ones; in numbers, by value.
    text : tuple of str
        Columns to read as text whatever they look like.
    dates : tuple of (str, str)
        Columns of dates and their formats in the notation of `datetime.strptime`.
    codes : bool
        Codes that a statistics package declares to be missing values are read as the values they are: whoever has the
        file sees them. A fit takes them for missing.
    spread : bool
        Lists of numbers, all of one length, become one column an entry.

    Raises
    ------
    InvalidParameterError
        For a separator of several characters, another decimal mark, an unknown encoding, a date without a year.

    Examples
    --------
    >>> Reading(sep="tab", dates=(("born", "%d.%m.%Y"),)).sep
    '\t'
    >>> Reading(encoding="utf9")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidParameterError: Unknown encoding 'utf9'. Try utf-8, cp1252, latin-1 or utf-16.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    dates: tuple[tuple[str, str], ...] = ()
    codes: bool = True
    spread: bool = False

    def __post_init__(self) -> None:
        if self.sep is not None:
            object.__setattr__(self, "sep", _NAMED_SEPARATORS.get(self.sep, self.sep))
            if len(self.sep) != 1 or not self.sep.isascii() or self.sep.isalnum() or self.sep in "\"'\r\n.":
                raise InvalidParameterError(
                    f"{advice('sep', '--sep')} takes one character such as ';' or tab (got {self.sep!r}). Leave it "
                    "out, and the file is asked."
                )
        if self.decimal not in (None, ",", "."):
            raise InvalidParameterError(f"{advice('decimal', '--decimal')} must be ',' or '.' (got {self.decimal!r}).")
        if self.encoding is not None:
            _check_encoding(self.encoding)
        both = [name for name, _ in self.dates if name in self.text]
        if both:
            raise InvalidParameterError(
                f"{both[0]!r} cannot be both {advice('text', '--text')} and {advice('a date', '--date')}."
            )
        for name, form in self.dates:
            if not any(part in form for part in ("%Y", "%y", "%c", "%x", "%G")):
                raise InvalidParameterError(
                    f"The form {form!r} of {name!r} names no year. Write its parts as %d, %m and %Y, such as %d.%m.%Y."
                )

    @property
    def of_columns(self) -> "Reading":
        """What is said of columns and cells, whatever the kind of file."""
        return replace(self, sep=None, decimal=None, encoding=None, codes=True)

    @property
    def of_text_files(self) -> list[str]:
        """Names of what is said that only text files have."""
        return [name for name in ("sep", "decimal", "encoding") if getattr(self, name) is not None]


def _check_encoding(name: str) -> None:
    try:
        known = codecs.lookup(name)
        "".encode(name)  # a codec of bytes, such as base64, encodes no text
    except (LookupError, TypeError, ValueError, UnicodeError):
        known = None
    if known is None:
        raise InvalidParameterError(f"Unknown encoding {name!r}. Try utf-8, cp1252, latin-1 or utf-16.")


# Nothing is said: everything is found out.
FOUND_OUT = Reading()
