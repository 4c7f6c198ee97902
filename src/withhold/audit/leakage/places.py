"""Where an attacker read: suffixes of its name, and what they say in words."""

import re
from typing import Final

WITHOUT_UTILITY, UTILITY_ONLY = " (without utility)", " (utility only)"
# After the name of an attacker that read one row for each subject.
TABLE = " (by subject)"
# After that of one that read the attributes before, which the chain rule takes off.
BEFORE = " (attributes before)"
RELEASE, WITH_UTILITY = "the release", "the release with the utility attributes"
_WORDS: Final = {
    WITHOUT_UTILITY: RELEASE,
    UTILITY_ONLY: "the utility attributes alone",
    TABLE: "the table of subjects",
    BEFORE: "the other sensitive attributes alone",
}
# member[@what of a number][ at effort][ (what was read)]
_NAME = re.compile(r"(?P<member>[^@ ]+)(?:@(?P<what>.*?))?(?: at (?P<lower>\w+))?(?P<read> \(.*\))?", re.DOTALL)


def member_of(name: str) -> str:
    """Return the member of the panel that a column of log-ratios is of, whatever it was given to read.

    Examples
    --------
    >>> member_of("boosting@8"), member_of("mlp (without utility)")
    ('boosting', 'mlp')
    """
    return name.split("@")[0].split(" ")[0]


def place_of(name: str, whole: str = RELEASE) -> str:
    """Return what an attacker with this name was given to read, in words.

    Parameters
    ----------
    name : str
        Of a column of log-ratios.
    whole : str
        What those without a suffix read.

    Examples
    --------
    >>> place_of("mlp"), place_of("mlp (by subject)"), place_of("mlp (also: may)")
    ('the release', 'the table of subjects', "'also: may'")
    >>> place_of("boosting@last digit at quick (without utility)")
    "the release with the number's last digit at effort quick"
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return f"'{name}'"
    read, what, lower = found["read"], found["what"], found["lower"]
    said = whole if read is None else _WORDS.get(read) or f"'{read[2:-1]}'"
    if what is not None:
        said += f" with the number in {what} bins" if what.isdecimal() else f" with the number's {what}"
    return said if lower is None else f"{said} at effort {lower}"
