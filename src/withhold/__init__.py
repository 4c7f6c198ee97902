"""Share data, or representations of it, while a private attribute cannot be inferred - and audit that claim.

Names are loaded when they are first used: ``import withhold`` does no work.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from withhold.audit.run import audit_release
    from withhold.contracts.errors import DriftWarning
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
    from withhold.methods.loading import load
    from withhold.methods.mi_backprop import MIBackprop
    from withhold.methods.noise import Noise
    from withhold.methods.ns import NS
    from withhold.methods.revgrad import RevGrad
    from withhold.privacy.noise_key import NoiseKey

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
    "DriftWarning",
    "IIDMPlus",
    "Identity",
    "MIBackprop",
    "Noise",
    "NoiseKey",
    "RevGrad",
    "audit_release",
    "load",
]

_HOMES = {
    "AII": "withhold.methods.aii",
    "AIOI": "withhold.methods.aioi",
    "CADP": "withhold.methods.cadp",
    "CrossGrad": "withhold.methods.crossgrad",
    "DeepMinMax": "withhold.methods.deepminmax",
    "DiscreteChannel": "withhold.methods.discrete_channel",
    "DriftWarning": "withhold.contracts.errors",
    "ERM": "withhold.methods.erm",
    "IIDM": "withhold.methods.iidm",
    "IIDMPlus": "withhold.methods.iidm_plus",
    "Identity": "withhold.methods.identity",
    "LEACE": "withhold.methods.leace",
    "MIBackprop": "withhold.methods.mi_backprop",
    "NS": "withhold.methods.ns",
    "Noise": "withhold.methods.noise",
    "NoiseKey": "withhold.privacy.noise_key",
    "RevGrad": "withhold.methods.revgrad",
    "audit_release": "withhold.audit.run",
    "load": "withhold.methods.loading",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("withhold")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
