"""Share data, or representations of it, while a private attribute cannot be inferred - and audit that claim.

Names are loaded when they are first used: ``import withhold`` does no work.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from withhold.audit.run import audit_release
    from withhold.contracts.errors import DriftWarning
    from withhold.methods.aioi import AIOI
    from withhold.methods.deepminmax import DeepMinMax
    from withhold.methods.identity import Identity
    from withhold.methods.leace import LEACE
    from withhold.methods.loading import load
    from withhold.methods.noise import Noise
    from withhold.privacy.noise_key import NoiseKey

__all__ = ["AIOI", "LEACE", "DeepMinMax", "DriftWarning", "Identity", "Noise", "NoiseKey", "audit_release", "load"]

_HOMES = {
    "AIOI": "withhold.methods.aioi",
    "DeepMinMax": "withhold.methods.deepminmax",
    "DriftWarning": "withhold.contracts.errors",
    "Identity": "withhold.methods.identity",
    "LEACE": "withhold.methods.leace",
    "Noise": "withhold.methods.noise",
    "NoiseKey": "withhold.privacy.noise_key",
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
