"""The methods by name, and where each lives: what `load` may build, and nothing else."""

from importlib import import_module
from typing import Any

from withhold.contracts.errors import InvalidParameterError, sentence

MODULES = {
    "AII": "withhold.methods.aii",
    "AIOI": "withhold.methods.aioi",
    "CADP": "withhold.methods.cadp",
    "CrossGrad": "withhold.methods.crossgrad",
    "DeepMinMax": "withhold.methods.deepminmax",
    "DiscreteChannel": "withhold.methods.discrete_channel",
    "ERM": "withhold.methods.erm",
    "IIDM": "withhold.methods.iidm",
    "IIDMPlus": "withhold.methods.iidm_plus",
    "Identity": "withhold.methods.identity",
    "LEACE": "withhold.methods.leace",
    "MIBackprop": "withhold.methods.mi_backprop",
    "NS": "withhold.methods.ns",
    "Noise": "withhold.methods.noise",
    "RevGrad": "withhold.methods.revgrad",
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
