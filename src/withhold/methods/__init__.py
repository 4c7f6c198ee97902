"""Methods that learn a transform hiding an attribute: one paper, one file.

Names are loaded when they are first used, so that importing the room costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from withhold.methods.catalogue import MODULES

if TYPE_CHECKING:
    from withhold.methods.deepminmax import DeepMinMax
    from withhold.methods.identity import Identity
    from withhold.methods.leace import LEACE
    from withhold.methods.noise import Noise

__all__ = ["LEACE", "DeepMinMax", "Identity", "Noise"]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return getattr(import_module(MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
