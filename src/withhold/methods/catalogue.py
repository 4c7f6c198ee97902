"""The methods by name, and where each lives: what `load` may build, and nothing else."""

from importlib import import_module
from typing import Any

from withhold.contracts.errors import InvalidParameterError, sentence

MODULES = {
    "DeepMinMax": "withhold.methods.deepminmax",
    "Identity": "withhold.methods.identity",
    "LEACE": "withhold.methods.leace",
    "Noise": "withhold.methods.noise",
}


def method_class(name: str) -> Any:
    """Return the class of a method; its module is imported only now.

    Parameters
    ----------
    name : str
        As in `MODULES`.

    Examples
    --------
    >>> method_class("Identity").__name__
    'Identity'
    """
    if name not in MODULES:
        raise InvalidParameterError(
            sentence(
                "The name of a method",
                f"one of {', '.join(sorted(MODULES))}",
                repr(name),
                "Only methods of this library can be built by name.",
                "Check the spelling.",
            )
        )
    return getattr(import_module(MODULES[name]), name)
