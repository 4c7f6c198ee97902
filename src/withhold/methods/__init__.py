"""Methods that learn a transform hiding an attribute: one paper, one file.

Names are loaded when they are first used, so that importing the room costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from withhold.methods.catalogue import MODULES

if TYPE_CHECKING:
    from withhold.methods.aii import AII
    from withhold.methods.aioi import AIOI
    from withhold.methods.cadp import CADP
    from withhold.methods.crossgrad import CrossGrad
    from withhold.methods.deepminmax import DeepMinMax
    from withhold.methods.discrete_channel import DiscreteChannel
    from withhold.methods.erm import ERM
    from withhold.methods.identity import Identity
    from withhold.methods.iidm import IIDM
    from withhold.methods.iidm_plus import IIDMPlus
    from withhold.methods.leace import LEACE
    from withhold.methods.mi_backprop import MIBackprop
    from withhold.methods.noise import Noise
    from withhold.methods.ns import NS
    from withhold.methods.revgrad import RevGrad

__all__ = [
    "AII",
    "AIOI",
    "CADP",
    "ERM",
    "IIDM",
    "LEACE",
    "NS",
    "CrossGrad",
    "DeepMinMax",
    "DiscreteChannel",
    "IIDMPlus",
    "Identity",
    "MIBackprop",
    "Noise",
    "RevGrad",
]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return getattr(import_module(MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
