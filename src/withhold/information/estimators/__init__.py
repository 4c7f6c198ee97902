"""Estimators of mutual information from data: one file each, one interface, each saying what its value is.

Names are loaded when they are first used, so that importing the room costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from withhold.information.estimators.classifier import ClassifierBound
    from withhold.information.estimators.club import CLUB
    from withhold.information.estimators.discrete import DiscreteInformation
    from withhold.information.estimators.gaussian import GaussianInformation
    from withhold.information.estimators.infonce import InfoNCE
    from withhold.information.estimators.ksg import KSG
    from withhold.information.estimators.mine import MINE
    from withhold.information.estimators.nwj import NWJ
    from withhold.information.estimators.smile import SMILE

_HOMES = {
    "CLUB": "club",
    "KSG": "ksg",
    "MINE": "mine",
    "NWJ": "nwj",
    "SMILE": "smile",
    "ClassifierBound": "classifier",
    "DiscreteInformation": "discrete",
    "GaussianInformation": "gaussian",
    "InfoNCE": "infonce",
}

__all__ = [
    "CLUB",
    "KSG",
    "MINE",
    "NWJ",
    "SMILE",
    "ClassifierBound",
    "DiscreteInformation",
    "GaussianInformation",
    "InfoNCE",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
