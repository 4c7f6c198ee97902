"""The alternating game between networks: players, the budget as a constraint, checkpoints, progress."""

from withhold.training.adversary import Calibration, CrossFittedAdversary
from withhold.training.budget import BudgetMultiplier
from withhold.training.debiasing import Debiasing, Recipe, Records
from withhold.training.game import Game, Player
from withhold.training.progress import Progress

__all__ = [
    "BudgetMultiplier",
    "Calibration",
    "CrossFittedAdversary",
    "Debiasing",
    "Game",
    "Player",
    "Progress",
    "Recipe",
    "Records",
]
