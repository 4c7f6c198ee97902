"""Estimators of mutual information from data: one file each, one interface, each saying what its value is.

Names are loaded when they are first used, so that importing the room costs nothing.
"""

from typing import TYPE_CHECKING

from withhold.contracts.lazy import lazily

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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "CLUB": f"{__name__}.club",
        "KSG": f"{__name__}.ksg",
        "MINE": f"{__name__}.mine",
        "NWJ": f"{__name__}.nwj",
        "SMILE": f"{__name__}.smile",
        "ClassifierBound": f"{__name__}.classifier",
        "DiscreteInformation": f"{__name__}.discrete",
        "GaussianInformation": f"{__name__}.gaussian",
        "InfoNCE": f"{__name__}.infonce",
    },
)
