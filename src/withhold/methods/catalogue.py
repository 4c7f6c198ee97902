"""The methods by name, and where each lives: what `load` may build, and nothing else."""

from importlib import import_module
from typing import Any

from withhold.contracts.errors import InvalidParameterError, sentence

MODULES = {
    "Identity": "withhold.methods.identity",
    "LEACE": "withhold.methods.leace",
    "Noise": "withhold.methods.noise",
}


def method_class(name: str) -> Any:
    """Return the class of a method; its module is imported only now.

    Parameters
    ----------
    name : str
        As in `MODULES`; case does not matter, so that command lines can be lower case.

    Examples
    --------
    >>> method_class("identity").__name__
    'Identity'
    """
    known = {known.lower(): known for known in MODULES}
    if name.lower() not in known:
        raise InvalidParameterError(
            sentence(
                "The name of a method",
                f"one of {', '.join(sorted(MODULES))}",
                repr(name),
                "Only methods of this library can be built by name.",
                "Check the spelling.",
            )
        )
    exact = known[name.lower()]
    return getattr(import_module(MODULES[exact]), exact)
