"""What a method is chosen by: the options that say so, read and checked."""

from collections.abc import Sequence

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.catalogue import AUTO


def check_choosing(method: str, target: float | None, limit: str | None, utility: Sequence[str]) -> None:
    """Refuse what is only for choosing a method where one is named, and a target without the attribute it is about.

    Examples
    --------
    >>> check_choosing("auto", 0.83, "10m", ["income"])
    >>> check_choosing("leace", 0.83, None, ["income"])
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidParameterError: --target-utility is for choosing a method, and --method names ...
    """
    seconds_of(limit)
    for flag, given in (("--target-utility", target), ("--time", limit)):
        if given is not None and method != AUTO:
            raise InvalidParameterError(
                f"{flag} is for choosing a method, and --method names one. Leave --method or {flag} out."
            )
    if target is None:
        return
    if not utility:
        raise InvalidParameterError("--target-utility needs the column that it is about. Add --utility COL.")
    if not 0 < target < 1:
        raise InvalidParameterError(
            f"--target-utility must lie between 0 and 1 (got {target:g}). Write 0.83 for 83 right of 100."
        )


def seconds_of(limit: str | None, name: str = "--time") -> float | None:
    """Read a time; `name` is what the caller calls it.

    Examples
    --------
    >>> seconds_of("10m"), seconds_of("1.5h"), seconds_of("90"), seconds_of(None)
    (600.0, 5400.0, 90.0, None)
    """
    if limit is None:
        return None
    number = limit.strip().lower()
    scale = {"s": 1, "m": 60, "h": 3600}.get(number[-1:])
    try:
        seconds = float(number[:-1]) * scale if scale else float(number)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InvalidParameterError(f"{name} must be a time above zero (got {limit!r}). Write 90s, 10m or 1h.")
    return seconds
