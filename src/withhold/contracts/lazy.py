"""Names of a package that are loaded when they are first used, so that importing the package costs nothing."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        The module that defines each public name.

    Examples
    --------
    >>> load, names = lazily("shop", {"sqrt": "math"})
    >>> load("sqrt")(9.0), names()
    (3.0, ['sqrt'])
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return load, lambda: sorted(homes)
