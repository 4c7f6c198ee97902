"""Methods by the names the command line uses."""

import inspect
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import withhold.methods as room
from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.settings import constructor, parse


def available() -> dict[str, type[Sanitizer]]:
    """Return the methods by their names, read from the room itself: a new file needs no entry here.

    Examples
    --------
    >>> "leace" in available()
    True
    """
    found = (getattr(room, name) for name in room.__all__)
    return {
        command_name(item): item
        for item in found
        if inspect.isclass(item)
        and issubclass(item, Sanitizer)
        and not inspect.isabstract(item)
        and item is not Sanitizer
    }


def command_name(cls: type[Sanitizer]) -> str:
    """Return what a method is called on the command line: its own word, or its class name in lower case.

    Examples
    --------
    >>> command_name(method_class("LEACE"))
    'leace'
    """
    return cls.command_name or cls.__name__.lower()


def method_class(name: str) -> type[Sanitizer]:
    """Return the class of a method; hyphens, underscores and case make no difference.

    Examples
    --------
    >>> method_class("leace").__name__
    'LEACE'
    """
    methods = available()
    for known, cls in methods.items():
        if _bare(name) == _bare(known):
            return cls
    close = get_close_matches(name.lower(), methods, n=1)
    why = f"Available are {', '.join(sorted(methods))}."
    remedy = f"Did you mean {close[0]!r}?" if close else "Pick one of these."
    raise InvalidParameterError(sentence("The option --method", "a method's name", repr(name), why, remedy))


def build(
    name: str, *, pairs: Sequence[str] = (), preset: str | None = None, **common: Any
) -> tuple[Sanitizer, dict[str, Any]]:
    """Make an unfitted method.

    Parameters
    ----------
    name : str
        As in `available`.
    pairs : sequence of str
        `KEY=VALUE` settings.
    preset : str or None
        Named settings, where the method has them.
    **common
        Parameters that all methods share; one that this method does not take is left out.

    Returns
    -------
    sanitizer : Sanitizer
        Unfitted.
    settings : dict
        What was set beyond the defaults, without secrets.
    """
    cls = method_class(name)
    parameters = constructor(cls)
    settings = parse(pairs, cls)
    if preset is not None:
        if "preset" not in parameters:
            why = f"{cls.__name__} has one set of defaults only."
            raise InvalidParameterError(
                sentence("The option --preset", "left out here", repr(preset), why, "Remove it.")
            )
        settings["preset"] = preset
    shared = {key: value for key, value in common.items() if key in parameters}
    return cls(**{**shared, **settings}), settings


def _bare(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
