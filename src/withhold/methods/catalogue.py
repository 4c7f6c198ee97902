"""The methods by name, and where each lives: what `load` may build, and nothing else."""

from importlib import import_module
from typing import Any

from withhold.contracts.checks import unknown

MODULES = {
    "AII": "withhold.methods.iidm.rivals.aii",
    "AIOI": "withhold.methods.aioi.aioi",
    "CADP": "withhold.methods.cadp.cadp",
    "CrossGrad": "withhold.methods.iidm.rivals.crossgrad",
    "DeepMinMax": "withhold.methods.deepminmax",
    "DiscreteChannel": "withhold.methods.discrete_channel.discrete_channel",
    "ERM": "withhold.methods.iidm.rivals.erm",
    "IIDM": "withhold.methods.iidm.iidm",
    "IIDMPlus": "withhold.methods.iidm.iidm_plus",
    "Identity": "withhold.methods.controls",
    "LEACE": "withhold.methods.leace.leace",
    "MIBackprop": "withhold.methods.mi_backprop.mi_backprop",
    "NS": "withhold.methods.iidm.rivals.ns",
    "Noise": "withhold.methods.controls",
    "RevGrad": "withhold.methods.iidm.rivals.revgrad",
}

# Stands for whichever method is chosen, and for the default one where nothing is to be chosen by.
AUTO, DEFAULT = "auto", "deepminmax"


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
        raise unknown("method", name, sorted(MODULES))
    return getattr(import_module(MODULES[name]), name)
