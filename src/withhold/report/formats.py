"""Numbers and names as the page prints them."""

import re

from withhold.contracts.budgets import JOINT
from withhold.contracts.quantity import Quantity
from withhold.contracts.wording import together

NONE = "–"


def nat(value: float | None) -> str:
    """Return a number of nats with three decimals, four when it would vanish otherwise.

    Examples
    --------
    >>> nat(0.0214), nat(-0.002), nat(0.0003), nat(None)
    ('0.021', '−0.002', '0.0003', '–')
    """
    if value is None:
        return NONE
    text = f"{value:.4f}" if 0 < abs(value) < 0.001 else f"{value:.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "−")


def quantity(item: Quantity | None) -> str:
    r"""Return a value with its interval.

    Examples
    --------
    >>> quantity(Quantity(value=0.021, low=0.015, high=0.027, kind="lower_bound"))
    '0.021 [0.015,\xa00.027]'
    """
    if item is None:
        return NONE
    if item.low is None and item.high is None:
        return nat(item.value)
    low, high = ("?" if end is None else nat(end) for end in (item.low, item.high))
    return f"{nat(item.value)} [{low},\N{NO-BREAK SPACE}{high}]"


def percent(fraction: float | None, digits: int = 1) -> str:
    r"""Return a fraction as a percentage.

    Examples
    --------
    >>> percent(0.5834), percent(0.5, 0)
    ('58.3\xa0%', '50\xa0%')
    """
    return NONE if fraction is None else f"{100 * fraction:.{digits}f}\N{NO-BREAK SPACE}%".replace("-", "−")


def of_people(fraction: float | None) -> str:
    """Return a fraction as people among a hundred, or as one among many.

    Examples
    --------
    >>> of_people(0.584), of_people(0.0005), of_people(0.0), of_people(1.0)
    ('58 of 100', '1 in 2,000', '0 of 100', '100 of 100')
    """
    if fraction is None:
        return NONE
    if fraction >= 0.0095 or fraction <= 0:
        return f"{round(100 * fraction)} of 100"
    many = round(1 / fraction)
    size = 10 ** max(0, len(str(many)) - 2)  # two digits are all that a rate this small can bear
    return f"1 in {count(size * round(many / size))}"


def score(value: float | None, metric: str) -> str:
    r"""Return a score: accuracies as percentages, R squared as a number.

    Examples
    --------
    >>> score(0.835, "accuracy"), score(0.41, "r2")
    ('83.5\xa0%', '0.410')
    """
    return nat(value) if metric == "r2" else percent(value)


def count(value: int | None) -> str:
    """Return a count as the sentences of a record write it; None is a cell that the audit suppressed.

    Examples
    --------
    >>> count(39000), count(None)
    ('39,000', 'hidden')
    """
    return "hidden" if value is None else f"{value:,}"


def duration(seconds: float | None) -> str:
    """Return a time span.

    Examples
    --------
    >>> duration(4.2), duration(75), duration(7300)
    ('4.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds is None:
        return NONE
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def moment(stamp: str) -> str:
    """Return an ISO time stamp as a reader writes it; anything else unchanged.

    Examples
    --------
    >>> moment("2026-03-02T14:05:09+00:00"), moment("today")
    ('2026-03-02 14:05 UTC', 'today')
    """
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::[\d.]+)?(Z|[+-]\d\d:\d\d)?", stamp)
    if found is None:
        return stamp
    zone = {"Z": " UTC", "+00:00": " UTC", None: ""}.get(found[3], f" {found[3]}")
    return f"{found[1]} {found[2]}{zone}"


def words(name: str) -> str:
    """Return a snake_case name as words.

    Examples
    --------
    >>> words("balanced_accuracy")
    'balanced accuracy'
    """
    return name.replace("_", " ").strip()


def listing(names: list[str], last: str = "and") -> str:
    """Return names as an English list.

    Examples
    --------
    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}" if names else ""


def called(name: str, attributes: list[str]) -> str:
    """Return what a reader calls an attribute: all of them together have no name of their own.

    Examples
    --------
    >>> called("sex", ["sex", "race", "joint"]), called("joint", ["sex", "race", "joint"])
    ('sex', 'sex and race together')
    """
    others = [other for other in attributes if other != JOINT]
    return together(others) if name == JOINT and len(others) > 1 else name


def plural(number: int, noun: str, many: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "attacker"), plural(3, "column")
    ('1 attacker', '3 columns')
    """
    return f"{count(number)} {noun if number == 1 else many or noun + 's'}"


def setting(value: object) -> str:
    """Return the value of a setting.

    Examples
    --------
    >>> setting(None), setting(True), setting([1, 2]), setting(0.0003)
    ('none', 'yes', '1, 2', '0.0003')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return ", ".join(f"{k}: {setting(v)}" for k, v in value.items()) or "none"
    if isinstance(value, list | tuple | set):
        return ", ".join(setting(v) for v in value) or "none"
    return str(value)
